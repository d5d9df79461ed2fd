-- Readings summed up by minute, kept in the transaction that stores them.
--
-- What is stored are parts: a group adds what it has for a device and minute as rows of its own, by
-- COPY like the readings, and locks nothing. The views add the parts up; sluice.compact_rollups
-- makes one row of many once a day is over, so that the views have less to add. Every sum but one
-- comes out the same in whatever order its parts came. The one is the distance between positions:
-- a position that comes late changes what its neighbours added, so its minutes are then taken from
-- the rows again (rebuild_tracks), in the same transaction.
--
-- Two who take away parts of one device, or replace them, take turns: both hold the device's row of
-- device_state. Writers of groups hold it anyway.

create table sluice.vital_rollup (
    device_key bigint not null,
    minute timestamptz not null,
    code smallint not null,
    readings integer not null,
    low double precision not null,
    high double precision not null,
    total double precision not null,
    last_t timestamptz not null,
    last_val double precision not null
) partition by range (minute);
create index vital_rollup_device_key_minute on sluice.vital_rollup (device_key, minute);
comment on table sluice.vital_rollup is
    'Measurements by device, minute and code, in parts: see analytics.vital_minute.';
comment on column sluice.vital_rollup.device_key is 'The device.';
comment on column sluice.vital_rollup.minute is 'Its beginning.';
comment on column sluice.vital_rollup.code is 'The metric.';
comment on column sluice.vital_rollup.readings is 'Measurements in this part.';
comment on column sluice.vital_rollup.low is 'The least of them.';
comment on column sluice.vital_rollup.high is 'The greatest of them.';
comment on column sluice.vital_rollup.total is 'Their sum.';
comment on column sluice.vital_rollup.last_t is 'When the last of them was made.';
comment on column sluice.vital_rollup.last_val is
    'The last of them; of several at one time the greatest.';

create table sluice.gps_rollup (
    device_key bigint not null,
    minute timestamptz not null,
    readings integer not null,
    metres double precision not null
) partition by range (minute);
create index gps_rollup_device_key_minute on sluice.gps_rollup (device_key, minute);
comment on table sluice.gps_rollup is
    'Positions by device and minute, in parts: see analytics.distance_minute.';
comment on column sluice.gps_rollup.device_key is 'The device.';
comment on column sluice.gps_rollup.minute is 'Its beginning.';
comment on column sluice.gps_rollup.readings is 'Positions in this part.';
comment on column sluice.gps_rollup.metres is
    'From the position before each of them to it, added up: along great circles.';

-- Where the next position's way begins. Null: not known, or rollups were switched off when it was
-- stored; the way is then taken from the rows.
alter table sluice.device_state
    add column gps_lat double precision,
    add column gps_lon double precision,
    add column gps_lat_before double precision,
    add column gps_lon_before double precision;
comment on column sluice.device_state.gps_lat is
    'Latitude of the newest position; of several at that time the greatest. Null: not noted.';
comment on column sluice.device_state.gps_lon is 'Its longitude.';
comment on column sluice.device_state.gps_lat_before is 'gps_lat before the last commit.';
comment on column sluice.device_state.gps_lon_before is 'gps_lon before the last commit.';

create or replace function sluice.missing_days(first_day date, last_day date)
returns table (kind text, day date, partition text)
language sql stable
set search_path = pg_catalog
as $$
    select k.kind, first_day + n, k.kind || to_char(first_day + n, '"_"YYYYMMDD')
    from generate_series(0, last_day - first_day) n
    cross join unnest(array['gps', 'vital', 'event', 'gps_rollup', 'vital_rollup'])
        with ordinality k (kind, place)
    where not exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('sluice.' || k.kind)::regclass
            and c.relname = k.kind || to_char(first_day + n, '"_"YYYYMMDD')
    )
    order by n, k.place
$$;
comment on schema sluice_partitions is
    'The days of sluice.gps, sluice.vital, sluice.event and of their rollups.';

