-- Partitions of the tables of readings and sums.
--
-- A partition holds sluice.partition_days() days of UTC: one, unless `sluice migrate --partition-days`
-- has chosen another number. The first of them gives it its name, and stands for it in sluice.archive
-- and in the functions by which it leaves and returns.
--
-- A day that left the tables stays out: ensure_days makes no new partition for it, because late
-- readings would be looked for there, not be found and stored twice. Readings of such days are refused,
-- and so end in quarantine.

create schema sluice_partitions;
comment on schema sluice_partitions is
    'The days of sluice.gps, sluice.vital, sluice.event and of the sums of two of them.';

-- Locks are tables, not advisory locks: every role that may connect can take an advisory lock of any
-- key and keep it. To lock a table in a mode that excludes others, a role needs rights to it.

create table sluice.day_turn ();
comment on table sluice.day_turn is
    'Has no rows. Whoever makes or attaches partitions locks it (EXCLUSIVE) until the commit.';
alter table sluice.day_turn replica identity full;

create table sluice.archive_turn ();
comment on table sluice.archive_turn is
    'Has no rows. The process that archives or restores days locks it (EXCLUSIVE) meanwhile; '
    'transactions that need days to stay lock it ROW SHARE.';
alter table sluice.archive_turn replica identity full;

create table sluice.archive (
    kind text not null
        check (kind in ('gps', 'vital', 'event', 'gps_rollup', 'vital_rollup')),
    day date not null,
    part integer not null,
    id uuid not null default gen_random_uuid(),
    state text not null
        check (state in ('leaving', 'detached', 'gone', 'restored', 'replaced')),
    rows bigint,
    file text,
    directory text,
    node text,
    bytes bigint,
    text_bytes bigint,
    sha256 bytea,
    keep_until timestamptz,
    changed_at timestamptz not null default now(),
    primary key (kind, day, part)
);
create index archive_open on sluice.archive (kind, day) where state in ('leaving', 'detached');
comment on table sluice.archive is
    'Days that left the tables, by kind, and the files that hold them.';
comment on column sluice.archive.kind is 'The table that it was part of.';
comment on column sluice.archive.day is 'The first day of UTC of its partition.';
comment on column sluice.archive.part is
    'From 1. A day that was brought back and leaves again gets the next one.';
comment on column sluice.archive.id is 'Stands in the file''s manifest too.';
comment on column sluice.archive.state is
    'leaving: chosen, and perhaps detached. detached: a table by itself. gone: dropped. restored: '
    'its rows are in the table again. replaced: a later part holds its rows.';
comment on column sluice.archive.rows is 'How many; null until they were counted.';
comment on column sluice.archive.file is
    'Name of the file; null: there is none, because there were no rows or none was wanted.';
comment on column sluice.archive.directory is 'Where the file was written.';
comment on column sluice.archive.node is 'By which process.';
comment on column sluice.archive.bytes is 'Size of the file.';
comment on column sluice.archive.text_bytes is 'Size of what it holds, uncompressed.';
comment on column sluice.archive.sha256 is 'Of the file.';
comment on column sluice.archive.keep_until is
    'Of what was restored: until then it stays, however old.';
comment on column sluice.archive.changed_at is 'When it came to its state.';

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

create function sluice.is_out(of_kind text, of_day date) returns boolean
language sql stable
set search_path = pg_catalog
as $$
    select exists (
        select from sluice.archive a
        where a.kind = of_kind and a.day = sluice.first_day(of_day)
            and a.state in ('leaving', 'detached', 'gone'))
$$;
comment on function sluice.is_out is
    'A day left the tables, or is about to, and was not brought back whole.';

-- The first days apart from the others: of a sum with n the planner expects a third of all rows for
-- each bound of a range, not one in 200. With one day the second half is planned away.
create view sluice.day_partition as
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
comment on column sluice.day_partition.kind is 'The table it belongs to.';
comment on column sluice.day_partition.day is 'A day of UTC.';
comment on column sluice.day_partition.name is 'In schema sluice_partitions.';
comment on column sluice.day_partition.is_pending is
    'Being detached: the table does not show its rows any more.';

create function sluice.choose_partition_days(days integer) returns integer
language plpgsql
set search_path = pg_catalog
as $$
begin
    if days not between 1 and 31 then
        raise exception 'a partition holds 1 to 31 days'
            using errcode = 'invalid_parameter_value';
    end if;
    lock table sluice.day_turn in exclusive mode;
    if days <> sluice.partition_days()
        and not exists (select from sluice.day_partition)
        and not exists (select from sluice.archive)
    then
        execute format(
            'create or replace function sluice.partition_days() returns integer '
            'language sql immutable parallel safe return %s', days);
    end if;
    return sluice.partition_days();
end
$$;
comment on function sluice.choose_partition_days is
    'Chooses how many days a partition holds, while there is none; returns how many it is then.';

-- Asked of pg_inherits alone: Citus filters every row of pg_class, so a join with it took 120 ms on a
-- worker with 64 days.
create function sluice.missing_days(first_day date, last_day date)
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
comment on function sluice.missing_days is 'The partitions that ensure_days would make.';

-- A partition does not inherit the replica identity.
create function sluice.make_day_table(of_kind text, of_day date, extras text default '')
returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    name constant text := of_kind || to_char(of_day, '"_"YYYYMMDD');
begin
    -- A day is written once and never changed. So it is frozen by the first vacuum that
    -- passes, not read and written again years later; and vacuum waits for enough rows to be
    -- worth a pass while the day still grows.
    execute format(
        'create table sluice_partitions.%I ('
            'like sluice.%I including defaults including constraints including storage '
            'including compression including comments %s'
        ') with (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 100000, '
            'toast.autovacuum_freeze_min_age = 0)',
        name, of_kind, extras);
    execute format('alter table sluice_partitions.%I replica identity full', name);
end
$$;
comment on function sluice.make_day_table is 'Makes a table for a day, not attached to anything.';

create function sluice.attach_day_table(of_kind text, of_day date) returns void
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
comment on function sluice.attach_day_table is 'Makes a day''s table a partition.';

create function sluice.make_partition(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    perform sluice.make_day_table(of_kind, of_day);
    perform sluice.attach_day_table(of_kind, of_day);
end
$$;
comment on function sluice.make_partition is
    'Makes and attaches one partition. For those who hold the lock of ensure_days.';

-- CREATE TABLE … PARTITION OF would lock the parent against every COPY in flight. LIKE and ATTACH
-- take SHARE UPDATE EXCLUSIVE on it, which COPY does not notice. With the lock two callers take
-- turns; the second finds nothing missing. (In READ COMMITTED: under a stricter isolation it does
-- not see the first one's partitions and fails with 42P07.)
create function sluice.ensure_days(first_day date, last_day date) returns integer
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
    lock table sluice.day_turn in exclusive mode;
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
comment on function sluice.ensure_days is
    'Makes the missing partitions of all kinds for these UTC days; returns how many. Refuses days '
    'that left the tables (22008).';
