-- The way between positions: one rule, wherever metres stand.
--
-- A way leads from each position to the next one of the device. There is none after a pause of more
-- than a day: nobody knows what happened in between, and a straight line over a country is no distance
-- travelled. Positions of one time are in the order of latitude and longitude.
--
-- So what a sum of a day needs of other days is one position of the day before. When a day leaves the
-- tables, its devices' last positions stay here, as long as the day behind is there or may be brought
-- back. Without them a sum that is made again later would lose the way into the day.
--
-- A day that left can't be summed again. But a position that comes late, to a day before it that was
-- brought back, changes the way to its first one. So that stays here too, with the metres that its
-- hour has of that way.

create table sluice.kept_position (
    device_key bigint not null,
    t timestamptz not null,
    lat double precision not null,
    lon double precision not null,
    is_first boolean not null default false,
    metres double precision,
    primary key (device_key, t, is_first)
);
create index kept_position_t on sluice.kept_position (t);
comment on table sluice.kept_position is
    'The first and the last position of each device in days that left.';
comment on column sluice.kept_position.device_key is 'The device.';
comment on column sluice.kept_position.t is 'When it was there.';
comment on column sluice.kept_position.lat is 'Degrees north.';
comment on column sluice.kept_position.lon is 'Degrees east.';
comment on column sluice.kept_position.is_first is 'The first of its day; otherwise the last.';
comment on column sluice.kept_position.metres is
    'Of a first one: the way to it, as its hour in gps_rollup has it.';

-- The position before a moment: the rows of the day before, or what is kept of it. One after the
-- other, because Citus could not plan both together.
create function sluice.position_before(
    device bigint, moment timestamptz, out t timestamptz, out lat double precision,
    out lon double precision
)
language plpgsql stable
set search_path = pg_catalog
-- So that a statement knows one day, and not all there are.
set plan_cache_mode = force_custom_plan
as $$
begin
    select g.t, g.lat, g.lon into t, lat, lon
    from sluice.gps g
    where g.device_key = device and g.t < moment and g.t >= moment - interval '1 day'
    order by g.t desc, g.lat desc, g.lon desc limit 1;
    if not found then
        select k.t, k.lat, k.lon into t, lat, lon
        from sluice.kept_position k
        where k.device_key = device and not k.is_first
            and k.t < moment and k.t >= moment - interval '1 day'
        order by k.t desc limit 1;
    end if;
end
$$;
comment on function sluice.position_before is
    'The last position before a moment, at most a day before; nulls: there is none.';

create function sluice.is_lost(of_day date) returns boolean
language sql stable
set search_path = pg_catalog
as $$
    select coalesce(bool_or(a.rows > 0) and bool_and(a.file is null), false)
    from sluice.archive a
    where a.kind = 'gps' and a.day = sluice.first_day(of_day) and a.state = 'gone'
$$;
comment on function sluice.is_lost is 'Positions of a day left without a file: it never comes back.';

