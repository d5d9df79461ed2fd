-- Sums by hour, made behind the commit. They take the place of the sums by minute (0011, 0016, 0022).
--
-- A group's transaction notes which hours of which devices it has readings for (rollup_due), and no
-- more. sluice.sum_hours sums such an hour from its rows, and removes the note in the same transaction.
-- So at any moment an hour has a note, or its sums are those of its rows; the views read the rows of
-- hours with a note, and the sums of all others. A reading that comes late makes a note again.
--
-- Both hold the device's row of device_state: an hour is not summed while a group adds to it. What is
-- summed is the whole hour, so it can be done any number of times. An hour whose rows left the tables
-- is not summed again, and rows don't leave before their hours are summed (begin_leaving,
-- end_leaving).
--
-- The sums of minutes that are there are added up here, once, in one transaction, without a look at the
-- readings. Lanes of older binaries can't write any more once that is done: they spool.

create table sluice.rollup_due (
    device_key bigint not null,
    hour timestamptz not null,
    kind text not null check (kind in ('gps', 'vital')),
    primary key (device_key, hour, kind)
);
comment on table sluice.rollup_due is
    'Hours with readings that gps_rollup and vital_rollup don''t have yet.';
comment on column sluice.rollup_due.device_key is 'The device.';
comment on column sluice.rollup_due.hour is 'Its beginning.';
comment on column sluice.rollup_due.kind is 'gps or vital.';

create function sluice.hour_of(t timestamptz) returns timestamptz
language sql immutable strict parallel safe
return pg_catalog.date_bin('1 hour', t, '0001-01-01 00:00:00+00');
comment on function sluice.hour_of is 'The beginning of its hour of UTC.';

-- The tables, under their old names.

-- In the order in which lanes lock them.
alter table sluice.vital_rollup rename to vital_minutes;
alter table sluice.gps_rollup rename to gps_minutes;

create table sluice.gps_rollup (
    device_key bigint not null,
    hour timestamptz not null,
    readings integer not null,
    first_minute smallint not null,
    last_minute smallint not null,
    metres double precision not null
) partition by range (hour);
create index gps_rollup_device_key_hour on sluice.gps_rollup (device_key, hour);
comment on table sluice.gps_rollup is 'Positions by device and hour: see analytics.distance_hour.';
comment on column sluice.gps_rollup.device_key is 'The device.';
comment on column sluice.gps_rollup.hour is 'Its beginning.';
comment on column sluice.gps_rollup.readings is 'Positions in it.';
comment on column sluice.gps_rollup.first_minute is 'Minute of the hour of the first one.';
comment on column sluice.gps_rollup.last_minute is 'Minute of the last one.';
comment on column sluice.gps_rollup.metres is
    'From the position before each of them to it, added up: along great circles.';

create table sluice.vital_rollup (
    device_key bigint not null,
    hour timestamptz not null,
    readings integer not null,
    code smallint not null,
    first_minute smallint not null,
    last_minute smallint not null,
    low double precision not null,
    high double precision not null,
    total double precision not null,
    last_val double precision not null
) partition by range (hour);
create index vital_rollup_device_key_hour on sluice.vital_rollup (device_key, hour);
comment on table sluice.vital_rollup is
    'Measurements by device, hour and code: see analytics.vital_hour.';
comment on column sluice.vital_rollup.device_key is 'The device.';
comment on column sluice.vital_rollup.hour is 'Its beginning.';
comment on column sluice.vital_rollup.readings is 'Measurements in it.';
comment on column sluice.vital_rollup.code is 'The metric.';
comment on column sluice.vital_rollup.first_minute is 'Minute of the hour of the first one.';
comment on column sluice.vital_rollup.last_minute is 'Minute of the last one.';
comment on column sluice.vital_rollup.low is 'The least of them.';
comment on column sluice.vital_rollup.high is 'The greatest of them.';
comment on column sluice.vital_rollup.total is 'Their sum.';
comment on column sluice.vital_rollup.last_val is
    'The last of them; of several at one time the greatest.';

