-- Distances from the rows, in statements that Citus can plan too.
--
-- Citus finds no plan for an SQL function over distributed tables in the FROM of another statement:
-- every position that came late was refused. Each statement here is about one device, so it goes to one
-- shard.

create procedure sluice.rebuild_track(
    device bigint, from_minute timestamptz, to_minute timestamptz
)
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.gps_rollup r
    where r.device_key = device and r.minute >= from_minute and r.minute < to_minute;
    insert into sluice.gps_rollup (device_key, minute, readings, metres)
    select w.device_key, sluice.minute_of(w.t), count(*)::integer, coalesce(sum(w.metres), 0)
    from (
        select g.device_key, g.t, sluice.metres_between(
            lag(g.lat) over way, lag(g.lon) over way, g.lat, g.lon) as metres
        from sluice.gps g
        where g.device_key = device and g.t < to_minute
            and g.t >= coalesce((
                select b.t from sluice.gps b
                where b.device_key = device and b.t < from_minute
                order by b.t desc
                limit 1
            ), from_minute)
        window way as (partition by g.device_key order by g.t, g.lat, g.lon)
    ) w
    where w.t >= from_minute
    group by 1, 2;
end
$$;
comment on procedure sluice.rebuild_track is
    'Takes what gps_rollup says of a device from the rows: from from_minute until before to_minute.';

create or replace procedure sluice.rebuild_tracks(
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
        call sluice.rebuild_track(track.device_key, from_minute, to_minute);
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
        call sluice.rebuild_track(key, first_minute, end_minute);
    end loop;
    return keys[count_max];
end
$$;

drop function sluice.track_parts(bigint, timestamptz, timestamptz);