create function sluice.keep_last_positions(of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    stop constant timestamptz :=
        (of_day + sluice.partition_days())::timestamp at time zone 'UTC';
begin
    if sluice.is_lost(of_day + sluice.partition_days()) then
        return;
    end if;
    insert into sluice.kept_position (device_key, t, lat, lon)
    select d.device_key, p.t, p.lat, p.lon
    from sluice.device d
    cross join lateral (
        select g.t, g.lat, g.lon from sluice.gps g
        where g.device_key = d.device_key and g.t < stop and g.t >= stop - interval '1 day'
        order by g.t desc, g.lat desc, g.lon desc limit 1
    ) p
    on conflict (device_key, t, is_first) do update set lat = excluded.lat, lon = excluded.lon;
end
$$;
comment on function sluice.keep_last_positions is
    'Keeps the last positions of a day''s partition of gps, which is about to leave.';

create function sluice.keep_first_positions(of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    start constant timestamptz := of_day::timestamp at time zone 'UTC';
    stop constant timestamptz :=
        (of_day + sluice.partition_days())::timestamp at time zone 'UTC';
begin
    delete from sluice.kept_position k where k.is_first and k.t >= start and k.t < stop;
    if sluice.is_lost(of_day - 1) then
        return;
    end if;
    insert into sluice.kept_position (device_key, t, lat, lon, is_first, metres)
    select d.device_key, p.t, p.lat, p.lon, true,
        coalesce(sluice.metres_of_way(b.t, b.lat, b.lon, p.t, p.lat, p.lon), 0)
    from sluice.device d
    cross join lateral (
        select g.t, g.lat, g.lon from sluice.gps g
        where g.device_key = d.device_key and g.t >= start and g.t < start + interval '1 day'
        order by g.t, g.lat, g.lon limit 1
    ) p
    left join lateral (
        select k.t, k.lat, k.lon from sluice.known_position k
        where k.device_key = d.device_key and k.t < start and k.t >= start - interval '1 day'
        order by k.t desc, k.lat desc, k.lon desc limit 1
    ) b on true;
end
$$;
comment on function sluice.keep_first_positions is
    'Keeps the first positions of a day''s partition of gps, which is about to leave, and the ways to them.';

-- With the row that says that a day leaves, whoever writes it.
create function sluice.keep_ways() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
declare
    start constant timestamptz := new.day::timestamp at time zone 'UTC';
    stop constant timestamptz :=
        (new.day + sluice.partition_days())::timestamp at time zone 'UTC';
begin
    if new.state = 'leaving' then
        perform sluice.keep_last_positions(new.day);
        perform sluice.keep_first_positions(new.day);
    elsif sluice.is_lost(new.day) then
        delete from sluice.kept_position k
        where not k.is_first and k.t < start and k.t >= start - interval '1 day'
            or k.is_first and k.t >= stop and k.t < stop + interval '1 day';
    end if;
    return null;
end
$$;
comment on function sluice.keep_ways is
    'Keeps what the days around a leaving day need, and removes what nothing needs any more.';
create trigger keep_ways after insert or update of state on sluice.archive
for each row when (new.kind = 'gps') execute function sluice.keep_ways();

-- Not strict, as metres_between, so that the planner puts its expression in its place.
create function sluice.metres_of_way(
    t1 timestamptz, lat1 double precision, lon1 double precision,
    t2 timestamptz, lat2 double precision, lon2 double precision
) returns double precision
language sql immutable parallel safe
return case
    when t2 - t1 <= interval '1 day' then sluice.metres_between(lat1, lon1, lat2, lon2)
end;
comment on function sluice.metres_of_way is
    'From one position to the next; null after a pause of more than a day.';

-- No function: what it reads would be read with the rights of an analyst.
create view sluice.known_position as
select g.device_key, g.t, g.lat, g.lon from sluice.gps g
union all
select k.device_key, k.t, k.lat, k.lon from sluice.kept_position k where not k.is_first;
comment on view sluice.known_position is 'Positions from which a way to the next one can begin.';

-- Sums by hour.

create or replace procedure sluice.sum_hour(device bigint, of_hour timestamptz, of_kind text)
language plpgsql
set search_path = pg_catalog
-- So that a statement knows one day, and not all there are.
set plan_cache_mode = force_custom_plan
as $$
declare
    end_hour constant timestamptz := of_hour + interval '1 hour';
    before record;
begin
    if of_kind = 'vital' then
        delete from sluice.vital_rollup r where r.device_key = device and r.hour = of_hour;
        insert into sluice.vital_rollup (device_key, hour, readings, code, first_minute,
            last_minute, low, high, total, last_val)
        select v.device_key, of_hour, count(*), v.code,
            floor(extract(epoch from min(v.t) - of_hour) / 60),
            floor(extract(epoch from max(v.t) - of_hour) / 60),
            min(v.val), max(v.val), sum(sluice.bounded(v.val)),
            (array_agg(v.val order by v.t desc, v.val desc))[1]
        from sluice.vital v
        where v.device_key = device and v.t >= of_hour and v.t < end_hour
        group by v.device_key, v.code;
        return;
    end if;
    delete from sluice.gps_rollup r where r.device_key = device and r.hour = of_hour;
    before := sluice.position_before(device, of_hour);
    insert into sluice.gps_rollup (device_key, hour, readings, first_minute, last_minute, metres)
    select w.device_key, of_hour, count(*),
        floor(extract(epoch from min(w.t) - of_hour) / 60),
        floor(extract(epoch from max(w.t) - of_hour) / 60), coalesce(sum(w.metres), 0)
    from (
        select g.device_key, g.t, sluice.metres_of_way(
            lag(g.t, 1, before.t) over way, lag(g.lat, 1, before.lat) over way,
            lag(g.lon, 1, before.lon) over way, g.t, g.lat, g.lon) as metres
        from sluice.gps g
        where g.device_key = device and g.t >= of_hour and g.t < end_hour
        window way as (partition by g.device_key order by g.t, g.lat, g.lon)
    ) w
    group by w.device_key;
end
$$;
comment on procedure sluice.sum_hour is
    'Makes the sums of an hour from its rows. For those who hold the row of device_state.';

create or replace view sluice.gps_hours as
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
        coalesce(sum(sluice.metres_of_way(
            o.from_t, o.from_lat, o.from_lon, o.t, o.lat, o.lon)), 0) as metres
    from (
        select g.t, g.lat, g.lon, lag(g.t, 1, b.t) over way as from_t,
            lag(g.lat, 1, b.lat) over way as from_lat, lag(g.lon, 1, b.lon) over way as from_lon
        from sluice.gps g
        left join lateral (
            select k.t, k.lat, k.lon from sluice.known_position k
            where k.device_key = w.device_key and k.t < w.hour and k.t >= w.hour - interval '1 day'
            order by k.t desc, k.lat desc, k.lon desc limit 1
        ) b on true
        where g.device_key = w.device_key and g.t >= w.hour and g.t < w.hour + interval '1 hour'
        window way as (order by g.t, g.lat, g.lon)
    ) o
    having count(*) > 0
) p
where w.kind = 'gps';

-- What minutes are compared by. Only a join by hash compares each position with its own minute, and
-- ends before it reads a day of which a filter leaves no minutes. A type that has no order rules out a
-- merge join. A comparison that costs the planner much rules out a nested loop, which is tempting where
-- it expects few minutes, because it keeps the devices in order: a hash join costs at most half as much,
-- whatever the numbers of rows.
create function sluice.minute_number(t timestamptz) returns xid
language plpgsql immutable parallel safe cost 1000
as $$
begin
    return (extract(epoch from t)::bigint / 60 & 2147483647)::text::xid;
end
$$;
comment on function sluice.minute_number is 'A number of the minute, to join by.';

-- The minutes of a day. "rows" is more than there are, so that a filter leaves some in the planner's
-- eyes: then it hashes these, and not the positions.
create function sluice.minutes_between(first timestamptz, last timestamptz)
returns setof timestamptz
language plpgsql stable parallel safe rows 2500
set search_path = pg_catalog
as $$
begin
    return query select generate_series(first, last, interval '1 minute');
end
$$;
comment on function sluice.minutes_between is 'The beginnings of minutes, both included.';

-- As vital_minute.
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
    from sluice.minutes_between(
        n.first_minute, n.end_minute - interval '1 minute') h (time)
    join (
        select g.device_id, g.user_id, sluice.minute_of(g.t) as minute,
            case when lag(g.t) over way is null then (
                select sluice.metres_of_way(k.t, k.lat, k.lon, g.t, g.lat, g.lon)
                from sluice.known_position k
                where k.device_key = g.device_key and k.t < n.first_minute
                    and k.t >= n.first_minute - interval '1 day'
                order by k.t desc, k.lat desc, k.lon desc limit 1
            ) else sluice.metres_of_way(
                lag(g.t) over way, lag(g.lat) over way, lag(g.lon) over way, g.t, g.lat, g.lon)
            end as metres
        from sluice.device_gps g
        where g.t >= n.first_minute and (g.t < n.end_minute or g.t < n.end_minute_again)
        window way as (partition by g.device_id, g.user_id order by g.t, g.lat, g.lon)
    ) o on sluice.minute_number(o.minute) = sluice.minute_number(h.time)
    group by o.device_id, o.user_id, h.time
) v;
comment on view analytics.distance_minute is
    'Distance travelled by device and minute, from the positions in the tables.';