-- Not pg_catalog.date_trunc: that one asks the session's time zone, whose minutes may begin at odd
-- seconds.
create function sluice.minute_of(t timestamptz) returns timestamptz
language sql immutable strict parallel safe
return pg_catalog.date_bin('1 minute', t, '0001-01-01 00:00:00+00');
comment on function sluice.minute_of is 'The beginning of its minute.';

create function sluice.metres_between(
    lat1 double precision, lon1 double precision, lat2 double precision, lon2 double precision
) returns double precision
language sql immutable strict parallel safe
return 2 * 6371008.8 * asin(least(1, sqrt(
    power(sin(radians(lat2 - lat1) / 2), 2)
    + cos(radians(lat1)) * cos(radians(lat2)) * power(sin(radians(lon2 - lon1) / 2), 2))));
comment on function sluice.metres_between is
    'Along the great circle, on a sphere of the earth''s mean radius (haversine).';

-- The positions of a device from a minute on, up to but not including another, as parts.
create function sluice.track_parts(
    device bigint, from_minute timestamptz, to_minute timestamptz
) returns table (minute timestamptz, readings integer, metres double precision)
language sql stable
set search_path = pg_catalog
as $$
    with before as (
        select g.t, g.lat, g.lon from sluice.gps g
        where g.device_key = device and g.t < from_minute
        order by g.t desc, g.lat desc, g.lon desc
        limit 1
    ), track as (
        select g.t, g.lat, g.lon from sluice.gps g
        where g.device_key = device and g.t >= from_minute and g.t < to_minute
        union all
        select b.t, b.lat, b.lon from before b
    ), ways as (
        select t, sluice.metres_between(lag(lat) over way, lag(lon) over way, lat, lon) as metres
        from track
        window way as (order by t, lat, lon)
    )
    select sluice.minute_of(t), count(*)::integer, coalesce(sum(metres), 0)
    from ways
    where t >= from_minute
    group by 1
$$;
comment on function sluice.track_parts is 'What gps_rollup should say, from the rows.';

-- Called behind the COPY of the rows, by a transaction that holds the devices' rows of device_state.
create procedure sluice.rebuild_tracks(
    device_keys bigint[], firsts timestamptz[], lasts timestamptz[]
)
language plpgsql
set search_path = pg_catalog
as $$
declare
    track record;
    from_minute timestamptz;
    to_minute timestamptz;
begin
    for track in
        select * from unnest(device_keys, firsts, lasts) as s (device_key, first, last)
    loop
        from_minute := sluice.minute_of(track.first);
        -- The position behind the last one has another way now.
        to_minute := sluice.minute_of(coalesce((
            select g.t from sluice.gps g
            where g.device_key = track.device_key and g.t > track.last
            order by g.t
            limit 1
        ), track.last)) + interval '1 minute';
        delete from sluice.gps_rollup r
        where r.device_key = track.device_key
            and r.minute >= from_minute and r.minute < to_minute;
        insert into sluice.gps_rollup (device_key, minute, readings, metres)
        select track.device_key, p.minute, p.readings, p.metres
        from sluice.track_parts(track.device_key, from_minute, to_minute) p;
        update sluice.device_state s set gps_lat = g.lat, gps_lon = g.lon
        from (
            select n.lat, n.lon
            from sluice.gps n, sluice.device_state d
            where d.device_key = track.device_key
                and n.device_key = d.device_key and n.t = d.gps_until
            order by n.lat desc, n.lon desc
            limit 1
        ) g
        where s.device_key = track.device_key;
    end loop;
end
$$;
comment on procedure sluice.rebuild_tracks is
    'Takes the distances of these devices from the rows, where positions came late.';

-- Devices that have anything in a day's partition, in order; found by their index, one step each.
create function sluice.devices_of_day(
    of_table regclass, time_column name, day date, after_key bigint, count_max integer
) returns bigint[]
language plpgsql stable
set search_path = pg_catalog
as $$
declare
    keys bigint[] := '{}';
    key bigint := after_key;