comment on schema sluice_partitions is
    'The days of sluice.gps, sluice.vital, sluice.event and of the sums of two of them.';

-- The column behind the day's name, of a table and of the files that were made of it.
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
        to_char(of_day + 1, 'YYYY-MM-DD') || ' 00:00:00+00',
        column_name);
    return true;
end
$$;

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
    and c.relname ~ '_[0-9]{8}$';

-- Sums of minutes as they were: of positions, or of measurements in either of their two forms.
create function sluice.fold_minutes(minutes text, of_kind text, hours text) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    place constant text := 'floor(extract(epoch from %s(minute) - sluice.hour_of(min(minute))) / 60)';
begin
    if of_kind = 'gps_rollup' then
        execute format(
            'insert into %s (device_key, hour, readings, first_minute, last_minute, metres) '
            'select device_key, sluice.hour_of(minute), sum(readings), %s, %s, sum(metres) '
            'from %s group by 1, 2',
            hours, format(place, 'min'), format(place, 'max'), minutes);
    else
        execute format(
            'insert into %s (device_key, hour, readings, code, first_minute, last_minute, low, '
                'high, total, last_val) '
            'select device_key, sluice.hour_of(minute), sum(readings), code, %s, %s, min(low), '
                'max(high), sum(total), '
                '(array_agg(last_val order by last_t desc, last_val desc))[1] '
            'from ('
                'select r.device_key, r.minute, p.code, '
                    'coalesce(r.sums[p.place::integer][1]::integer, r.readings) as readings, '
                    'coalesce(r.sums[p.place::integer][2], r.low) as low, '
                    'coalesce(r.sums[p.place::integer][3], r.high) as high, '
                    'coalesce(r.sums[p.place::integer][4], r.total) as total, '
                    'coalesce(r.minute + r.sums[p.place::integer][5] * interval ''1 microsecond'', '
                        'r.last_t) as last_t, '
                    'coalesce(r.sums[p.place::integer][6], r.last_val) as last_val '
                'from %s r '
                'cross join lateral unnest(coalesce(r.codes, array[r.code])) '
                    'with ordinality p (code, place)'
            ') m group by 1, 2, code',
            hours, format(place, 'min'), format(place, 'max'), minutes);
    end if;
end
$$;
comment on function sluice.fold_minutes is
    'Adds sums of minutes up to hours: those from before step 24, and files of their days.';

do $$
declare
    old record;
    new_name text;
begin
    for old in
        select c.oid, c.relname::text as name,
            substring(c.relname from '([a-z]+_rollup)_[0-9]{8}$') as kind,
            to_date(right(c.relname, 8), 'YYYYMMDD') as day,
            exists (
                select from pg_catalog.pg_inherits i
                where i.inhrelid = c.oid and not i.inhdetachpending
            ) as is_attached
        from pg_catalog.pg_class c
        join pg_catalog.pg_attribute a
            on a.attrelid = c.oid and a.attname = 'minute' and not a.attisdropped
        where c.relnamespace = 'sluice_partitions'::regnamespace and c.relkind = 'r'
            and c.relname ~ '(gps|vital)_rollup_[0-9]{8}$'
        order by day, kind
    loop
        new_name := old.kind || to_char(old.day, '"_"YYYYMMDD');
        execute format('alter table sluice_partitions.%I rename to %I', old.name, 'old_' || old.oid);
        perform sluice.make_day_table(old.kind, old.day);
        perform sluice.fold_minutes(
            'sluice_partitions.old_' || old.oid, old.kind, 'sluice_partitions.' || new_name);
        if old.is_attached then
            perform sluice.attach_day_table(old.kind, old.day);
        end if;
        -- One that is about to leave.
        if new_name <> old.name then
            execute format('alter table sluice_partitions.%I rename to %I', new_name, old.name);
        end if;
        if not exists (select from pg_catalog.pg_inherits i where i.inhrelid = old.oid) then
            execute format('drop table sluice_partitions.%I', 'old_' || old.oid);
        end if;
    end loop;
end
$$;

-- Summing.