comment on column analytics.distance_minute.device_id is 'The device, lower-case.';
comment on column analytics.distance_minute.user_id is
    'The user whom the batch named; where it named none, the device that sent it.';
comment on column analytics.distance_minute.time is 'The minute''s beginning.';
comment on column analytics.distance_minute.positions is 'How many positions.';
comment on column analytics.distance_minute.metres is
    'Distance in metres, from each position to the next along a great circle. The way between two '
    'minutes counts for the later one; a way after a pause of more than a day does not count.';

-- Tracks. The ways of a day are made by one window over its positions, device by device, and joined
-- with these, by all values of a position: of two at one time and place each has its own way. (With a
-- seed of 0 a zero would have the hash of a null.) What looks idle makes that quick for a whole fleet, for
-- one device and for one minute:
--   - The join is a left one. So filters on devices and time reach the positions first, and the ways
--     of a day without any are not made. With an equation for device_id and for user_id those of
--     other devices are not either.
--   - "union all … where false" keeps the bounds of the day with the positions.
--   - "offset 0" and stop_again are as in vital_minute.
--   - "distinct on" tells the planner that each position has one way. So it makes none where nothing
--     of it is asked for: count(*), max(time).
create or replace view analytics.track as
select v.device_id, v.user_id, v.time, v.latitude, v.longitude, v.accuracy_m, v.from_time,
    v.from_latitude, v.from_longitude, v.seconds, v.metres,
    v.metres / nullif(v.seconds, 0) as metres_per_second