begin
    loop
        execute format(
            'select device_key from %s where %I >= $1 and %I < $2 and device_key > $3 '
                'order by device_key limit 1', of_table, time_column, time_column)
        into key
        using day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC', key;
        exit when key is null or cardinality(keys) >= count_max;
        keys := keys || key;
    end loop;
    return keys;
end
$$;
comment on function sluice.devices_of_day is 'At most count_max devices with keys above after_key.';

create function sluice.compact_rollups(
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
            select r.minute, r.code from sluice.vital_rollup r
            where r.device_key = key and r.minute >= first_minute and r.minute < end_minute
            group by r.minute, r.code
            having count(*) > 1
        ), gone as (
            delete from sluice.vital_rollup r using many
            where r.device_key = key and r.minute = many.minute and r.code = many.code
                and r.minute >= first_minute and r.minute < end_minute
            returning r.*
        )
        insert into sluice.vital_rollup
        select g.device_key, g.minute, g.code, sum(g.readings)::integer, min(g.low), max(g.high),
            sum(g.total), max(g.last_t),
            (array_agg(g.last_val order by g.last_t desc, g.last_val desc))[1]
        from gone g
        group by g.device_key, g.minute, g.code;
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
comment on function sluice.compact_rollups is
    'Makes one row of several parts of a minute, for some devices of a day. Returns the last '
    'device''s key, to go on behind it in another transaction; null: that was all.';