create procedure sluice.sum_hour(device bigint, of_hour timestamptz, of_kind text)
language plpgsql
set search_path = pg_catalog
-- So that a statement knows one day, and not all there are.
set plan_cache_mode = force_custom_plan
as $$
declare
    end_hour constant timestamptz := of_hour + interval '1 hour';
    start timestamptz;
begin
    if of_kind = 'vital' then
        delete from sluice.vital_rollup r where r.device_key = device and r.hour = of_hour;
        insert into sluice.vital_rollup (device_key, hour, readings, code, first_minute,
            last_minute, low, high, total, last_val)
        select v.device_key, of_hour, count(*), v.code,
            floor(extract(epoch from min(v.t) - of_hour) / 60),
            floor(extract(epoch from max(v.t) - of_hour) / 60),
            min(v.val), max(v.val), sum(v.val),
            (array_agg(v.val order by v.t desc, v.val desc))[1]
        from sluice.vital v
        where v.device_key = device and v.t >= of_hour and v.t < end_hour
        group by v.device_key, v.code;
        return;
    end if;
    delete from sluice.gps_rollup r where r.device_key = device and r.hour = of_hour;
    -- Where the way to the hour's first position begins: nearly always within a day.
    start := (
        select g.t from sluice.gps g
        where g.device_key = device and g.t < of_hour and g.t >= of_hour - interval '1 day'
        order by g.t desc limit 1);
    if start is null then
        start := (
            select g.t from sluice.gps g
            where g.device_key = device and g.t < of_hour
            order by g.t desc limit 1);
    end if;
    start := coalesce(start, of_hour);
    insert into sluice.gps_rollup (device_key, hour, readings, first_minute, last_minute, metres)
    select w.device_key, of_hour, count(*),
        floor(extract(epoch from min(w.t) - of_hour) / 60),
        floor(extract(epoch from max(w.t) - of_hour) / 60), coalesce(sum(w.metres), 0)
    from (
        select g.device_key, g.t, sluice.metres_between(
            lag(g.lat) over way, lag(g.lon) over way, g.lat, g.lon) as metres
        from sluice.gps g
        where g.device_key = device and g.t >= start and g.t < end_hour
        window way as (partition by g.device_key order by g.t, g.lat, g.lon)
    ) w
    where w.t >= of_hour
    group by w.device_key;
end
$$;
comment on procedure sluice.sum_hour is
    'Makes the sums of an hour from its rows. For those who hold the row of device_state.';

create function sluice.sum_hours(
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
    -- Days that are about to leave wait: they are turned round. Of those that are gone the sums are
    -- all there is.
    leaving constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state in ('leaving', 'detached'));
    gone constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state = 'gone');
begin
    -- A commit that a crash takes back is made again.
    perform set_config('synchronous_commit', 'off', true);
    select d.device_key into key from sluice.rollup_due d
    where d.device_key > after_key and d.hour >= from_hour and d.hour < to_hour
    order by d.device_key limit 1;
    -- Whoever stores readings of the device has its row: then another time.
    perform from sluice.device_state s where s.device_key = key for update skip locked;
    if not found then
        return key;
    end if;
    for due in
        select d.hour, d.kind, d.kind || (d.hour at time zone 'UTC')::date as day
        from sluice.rollup_due d
        where d.device_key = key and d.hour >= from_hour and d.hour < to_hour
            and d.kind || (d.hour at time zone 'UTC')::date <> all (leaving)
        order by d.hour, d.kind limit hours_max
    loop
        summed := summed + 1;
        delete from sluice.rollup_due d
        where d.device_key = key and d.hour = due.hour and d.kind = due.kind;
        if due.day <> all (gone) then
            call sluice.sum_hour(key, due.hour, due.kind);
        end if;
    end loop;
    return case when summed < hours_max then key else key - 1 end;
end
$$;
comment on function sluice.sum_hours is
    'Sums a few hours that are due, of one device. Returns the key to go on behind in another '
    'transaction; null: that was all. A device whose readings are being stored is left out.';