from (
    select distinct p.day::timestamp at time zone 'UTC' as start,
        (p.day + 1)::timestamp at time zone 'UTC' as stop,
        p.day::timestamp at time zone 'UTC' + interval '24 hours' as stop_again
    from sluice.day_partition p
    where p.kind = 'gps'
    offset 0
) n
cross join lateral (
    select g.device_id, g.user_id, g.t as time, g.lat as latitude, g.lon as longitude,
        g.acc as accuracy_m, w.from_t as from_time, w.from_lat as from_latitude,
        w.from_lon as from_longitude, date_part('epoch', g.t - w.from_t) as seconds,
        sluice.metres_between(w.from_lat, w.from_lon, g.lat, g.lon) as metres
    from (
        select p.device_key, p.device_id, p.user_id, p.t, p.lat, p.lon, p.acc,
            hash_record_extended(row(p.acc, p.alt, p.vacc, p.motion), 1) as rest
        from sluice.device_gps p
        where p.t >= n.start and (p.t < n.stop or p.t < n.stop_again)
        union all
        select null, null, null, null, null, null, null, null where false
    ) g
    left join (
        select distinct on (
            d.device_key, s.t, s.lat, s.lon, s.rest, d.device_id, d.user_id
        ) d.device_key, d.device_id, d.user_id, s.t, s.lat, s.lon, s.rest,
            s.from_t, s.from_lat, s.from_lon
        from sluice.device d
        cross join lateral (
            select o.t, o.lat, o.lon,
                hash_record_extended(row(o.acc, o.alt, o.vacc, o.motion), 1) as rest,
                lag(o.t, 1, b.t) over way as from_t, lag(o.lat, 1, b.lat) over way as from_lat,
                lag(o.lon, 1, b.lon) over way as from_lon
            from sluice.gps o
            left join lateral (
                select k.t, k.lat, k.lon from sluice.known_position k
                where k.device_key = d.device_key and k.t < n.start and k.t >= n.start - interval '1 day'
                order by k.t desc, k.lat desc, k.lon desc limit 1
            ) b on true
            where o.device_key = d.device_key and o.t >= n.start and o.t < n.stop
            window way as (order by o.t, o.lat, o.lon, o.acc, o.alt, o.vacc, o.motion)
        ) s
        where s.t - s.from_t <= interval '1 day'
    ) w on w.device_key = g.device_key and w.t = g.t and w.lat = g.lat and w.lon = g.lon
        and w.rest = g.rest and w.device_id = g.device_id and w.user_id = g.user_id
) v;
comment on view analytics.track is
    'Each position with the way to it from the one before: a segment of the track.';
comment on column analytics.track.device_id is 'The device, lower-case.';
comment on column analytics.track.user_id is
    'The user whom the batch named; where it named none, the device that sent it.';
comment on column analytics.track.time is 'When the device was here: the segment''s end.';
comment on column analytics.track.latitude is 'Degrees north, -90 to 90.';
comment on column analytics.track.longitude is 'Degrees east, -180 to 180.';
comment on column analytics.track.accuracy_m is 'Radius of uncertainty in metres; null if unknown.';
comment on column analytics.track.from_time is
    'The segment''s beginning: when the device was there. Null, as all of the way, after a pause of '
    'more than a day.';
comment on column analytics.track.from_latitude is 'Latitude there.';
comment on column analytics.track.from_longitude is 'Longitude there.';
comment on column analytics.track.seconds is 'From there to here.';
comment on column analytics.track.metres is 'The distance, along the great circle.';
comment on column analytics.track.metres_per_second is
    'metres / seconds; null for two positions of one time.';
