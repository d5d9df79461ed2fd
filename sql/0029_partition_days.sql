-- Partitions of several days. A partition holds sluice.partition_days() days of UTC: one, unless
-- `sluice migrate --partition-days` has chosen another number. The first of them gives it its name,
-- and stands for it in sluice.archive and in the functions by which it leaves and returns.

create function sluice.partition_days() returns integer
language sql immutable parallel safe
return 1;
comment on function sluice.partition_days is 'How many days of UTC a partition holds.';

-- Counted from a Monday, so that seven days are a week. For days before it % is negative.
create function sluice.first_day(day date) returns date
language sql immutable parallel safe
return day - ((day - date '2000-01-03') % sluice.partition_days() + sluice.partition_days())
    % sluice.partition_days();
comment on function sluice.first_day is 'The first day of the partition that holds a day.';

create function sluice.choose_partition_days(days integer) returns integer
language plpgsql
set search_path = pg_catalog
as $$
begin
    if days not between 1 and 31 then
        raise exception 'a partition holds 1 to 31 days'
            using errcode = 'invalid_parameter_value';
    end if;
    -- The lock of ensure_days.
    perform pg_advisory_xact_lock(1936487779, 2);
    if days <> sluice.partition_days()
        and not exists (select from sluice.day_partition)
        and not exists (select from sluice.archive)
    then
        execute format(
            'create or replace function sluice.partition_days() returns integer '
            'language sql immutable parallel safe return %s', days);
        -- Older binaries take a partition for one day.
        update sluice.migration set oldest_binary = 29 where number = 29;
    end if;
    return sluice.partition_days();
end
$$;
comment on function sluice.choose_partition_days is
    'Chooses how many days a partition holds, while there is none; returns how many it is then.';

comment on column sluice.archive.day is 'The first day of UTC of its partition.';

-- The first days apart from the others: of a sum with n the planner expects a third of all rows for
-- each bound of a range, not one in 200. With one day the second half is planned away.
create or replace view sluice.day_partition as
select p.relname::text as kind,
    to_date(right(c.relname, 8), 'YYYYMMDD') as day,
    c.relname::text as name,
    i.inhdetachpending as is_pending
from pg_catalog.pg_inherits i
join pg_catalog.pg_class c on c.oid = i.inhrelid
join pg_catalog.pg_class p on p.oid = i.inhparent
where i.inhparent in (
        'sluice.gps'::regclass, 'sluice.vital'::regclass, 'sluice.event'::regclass,
        'sluice.gps_rollup'::regclass, 'sluice.vital_rollup'::regclass)
    and c.relname ~ '_[0-9]{8}$'
union all
select p.relname::text,
    to_date(right(c.relname, 8), 'YYYYMMDD') + n,
    c.relname::text,
    i.inhdetachpending
from pg_catalog.pg_inherits i
join pg_catalog.pg_class c on c.oid = i.inhrelid
join pg_catalog.pg_class p on p.oid = i.inhparent
cross join pg_catalog.generate_series(1, sluice.partition_days() - 1) n
where i.inhparent in (
        'sluice.gps'::regclass, 'sluice.vital'::regclass, 'sluice.event'::regclass,
        'sluice.gps_rollup'::regclass, 'sluice.vital_rollup'::regclass)
    and c.relname ~ '_[0-9]{8}$' and sluice.partition_days() > 1;
comment on view sluice.day_partition is 'The days of all partitions, by kind.';

create or replace view analytics.stored_day as
select p.kind collate "default" as kind, p.day
from sluice.day_partition p
where p.kind in ('gps', 'vital', 'event') and not p.is_pending;

create or replace function sluice.missing_days(first_day date, last_day date)
returns table (kind text, day date, partition text)
language sql stable
set search_path = pg_catalog
as $$
    select k.kind, d.day, k.kind || d.suffix
    from (
        select first_day + n as day,
            to_char(sluice.first_day(first_day + n), '"_"YYYYMMDD') as suffix
        from generate_series(0, last_day - first_day) n
    ) d
    cross join unnest(array['gps', 'vital', 'event', 'gps_rollup', 'vital_rollup'])
        with ordinality k (kind, place)
    where not exists (
        select from pg_inherits i
        where i.inhparent = ('sluice.' || k.kind)::regclass
            and not i.inhdetachpending
            and right(i.inhrelid::regclass::text, 9) = d.suffix
    )
    order by d.day, k.place
$$;

create or replace function sluice.is_out(of_kind text, of_day date) returns boolean
language sql stable
set search_path = pg_catalog
as $$
    select exists (
        select from sluice.archive a
        where a.kind = of_kind and a.day = sluice.first_day(of_day)
            and a.state in ('leaving', 'detached', 'gone'))
