-- All codes of a minute in one row: what a part costs is the row and its place in the index, far
-- more than the sums in it.
--
-- Rows of the form before, one code each, stay as they are and count as before: binaries that know
-- no other go on writing them, archives have them, and sluice.compact_rollups makes one row of both.

alter table sluice.vital_rollup
    add column codes smallint[],
    add column sums double precision[],
    alter column code drop not null,
    alter column low drop not null,
    alter column high drop not null,
    alter column total drop not null,
    alter column last_t drop not null,
    alter column last_val drop not null;
comment on table sluice.vital_rollup is
    'Measurements by device and minute, in parts: see sluice.vital_part, analytics.vital_minute.';
comment on column sluice.vital_rollup.readings is 'Measurements in this part, of all its codes.';
comment on column sluice.vital_rollup.codes is 'The metrics; null: only one, which is in code.';
comment on column sluice.vital_rollup.sums is
    'For each of codes: measurements, least, greatest, sum, microseconds from the beginning of the '
    'minute to the last of them, and that one; of several at one time the greatest.';
comment on column sluice.vital_rollup.code is
    'The metric, and behind it low to last_val, of a part of one metric in the form before.';

-- Days that are being detached or brought back must fit again.
do $$
declare
    apart regclass;
begin
    for apart in
        select c.oid
        from pg_catalog.pg_class c
        join pg_catalog.pg_attribute a
            on a.attrelid = c.oid and a.attname = 'last_val' and not a.attisdropped
        where c.relnamespace = 'sluice_partitions'::regnamespace and c.relkind = 'r'
            and not c.relispartition
    loop
        execute format(
            'alter table %s '
                'add column codes smallint[], add column sums double precision[], '
                'alter column code drop not null, alter column low drop not null, '
                'alter column high drop not null, alter column total drop not null, '
                'alter column last_t drop not null, alter column last_val drop not null',
            apart);
    end loop;
end
$$;

create view sluice.vital_part as
select r.device_key, r.minute, p.code,
    coalesce(r.sums[p.place::integer][1]::integer, r.readings) as readings,
    coalesce(r.sums[p.place::integer][2], r.low) as low,
    coalesce(r.sums[p.place::integer][3], r.high) as high,
    coalesce(r.sums[p.place::integer][4], r.total) as total,
    coalesce(r.minute + r.sums[p.place::integer][5] * interval '1 microsecond', r.last_t)
        as last_t,
    coalesce(r.sums[p.place::integer][6], r.last_val) as last_val
from sluice.vital_rollup r
cross join lateral unnest(coalesce(r.codes, array[r.code])) with ordinality p (code, place);
comment on view sluice.vital_part is
    'The parts of vital_rollup by code, of either form; the views of analytics add them up.';
comment on column sluice.vital_part.device_key is 'The device.';
comment on column sluice.vital_part.minute is 'Its beginning.';
comment on column sluice.vital_part.code is 'The metric.';
comment on column sluice.vital_part.readings is 'Measurements of it in this part.';
comment on column sluice.vital_part.low is 'The least of them.';
comment on column sluice.vital_part.high is 'The greatest of them.';
comment on column sluice.vital_part.total is 'Their sum.';
comment on column sluice.vital_part.last_t is 'When the last of them was made.';
comment on column sluice.vital_part.last_val is
    'The last of them; of several at one time the greatest.';