-- A position that comes late changes the way to the one behind it, in whatever hour that is. Called
-- behind the COPY of the rows, by a transaction that holds the devices' rows of device_state.
create procedure sluice.note_next_hours(device_keys bigint[], hours timestamptz[])
language plpgsql
set search_path = pg_catalog
as $$
declare
    late record;
    next_hour timestamptz;
begin
    for late in select * from unnest(device_keys, hours) as s (device_key, hour) loop
        next_hour := sluice.hour_of((
            select g.t from sluice.gps g
            where g.device_key = late.device_key and g.t >= late.hour + interval '1 hour'
            order by g.t limit 1));
        if next_hour is not null then
            insert into sluice.rollup_due (device_key, hour, kind)
            values (late.device_key, next_hour, 'gps')
            on conflict do nothing;
        end if;
    end loop;
end
$$;
comment on procedure sluice.note_next_hours is
    'Notes the hours of the positions that come behind these hours.';

-- By hand, where rows were changed by hand, or stored while there were no sums.
drop function sluice.rebuild_rollups(date, bigint, integer);
create function sluice.rebuild_rollups(of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    start constant timestamptz := of_day::timestamp at time zone 'UTC';
    stop constant timestamptz := (of_day + 1)::timestamp at time zone 'UTC';
begin
    perform sluice.ensure_days(of_day, of_day);
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct g.device_key, sluice.hour_of(g.t), 'gps' from sluice.gps g
    where g.t >= start and g.t < stop
    on conflict do nothing;
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct v.device_key, sluice.hour_of(v.t), 'vital' from sluice.vital v
    where v.t >= start and v.t < stop
    on conflict do nothing;
    -- Hours that have lost their rows.
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct r.device_key, r.hour, 'gps' from sluice.gps_rollup r
    where r.hour >= start and r.hour < stop
    on conflict do nothing;
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct r.device_key, r.hour, 'vital' from sluice.vital_rollup r
    where r.hour >= start and r.hour < stop
    on conflict do nothing;
end
$$;
comment on function sluice.rebuild_rollups is
    'Notes all hours of a day as due; until they are summed the views read their rows.';

-- Days that leave. Rows go to where their sums can't be made any more, so they are made before; what
-- was stored between that and the moment when the day is a table by itself turns it round.

create function sluice.is_due(of_kind text, of_day date) returns boolean
language sql stable
set search_path = pg_catalog
as $$
    select exists (
        select from sluice.rollup_due d
        where d.kind = of_kind and d.hour >= of_day::timestamp at time zone 'UTC'
            and d.hour < (of_day + 1)::timestamp at time zone 'UTC')
$$;
comment on function sluice.is_due is 'Hours of that day of gps or vital are not summed yet.';

create function sluice.refuse_due(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    if sluice.is_due(of_kind, of_day) then
        raise exception 'hours of % of % are not summed yet', of_kind, of_day
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
comment on function sluice.refuse_due is 'Fails for a day of which hours are not summed yet.';

create or replace function sluice.begin_leaving(of_kind text, of_day date) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    next_part constant integer := (
        select coalesce(max(a.part), 0) + 1 from sluice.archive a
        where a.kind = of_kind and a.day = of_day);
begin
    execute format(
        'alter table sluice_partitions.%I rename to %I',
        of_kind || to_char(of_day, '"_"YYYYMMDD'),
        sluice.leaving_name(of_kind, of_day, next_part));
    perform sluice.refuse_due(of_kind, of_day);
    insert into sluice.archive (kind, day, part, state)
    values (of_kind, of_day, next_part, 'leaving');
    return next_part;
end
$$;

create or replace function sluice.end_leaving(
    of_kind text, of_day date, of_part integer, of_rows bigint, of_file text, of_directory text,
    of_node text, of_bytes bigint, of_text_bytes bigint, of_sha256 bytea
) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    perform sluice.refuse_due(of_kind, of_day);
    execute format(
        'drop table sluice_partitions.%I', sluice.leaving_name(of_kind, of_day, of_part));
    -- What had been brought back left with this part. Where that has a file, the older files hold
    -- nothing more; where it has none, they are all there is.
    update sluice.archive a set
        state = case
            when of_file is null and of_rows > 0 and a.file is not null then 'gone'
            else 'replaced'
        end,
        keep_until = null, changed_at = now()
    where a.kind = of_kind and a.day = of_day and a.part < of_part and a.state = 'restored';
    update sluice.archive a set
        state = 'gone', rows = of_rows, file = of_file, directory = of_directory, node = of_node,
        bytes = of_bytes, text_bytes = of_text_bytes, sha256 = of_sha256, changed_at = now()
    where a.kind = of_kind and a.day = of_day and a.part = of_part and a.state = 'detached';
    if not found then
        raise exception 'part % of % % is not detached', of_part, of_kind, of_day
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;

-- Views. Hours first as they are, of both kinds: sums, and rows of hours that are due. The device is
-- inside of both halves, so that a filter on it reaches their indexes; the hour is a column of both,
-- so that a filter on it reaches the days. The rows of an hour are grouped in a subquery of their own,
-- which is always a look at one hour by the index.

create view sluice.vital_hours as
select r.device_key, d.device_id, d.user_id, r.hour, r.readings::bigint as readings, r.code,
    r.first_minute, r.last_minute, r.low, r.high, r.total, r.last_val
from sluice.vital_rollup r
join sluice.device d using (device_key)
where not exists (
    select from sluice.rollup_due w
    where w.device_key = r.device_key and w.hour = r.hour and w.kind = 'vital')
union all
select w.device_key, d.device_id, d.user_id, w.hour, v.readings, v.code, v.first_minute,
    v.last_minute, v.low, v.high, v.total, v.last_val
from sluice.rollup_due w
join sluice.device d using (device_key)
cross join lateral (
    select count(*) as readings, v.code,
        floor(extract(epoch from min(v.t) - w.hour) / 60)::smallint as first_minute,
        floor(extract(epoch from max(v.t) - w.hour) / 60)::smallint as last_minute,
        min(v.val) as low, max(v.val) as high, sum(v.val) as total,
        (array_agg(v.val order by v.t desc, v.val desc))[1] as last_val
    from sluice.vital v
    where v.device_key = w.device_key and v.t >= w.hour and v.t < w.hour + interval '1 hour'
    group by v.code
) v
where w.kind = 'vital';
comment on view sluice.vital_hours is 'vital_rollup, and the hours that it does not have yet.';

create view sluice.gps_hours as
select r.device_key, d.device_id, d.user_id, r.hour, r.readings::bigint as readings,
    r.first_minute, r.last_minute, r.metres
from sluice.gps_rollup r
join sluice.device d using (device_key)
where not exists (
    select from sluice.rollup_due w
    where w.device_key = r.device_key and w.hour = r.hour and w.kind = 'gps')
union all
select w.device_key, d.device_id, d.user_id, w.hour, p.readings, p.first_minute, p.last_minute,
    p.metres
from sluice.rollup_due w
join sluice.device d using (device_key)
cross join lateral (
    select count(*) as readings,
        floor(extract(epoch from min(o.t) - w.hour) / 60)::smallint as first_minute,
        floor(extract(epoch from max(o.t) - w.hour) / 60)::smallint as last_minute,
        coalesce(sum(o.metres), 0) as metres
    from (
        select g.t, sluice.metres_between(
            case when lag(g.t) over way is null then b.lat else lag(g.lat) over way end,
            case when lag(g.t) over way is null then b.lon else lag(g.lon) over way end,
            g.lat, g.lon) as metres
        from sluice.gps g
        left join lateral (
            select p.lat, p.lon from sluice.gps p
            where p.device_key = w.device_key and p.t < w.hour
            order by p.t desc, p.lat desc, p.lon desc limit 1
        ) b on true
        where g.device_key = w.device_key and g.t >= w.hour and g.t < w.hour + interval '1 hour'
        window way as (order by g.t, g.lat, g.lon)
    ) o
    having count(*) > 0
) p
where w.kind = 'gps';
comment on view sluice.gps_hours is 'gps_rollup, and the hours that it does not have yet.';

create or replace view analytics.vital_hour as
select r.device_id, r.user_id, r.hour as time, r.code, m.name as metric, m.unit, r.readings,
    r.low, r.high, r.total, r.total / r.readings as mean, r.last_val as last_value
from sluice.vital_hours r
left join sluice.metric m using (code);
comment on view analytics.vital_hour is
    'Measurements by device, metric and hour of UTC, up to date with every commit.';

create or replace view analytics.distance_hour as
select r.device_id, r.user_id, r.hour as time, r.readings as positions, r.metres
from sluice.gps_hours r;

-- Minutes, from the rows: for as long as these stay. The time of a minute is made of a day and a
-- number, not of the rows. So a filter on it, also one that is known only when the query runs, leaves
-- no minutes of the other days, and a join with no minutes ends before it reads a day (but for a row
-- of the first one). A plan is good for a whole fleet and for one device because of three things that
-- look idle:
--   - "offset 0": the day is worked out once, not for every row that is compared with it.
--   - end_minute_again: a range with two unknown ends passes for 1/200 of a table, whose rows the
--     planner would fetch by the index, one by one.
--   - The bounds of h.time: with them the planner reckons with five minutes, whatever the filter.
--     With one, it would read the day again for each.

create or replace view analytics.vital_minute as
select v.device_id, v.user_id, v.time, v.code, v.metric, v.unit, v.readings, v.low, v.high, v.total,
    v.mean, v.last_value
from (
    select distinct p.day::timestamp at time zone 'UTC' as first_minute,
        (p.day + 1)::timestamp at time zone 'UTC' as end_minute,
        p.day::timestamp at time zone 'UTC' + interval '24 hours' as end_minute_again
    from sluice.day_partition p
    where p.kind = 'vital'
    offset 0
) n
cross join lateral (
    select d.device_id, d.user_id, h.time, r.code, m.name as metric, m.unit,
        count(*) as readings, min(r.val) as low, max(r.val) as high, sum(r.val) as total,
        sum(r.val) / count(*) as mean,
        (array_agg(r.val order by r.t desc, r.val desc))[1] as last_value
    from pg_catalog.generate_series(n.first_minute, n.end_minute, '1 minute') h (time)
    join sluice.vital r on sluice.minute_of(r.t) = h.time
    join sluice.device d using (device_key)
    left join sluice.metric m using (code)
    where h.time >= n.first_minute and h.time < n.end_minute
        and r.t >= n.first_minute and (r.t < n.end_minute or r.t < n.end_minute_again)
    group by d.device_key, h.time, r.code, m.code
) v;
comment on view analytics.vital_minute is
    'Measurements by device, metric and minute, from the readings: none of days that left the tables. '
    'A filter on time reaches the days, not the minutes of a day: name devices too.';

create or replace view analytics.distance_minute as
select v.device_id, v.user_id, v.time, v.positions, v.metres
from (
    select distinct p.day::timestamp at time zone 'UTC' as first_minute,
        (p.day + 1)::timestamp at time zone 'UTC' as end_minute,
        p.day::timestamp at time zone 'UTC' + interval '24 hours' as end_minute_again
    from sluice.day_partition p
    where p.kind = 'gps'
    offset 0
) n
cross join lateral (
    select o.device_id, o.user_id, h.time, count(*) as positions,
        coalesce(sum(o.metres), 0) as metres
    from pg_catalog.generate_series(
        n.first_minute, n.end_minute - interval '1 minute', '1 minute') h (time)
    join (
        select d.device_id, d.user_id, sluice.minute_of(g.t) as minute,
            case when lag(g.t) over way is null then (
                select sluice.metres_between(p.lat, p.lon, g.lat, g.lon) from sluice.gps p
                where p.device_key = g.device_key and p.t < n.first_minute
                order by p.t desc, p.lat desc, p.lon desc limit 1
            ) else sluice.metres_between(lag(g.lat) over way, lag(g.lon) over way, g.lat, g.lon)
            end as metres
        from sluice.gps g
        join sluice.device d using (device_key)
        where g.t >= n.first_minute and (g.t < n.end_minute or g.t < n.end_minute_again)
        window way as (partition by d.device_id, d.user_id order by g.t, g.lat, g.lon)
    ) o on o.minute = h.time
    group by o.device_id, o.user_id, h.time
) v;
comment on view analytics.distance_minute is
    'Distance travelled by device and minute: from each position to the next along a great circle. '
    'The way between two minutes counts for the later one. From the positions: none of days that left '
    'the tables.';

-- Days: those of the rows, and of the sums, which may stay when their rows have left.

create or replace view analytics.vital_day as
select v.device_id, v.user_id, n.day, v.code, m.name as metric, m.unit, v.readings, v.low, v.high,
    v.total, v.total / v.readings as mean, v.last_value
from (
    select distinct p.day, p.day::timestamp at time zone 'UTC' as start,
        (p.day + 1)::timestamp at time zone 'UTC' as stop
    from sluice.day_partition p
    where p.kind in ('vital', 'vital_rollup')
) n
cross join lateral (
    select r.device_id, r.user_id, r.code, sum(r.readings)::bigint as readings, min(r.low) as low,
        max(r.high) as high, sum(r.total) as total,
        (array_agg(r.last_val order by r.hour desc))[1] as last_value
    from sluice.vital_hours r
    where r.hour >= n.start and r.hour < n.stop
    group by r.device_id, r.user_id, r.code
) v
left join sluice.metric m using (code);
comment on view analytics.vital_day is
    'Measurements by device, metric and day of UTC, added up from the hours. Filter on day, or on '
    'devices.';

create or replace view analytics.device_day as
select r.device_id, r.user_id, n.day, r.positions, r.metres, r.vitals, r.events, r.span
from (
    select distinct p.day, p.day::timestamp at time zone 'UTC' as start,
        (p.day + 1)::timestamp at time zone 'UTC' as stop
    from sluice.day_partition p
) n
cross join lateral (
    select p.device_id, p.user_id, sum(p.positions)::bigint as positions, sum(p.metres) as metres,
        sum(p.vitals)::bigint as vitals, sum(p.events)::bigint as events,
        max(p.last) - min(p.first) + interval '1 minute' as span
    from (
        select g.device_id, g.user_id, g.readings as positions, g.metres, 0 as vitals, 0 as events,
            g.hour + g.first_minute * interval '1 minute' as first,
            g.hour + g.last_minute * interval '1 minute' as last
        from sluice.gps_hours g
        where g.hour >= n.start and g.hour < n.stop
        union all
        select v.device_id, v.user_id, 0, 0, v.readings, 0,
            v.hour + v.first_minute * interval '1 minute',
            v.hour + v.last_minute * interval '1 minute'
        from sluice.vital_hours v
        where v.hour >= n.start and v.hour < n.stop
        union all
        select d.device_id, d.user_id, 0, 0, 0, 1, null, null
        from sluice.event e
        join sluice.device d using (device_key)
        where e.t >= n.start and e.t < n.stop
    ) p
    group by p.device_id, p.user_id
) r;
comment on view analytics.device_day is
    'What each device has of each day of UTC; days without readings are left out. Positions and '
    'measurements stay when their rows have left the tables, events do not. Filter on day, or on '
    'devices.';
comment on column analytics.device_day.metres is
    'Distance travelled, as in distance_hour: the way over midnight counts for the later day.';

-- What is not used any more.

drop view sluice.vital_part;
drop table sluice.vital_minutes, sluice.gps_minutes, sluice.rollup_day;
drop function sluice.compact_rollups(date, bigint, integer);
drop function sluice.days_to_compact();
drop procedure sluice.rebuild_tracks(bigint[], timestamptz[], timestamptz[]);
drop procedure sluice.rebuild_track(bigint, timestamptz, timestamptz);
-- On Citus a view that `migrate --citus` has made may hold them still.
do $$
begin
    alter table sluice.device_state
        drop column gps_lat, drop column gps_lon,
        drop column gps_lat_before, drop column gps_lon_before;
exception when dependent_objects_still_exist then
    null;
end
$$;