create function sluice.rebuild_rollups(
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
        insert into sluice.vital_rollup
        select v.device_key, sluice.minute_of(v.t), v.code, count(*)::integer, min(v.val),
            max(v.val), sum(v.val), max(v.t), (array_agg(v.val order by v.t desc, v.val desc))[1]
        from sluice.vital v
        where v.device_key = key and v.t >= first_minute and v.t < end_minute
        group by 1, 2, 3;
        delete from sluice.gps_rollup r
        where r.device_key = key and r.minute >= first_minute and r.minute < end_minute;
        insert into sluice.gps_rollup
        select key, p.minute, p.readings, p.metres
        from sluice.track_parts(key, first_minute, end_minute) p;
    end loop;
    return keys[count_max];
end
$$;
comment on function sluice.rebuild_rollups is
    'Takes the rollups of some devices of a day from the rows. Returns as compact_rollups.';

create view analytics.vital_minute as
select d.device_id, d.user_id, r.minute as time, r.code, m.name as metric, m.unit, r.readings,
    r.low, r.high, r.total, r.total / r.readings as mean, r.last_value
from (
    select device_key, minute, code, sum(readings) as readings, min(low) as low,
        max(high) as high, sum(total) as total,
        (array_agg(last_val order by last_t desc, last_val desc))[1] as last_value
    from sluice.vital_rollup
    group by device_key, minute, code
) r
join sluice.device d using (device_key)
left join sluice.metric m using (code);
comment on view analytics.vital_minute is
    'Measurements by device, metric and minute, up to date with every commit.';
comment on column analytics.vital_minute.device_id is 'The device, lower-case.';
comment on column analytics.vital_minute.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital_minute.time is 'The minute''s beginning.';
comment on column analytics.vital_minute.code is 'The metric as the device names it.';
comment on column analytics.vital_minute.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.vital_minute.unit is 'Unit of the values; null as metric.';
comment on column analytics.vital_minute.readings is 'How many measurements.';
comment on column analytics.vital_minute.low is 'The least value.';
comment on column analytics.vital_minute.high is 'The greatest value.';
comment on column analytics.vital_minute.total is 'Sum of the values.';
comment on column analytics.vital_minute.mean is 'total / readings.';
comment on column analytics.vital_minute.last_value is
    'The minute''s last value; of several at one time the greatest.';

create view analytics.vital_hour as
select d.device_id, d.user_id, r.hour as time, r.code, m.name as metric, m.unit, r.readings,
    r.low, r.high, r.total, r.total / r.readings as mean, r.last_value
from (
    select device_key, code,
        pg_catalog.date_bin('1 hour', minute, '0001-01-01 00:00:00+00') as hour,
        sum(readings) as readings, min(low) as low, max(high) as high, sum(total) as total,
        (array_agg(last_val order by last_t desc, last_val desc))[1] as last_value
    from sluice.vital_rollup
    group by device_key, hour, code
) r
join sluice.device d using (device_key)
left join sluice.metric m using (code);
comment on view analytics.vital_hour is
    'Measurements by device, metric and hour of UTC, added up from the minutes.';
comment on column analytics.vital_hour.device_id is 'The device, lower-case.';
comment on column analytics.vital_hour.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital_hour.time is 'The hour''s beginning.';
comment on column analytics.vital_hour.code is 'The metric as the device names it.';
comment on column analytics.vital_hour.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.vital_hour.unit is 'Unit of the values; null as metric.';
comment on column analytics.vital_hour.readings is 'How many measurements.';
comment on column analytics.vital_hour.low is 'The least value.';
comment on column analytics.vital_hour.high is 'The greatest value.';
comment on column analytics.vital_hour.total is 'Sum of the values.';
comment on column analytics.vital_hour.mean is 'total / readings.';
comment on column analytics.vital_hour.last_value is
    'The hour''s last value; of several at one time the greatest.';

create view analytics.distance_minute as
select d.device_id, d.user_id, r.minute as time, r.positions, r.metres
from (
    select device_key, minute, sum(readings) as positions, sum(metres) as metres
    from sluice.gps_rollup
    group by device_key, minute
) r
join sluice.device d using (device_key);
comment on view analytics.distance_minute is
    'Distance travelled by device and minute: from each position to the next along a great circle. '
    'The way between two minutes counts for the later one.';
comment on column analytics.distance_minute.device_id is 'The device, lower-case.';
comment on column analytics.distance_minute.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.distance_minute.time is 'The minute''s beginning.';
comment on column analytics.distance_minute.positions is 'How many positions.';
comment on column analytics.distance_minute.metres is 'Distance in metres.';

create view analytics.distance_hour as
select d.device_id, d.user_id, r.hour as time, r.positions, r.metres
from (
    select device_key,
        pg_catalog.date_bin('1 hour', minute, '0001-01-01 00:00:00+00') as hour,
        sum(readings) as positions, sum(metres) as metres
    from sluice.gps_rollup
    group by device_key, hour
) r
join sluice.device d using (device_key);
comment on view analytics.distance_hour is 'As distance_minute, by hour of UTC.';
comment on column analytics.distance_hour.device_id is 'The device, lower-case.';
comment on column analytics.distance_hour.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.distance_hour.time is 'The hour''s beginning.';
comment on column analytics.distance_hour.positions is 'How many positions.';
comment on column analytics.distance_hour.metres is 'Distance in metres.';

create table sluice.rollup_day (
    day date primary key,
    compacted_at timestamptz not null default now()
);
comment on table sluice.rollup_day is
    'Days whose rollups were compacted. What comes late for one of them adds parts again.';
comment on column sluice.rollup_day.day is 'A day of UTC.';
comment on column sluice.rollup_day.compacted_at is 'When that was done.';

create function sluice.days_to_compact() returns setof date
language sql stable
set search_path = pg_catalog
as $$
    select d.day
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    cross join lateral to_date(right(c.relname, 8), 'YYYYMMDD') d (day)
    where i.inhparent = 'sluice.vital_rollup'::regclass
        -- An hour for those that are late.
        and (d.day + 1)::timestamp at time zone 'UTC' < now() - interval '1 hour'
        and not exists (select from sluice.rollup_day r where r.day = d.day)
    order by d.day
$$;
comment on function sluice.days_to_compact is 'Days that are over and were not compacted yet.';