create or replace function sluice.compact_rollups(
    of_day date, after_key bigint default -9223372036854775808, count_max integer default 100
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    first_minute constant timestamptz := of_day::timestamp at time zone 'UTC';
    end_minute constant timestamptz := (of_day + 1)::timestamp at time zone 'UTC';
    keys bigint[];
    key bigint;
begin
    keys := array(
        select k from (
            select unnest(sluice.devices_of_day(
                'sluice.vital_rollup', 'minute', of_day, after_key, count_max)) as k
            union
            select unnest(sluice.devices_of_day(
                'sluice.gps_rollup', 'minute', of_day, after_key, count_max))
        ) u
        order by k limit count_max);
    -- One by one, so that they are locked in the order of all other writers; the rows of each
    -- are then looked at by a statement that sees what was committed before.
    foreach key in array keys loop
        perform from sluice.device_state s where s.device_key = key for update;
        with many as materialized (
            select r.minute from sluice.vital_rollup r
            where r.device_key = key and r.minute >= first_minute and r.minute < end_minute
            group by r.minute
            having count(*) > 1
        ), parts as materialized (
            select r.* from sluice.vital_part r join many using (minute)
            where r.device_key = key and r.minute >= first_minute and r.minute < end_minute
        ), gone as (
            delete from sluice.vital_rollup r using many
            where r.device_key = key and r.minute = many.minute
                and r.minute >= first_minute and r.minute < end_minute
        )
        insert into sluice.vital_rollup (device_key, minute, readings, codes, sums)
        select key, m.minute, sum(m.readings)::integer, array_agg(m.code order by m.code),
            array_agg(
                array[
                    m.readings, m.low, m.high, m.total,
                    extract(epoch from m.last_t - m.minute) * 1000000, m.last_val
                ]::double precision[] order by m.code)
        from (
            select p.minute, p.code, sum(p.readings) as readings, min(p.low) as low,
                max(p.high) as high, sum(p.total) as total, max(p.last_t) as last_t,
                (array_agg(p.last_val order by p.last_t desc, p.last_val desc))[1] as last_val
            from parts p
            group by p.minute, p.code
        ) m
        group by m.minute;
        with many as materialized (
            select r.minute from sluice.gps_rollup r
            where r.device_key = key and r.minute >= first_minute and r.minute < end_minute
            group by r.minute
            having count(*) > 1
        ), gone as (
            delete from sluice.gps_rollup r using many
            where r.device_key = key and r.minute = many.minute
                and r.minute >= first_minute and r.minute < end_minute
            returning r.*
        )
        insert into sluice.gps_rollup
        select g.device_key, g.minute, sum(g.readings)::integer, sum(g.metres)
        from gone g
        group by g.device_key, g.minute;
    end loop;
    return keys[count_max];
end
$$;

create or replace function sluice.rebuild_rollups(
    of_day date, after_key bigint default -9223372036854775808, count_max integer default 100
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    first_minute constant timestamptz := of_day::timestamp at time zone 'UTC';
    end_minute constant timestamptz := (of_day + 1)::timestamp at time zone 'UTC';
    keys bigint[];
    key bigint;
begin
    perform sluice.ensure_days(of_day, of_day);
    keys := array(
        select k from (
            select unnest(sluice.devices_of_day(
                'sluice.vital', 't', of_day, after_key, count_max)) as k
            union
            select unnest(sluice.devices_of_day('sluice.gps', 't', of_day, after_key, count_max))
            union
            select unnest(sluice.devices_of_day(
                'sluice.vital_rollup', 'minute', of_day, after_key, count_max))
            union
            select unnest(sluice.devices_of_day(
                'sluice.gps_rollup', 'minute', of_day, after_key, count_max))
        ) u
        order by k limit count_max);
    foreach key in array keys loop
        perform from sluice.device_state s where s.device_key = key for update;
        delete from sluice.vital_rollup r
        where r.device_key = key and r.minute >= first_minute and r.minute < end_minute;
        insert into sluice.vital_rollup (device_key, minute, readings, codes, sums)
        select key, m.minute, sum(m.readings)::integer, array_agg(m.code order by m.code),
            array_agg(
                array[
                    m.readings, m.low, m.high, m.total,
                    extract(epoch from m.last_t - m.minute) * 1000000, m.last_val
                ]::double precision[] order by m.code)
        from (
            select sluice.minute_of(v.t) as minute, v.code, count(*) as readings,
                min(v.val) as low, max(v.val) as high, sum(v.val) as total, max(v.t) as last_t,
                (array_agg(v.val order by v.t desc, v.val desc))[1] as last_val
            from sluice.vital v
            where v.device_key = key and v.t >= first_minute and v.t < end_minute
            group by 1, 2
        ) m
        group by m.minute;
        delete from sluice.gps_rollup r
        where r.device_key = key and r.minute >= first_minute and r.minute < end_minute;
        insert into sluice.gps_rollup
        select key, p.minute, p.readings, p.metres
        from sluice.track_parts(key, first_minute, end_minute) p;
    end loop;
    return keys[count_max];
end
$$;

create or replace view analytics.vital_minute as
select d.device_id, d.user_id, r.minute as time, r.code, m.name as metric, m.unit,
    sum(r.readings) as readings, min(r.low) as low, max(r.high) as high, sum(r.total) as total,
    sum(r.total) / sum(r.readings) as mean,
    (array_agg(r.last_val order by r.last_t desc, r.last_val desc))[1] as last_value
from sluice.vital_part r
join sluice.device d using (device_key)
left join sluice.metric m using (code)
group by d.device_key, r.minute, r.code, m.code;

create or replace view analytics.vital_hour as
select d.device_id, d.user_id,
    pg_catalog.date_bin('1 hour', r.minute, '0001-01-01 00:00:00+00') as time,
    r.code, m.name as metric, m.unit,
    sum(r.readings) as readings, min(r.low) as low, max(r.high) as high, sum(r.total) as total,
    sum(r.total) / sum(r.readings) as mean,
    (array_agg(r.last_val order by r.last_t desc, r.last_val desc))[1] as last_value
from sluice.vital_part r
join sluice.device d using (device_key)
left join sluice.metric m using (code)
group by d.device_key, 3, r.code, m.code;

create or replace view analytics.vital_day as
select d.device_id, d.user_id, n.day, v.code, m.name as metric, m.unit, v.readings, v.low, v.high,
    v.total, v.total / v.readings as mean, v.last_value
from (select day from analytics.stored_day where kind = 'vital') n
cross join sluice.device d
cross join lateral (
    select r.code, sum(r.readings) as readings, min(r.low) as low, max(r.high) as high,
        sum(r.total) as total,
        (array_agg(r.last_val order by r.last_t desc, r.last_val desc))[1] as last_value
    from sluice.vital_part r
    where r.device_key = d.device_key and r.minute >= n.day::timestamp at time zone 'UTC'
        and r.minute < (n.day + 1)::timestamp at time zone 'UTC'
    group by r.code
) v
left join sluice.metric m using (code);