$$;

create or replace function sluice.ensure_days(first_day date, last_day date) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    days_max constant integer := 4000;
    missing record;
    made integer := 0;
begin
    if last_day - first_day not between 0 and days_max - 1 then
        raise exception 'ensure_days makes 1 to % days', days_max
            using errcode = 'invalid_parameter_value';
    end if;
    if not exists (select from sluice.missing_days(first_day, last_day)) then
        return 0;
    end if;
    perform pg_advisory_xact_lock(1936487779, 2);
    -- Of each partition the first day that is asked for.
    for missing in
        select m.kind, m.day, sluice.first_day(m.day) as first
        from sluice.missing_days(first_day, last_day) m
        where m.day = greatest(first_day, sluice.first_day(m.day))
    loop
        if sluice.is_out(missing.kind, missing.day) then
            raise exception 'the rows of % left the table %', missing.day, missing.kind
                using errcode = 'datetime_field_overflow',
                    hint = 'sluice archive restore brings them back.';
        end if;
        perform sluice.make_partition(missing.kind, missing.first);
        made := made + 1;
    end loop;
    return made;
end
$$;

create or replace function sluice.attach_day_table(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    -- With their zone, the bounds mean UTC days whatever the session's TimeZone is.
    execute format(
        'alter table sluice.%I attach partition sluice_partitions.%I '
            'for values from (%L) to (%L)',
        of_kind, of_kind || to_char(of_day, '"_"YYYYMMDD'),
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(of_day + sluice.partition_days(), 'YYYY-MM-DD') || ' 00:00:00+00');
end
$$;

create or replace function sluice.make_room(of_kind text, of_day date) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    column_name constant text := case when of_kind like '%rollup' then 'hour' else 't' end;
begin
    if exists (select from sluice.day_partition d where d.kind = of_kind and d.day = of_day) then
        return false;
    end if;
    perform sluice.make_day_table(of_kind, of_day, 'including indexes');
    -- Spares the scan when it is attached.
    execute format(
        'alter table sluice_partitions.%1$I add constraint is_of_the_day '
            'check (%4$I >= %2$L::timestamptz and %4$I < %3$L::timestamptz)',
        of_kind || to_char(of_day, '"_"YYYYMMDD'),
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(of_day + sluice.partition_days(), 'YYYY-MM-DD') || ' 00:00:00+00',
        column_name);
    return true;
end
$$;

create or replace function sluice.is_due(of_kind text, of_day date) returns boolean
language plpgsql stable
set search_path = pg_catalog
as $$
begin
    perform d.hour from sluice.rollup_due d
    where d.kind = of_kind and d.hour >= of_day::timestamp at time zone 'UTC'
        and d.hour < (of_day + sluice.partition_days())::timestamp at time zone 'UTC'
    limit 1;
    return found;
end
$$;
comment on function sluice.is_due is
    'Hours of the partition of gps or vital that begins on that day are not summed yet.';

create or replace function sluice.sum_hours(
    after_key bigint default -9223372036854775808, from_hour timestamptz default '-infinity',
    to_hour timestamptz default 'infinity', hours_max integer default 4
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    key bigint;
    due record;
    summed integer := 0;
    -- Partitions that are about to leave wait: they are turned round. Of those that are gone the
    -- sums are all there is.
    leaving constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state in ('leaving', 'detached'));
    gone constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state = 'gone');
begin
    -- A commit that a crash takes back is made again.
    perform set_config('synchronous_commit', 'off', true);
    -- On Citus one session with a node, so that note and sum are committed there in one step.
    perform set_config('citus.max_adaptive_executor_pool_size', '1', true);
    select d.device_key into key from sluice.rollup_due d
    where d.device_key > after_key and d.hour >= from_hour and d.hour < to_hour
    order by d.device_key limit 1;
    -- Whoever stores readings of the device has its row: then another time.
    perform from sluice.device_state s where s.device_key = key for update skip locked;
    if not found then
        return key;
    end if;
    for due in
        select d.hour, d.kind,
            d.kind || sluice.first_day((d.hour at time zone 'UTC')::date) as partition
        from sluice.rollup_due d
        where d.device_key = key and d.hour >= from_hour and d.hour < to_hour
            and d.kind || sluice.first_day((d.hour at time zone 'UTC')::date) <> all (leaving)
        order by d.hour, d.kind limit hours_max
    loop
        summed := summed + 1;
        delete from sluice.rollup_due d
        where d.device_key = key and d.hour = due.hour and d.kind = due.kind;
        if due.partition <> all (gone) then
            call sluice.sum_hour(key, due.hour, due.kind);
        end if;
    end loop;
    return case when summed < hours_max then key else key - 1 end;
end
$$;
