-- Days where people live.
--
-- A user's zone is that of the apps' profile (app_user), which `sluice user zone` sets too. Until
-- somebody sets it, days are those of UTC here, and the apps' own days those of America/New_York.
--
-- A local day is made of the hours of UTC that lie in it, which have sums. An hour that lies in two days,
-- as in zones whose offset is no number of whole hours, is read from its readings. Once these have left
-- the tables it counts for the day that it begins in, and is_exact of both days says so.

alter table sluice.app_user alter column time_zone drop not null;
alter table sluice.app_user alter column time_zone drop default;
-- Nobody can have set it before the profile was given.
update sluice.app_user set time_zone = null where initialized_at is null;
comment on column sluice.app_user.time_zone is
    'Decides what the user''s days and hours are; null: nobody has set it.';
comment on column analytics.app_user.time_zone is
    'Its days and hours are those of this zone; null: nobody has set one.';

-- A zone that PostgreSQL does not know would end the queries of all other users too.
alter table sluice.app_user add column days_in text;
comment on column sluice.app_user.days_in is
    'time_zone, or UTC where the database does not know that zone; null as time_zone.';

create function sluice.check_zone() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    new.days_in := 'UTC';
    perform timestamptz '2000-01-01 00:00:00+00' at time zone new.time_zone;
    new.days_in := new.time_zone;
    return new;
exception when invalid_parameter_value then
    return new;
end
$$;
comment on function sluice.check_zone is 'Sets days_in.';
create trigger check_zone before insert or update of time_zone on sluice.app_user
for each row execute function sluice.check_zone();
update sluice.app_user set time_zone = time_zone;

-- Whoever sets the zone. Days that a capture makes meanwhile are made anew by its job.
create function sluice.rebuild_days() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    if exists (select from sluice.capture c where c.user_id = new.user_id) then
        perform sluice.enqueue_job(
            'user.rebuild', new.user_id, json_build_object('user', new.user_id)::text);
    end if;
    return null;
end
$$;
comment on function sluice.rebuild_days is
    'Has the hours and days of a user with captures made anew in another zone.';
create trigger rebuild_days after update of time_zone on sluice.app_user
for each row when (old.time_zone is distinct from new.time_zone)
execute function sluice.rebuild_days();

create or replace view analytics.device as
select d.device_id, d.user_id, d.model_name, d.version, d.first_seen, s.last_seen, s.readings,
    coalesce(u.days_in, 'UTC') as time_zone
from sluice.device d
left join sluice.device_state s using (device_key)
left join sluice.app_user u using (user_id);
comment on column analytics.device.time_zone is
    'The user''s zone, whose days vital_local_day and device_local_day have; UTC without one.';

-- Not pg_catalog.date(): that one asks the session's zone.
create function sluice.day_in(t timestamptz, zone text) returns date
language sql stable parallel safe
return (t at time zone coalesce(zone, 'UTC'))::date;
comment on function sluice.day_in is 'The day that a moment is in, in a zone; null: UTC.';

-- Of each day of UTC the local days that it can be part of, so that a filter on the local day reaches
-- the days of UTC.
create view sluice.local_day as
select distinct p.day + n as day, p.day::timestamp at time zone 'UTC' as start,
    (p.day + 1)::timestamp at time zone 'UTC' as stop
from sluice.day_partition p
cross join pg_catalog.generate_series(-1, 1) n;
comment on view sluice.local_day is 'The days of all partitions, with the local days they touch.';

-- Hours that lie in one local day, and parts of those that lie in two.

create view analytics.vital_local_day as
select v.device_id, v.user_id, v.day, v.time_zone, v.code, m.name as metric, m.unit, v.readings,
    v.low, v.high, v.total, v.total / v.readings as mean, v.last_value, v.is_exact
from (
    select r.device_id, r.user_id, n.day, coalesce(r.zone, 'UTC') as time_zone, r.code,
        sum(r.readings)::bigint as readings, min(r.low) as low, max(r.high) as high,
        sum(r.total) as total,
        (array_agg(r.last_val order by r.hour desc) filter (where r.readings > 0))[1]
            as last_value,
        bool_and(r.is_exact) as is_exact
    from sluice.local_day n
    cross join lateral (
        select h.device_id, h.user_id, u.days_in as zone, h.hour, h.code, h.readings, h.low,
            h.high, h.total, h.last_val, true as is_exact
        from sluice.vital_hours h
        left join sluice.app_user u using (user_id)
        where h.hour >= n.start and h.hour < n.stop and sluice.day_in(h.hour, u.days_in) = n.day
            and sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in) = n.day
        union all
        select h.device_id, h.user_id, u.days_in, h.hour, h.code, p.readings, p.low, p.high,
            p.total, p.last_val, p.is_exact
        from sluice.vital_hours h
        join sluice.app_user u using (user_id)
        cross join lateral (
            select sluice.day_in(v.t, u.days_in) as day, count(*) as readings, min(v.val) as low,
                max(v.val) as high, sum(sluice.bounded(v.val)) as total,
                (array_agg(v.val order by v.t desc, v.val desc))[1] as last_val,
                true as is_exact
            from sluice.vital v
            where v.device_key = h.device_key and v.code = h.code
                and v.t >= h.hour and v.t < h.hour + interval '1 hour'
            group by 1
            union all
            select c.day, c.readings, c.low, c.high, c.total, c.last_val, false
            from (values
                (sluice.day_in(h.hour, u.days_in), h.readings, h.low, h.high, h.total, h.last_val),
                (sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in), 0,
                    null, null, null, null)
            ) c (day, readings, low, high, total, last_val)
            where not exists (
                select from sluice.vital v
                where v.device_key = h.device_key and v.code = h.code
                    and v.t >= h.hour and v.t < h.hour + interval '1 hour')
        ) p
        where h.hour >= n.start and h.hour < n.stop and p.day = n.day
            and sluice.day_in(h.hour, u.days_in)
                <> sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in)
    ) r
    group by r.device_id, r.user_id, n.day, r.zone, r.code
    having sum(r.readings) > 0
) v
left join sluice.metric m using (code);
comment on view analytics.vital_local_day is
    'Measurements by device, metric and day of the user''s time zone.';
comment on column analytics.vital_local_day.device_id is 'The device, lower-case.';
comment on column analytics.vital_local_day.user_id is
    'The user whom the batch named; where it named none, the device that sent it.';
comment on column analytics.vital_local_day.day is
    'The day of the user''s time zone. Filter on day, or on devices.';
comment on column analytics.vital_local_day.time_zone is 'The zone: see device.';
comment on column analytics.vital_local_day.code is 'The metric as the device names it.';
comment on column analytics.vital_local_day.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.vital_local_day.unit is 'Unit of the values; null as metric.';
comment on column analytics.vital_local_day.readings is 'How many measurements.';
comment on column analytics.vital_local_day.low is 'The least value.';
comment on column analytics.vital_local_day.high is 'The greatest value.';
comment on column analytics.vital_local_day.total is 'Sum of the values.';
comment on column analytics.vital_local_day.mean is 'total / readings.';
comment on column analytics.vital_local_day.last_value is
    'The day''s last value; of several at one time the greatest.';
comment on column analytics.vital_local_day.is_exact is
    'False where the day''s first or last hour could not be split, because its readings have left '
    'the tables: it counts for the day that it begins in.';

create view analytics.device_local_day as
select r.device_id, r.user_id, n.day, coalesce(r.zone, 'UTC') as time_zone,
    sum(r.positions)::bigint as positions, sum(r.metres) as metres,
    sum(r.vitals)::bigint as vitals, sum(r.events)::bigint as events,
    max(r.last) - min(r.first) + interval '1 minute' as span, bool_and(r.is_exact) as is_exact
from sluice.local_day n
cross join lateral (
    select h.device_id, h.user_id, u.days_in as zone, h.readings as positions, h.metres,
        0 as vitals, 0 as events, h.hour + h.first_minute * interval '1 minute' as first,
        h.hour + h.last_minute * interval '1 minute' as last, true as is_exact
    from sluice.gps_hours h
    left join sluice.app_user u using (user_id)
    where h.hour >= n.start and h.hour < n.stop and sluice.day_in(h.hour, u.days_in) = n.day
        and sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in) = n.day
    union all
    select h.device_id, h.user_id, u.days_in, 0, 0, h.readings, 0,
        h.hour + h.first_minute * interval '1 minute',
        h.hour + h.last_minute * interval '1 minute', true
    from sluice.vital_hours h
    left join sluice.app_user u using (user_id)
    where h.hour >= n.start and h.hour < n.stop and sluice.day_in(h.hour, u.days_in) = n.day
        and sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in) = n.day
    union all
    select e.device_id, e.user_id, u.days_in, 0, 0, 0, 1, null, null, true
    from sluice.device_event e
    left join sluice.app_user u using (user_id)
    where e.t >= n.start and e.t < n.stop and sluice.day_in(e.t, u.days_in) = n.day
    union all
    select h.device_id, h.user_id, u.days_in, p.positions, p.metres, 0, 0, p.first, p.last,
        p.is_exact
    from sluice.gps_hours h
    join sluice.app_user u using (user_id)
    cross join lateral (
        select sluice.day_in(o.t, u.days_in) as day, count(*) as positions,
            coalesce(sum(sluice.metres_of_way(
                o.from_t, o.from_lat, o.from_lon, o.t, o.lat, o.lon)), 0) as metres,
            sluice.minute_of(min(o.t)) as first, sluice.minute_of(max(o.t)) as last,
            true as is_exact
        from (
            select g.t, g.lat, g.lon, lag(g.t, 1, b.t) over way as from_t,
                lag(g.lat, 1, b.lat) over way as from_lat,
                lag(g.lon, 1, b.lon) over way as from_lon
            from sluice.gps g
            left join lateral (
                select k.t, k.lat, k.lon from sluice.known_position k
                where k.device_key = h.device_key and k.t < h.hour and k.t >= h.hour - interval '1 day'
                order by k.t desc, k.lat desc, k.lon desc limit 1
            ) b on true
            where g.device_key = h.device_key
                and g.t >= h.hour and g.t < h.hour + interval '1 hour'
            window way as (order by g.t, g.lat, g.lon)
        ) o
        group by 1
        union all
        select c.day, c.positions, c.metres, c.first, c.last, false
        from (values
            (sluice.day_in(h.hour, u.days_in), h.readings, h.metres,
                h.hour + h.first_minute * interval '1 minute',
                h.hour + h.last_minute * interval '1 minute'),
            (sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in), 0, 0, null, null)
        ) c (day, positions, metres, first, last)
        where not exists (
            select from sluice.gps g
            where g.device_key = h.device_key
                and g.t >= h.hour and g.t < h.hour + interval '1 hour')
    ) p
    where h.hour >= n.start and h.hour < n.stop and p.day = n.day
        and sluice.day_in(h.hour, u.days_in)
            <> sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in)
    union all
    select h.device_id, h.user_id, u.days_in, 0, 0, p.readings, 0, p.first, p.last, p.is_exact
    from sluice.vital_hours h
    join sluice.app_user u using (user_id)
    cross join lateral (
        select sluice.day_in(v.t, u.days_in) as day, count(*) as readings,
            sluice.minute_of(min(v.t)) as first, sluice.minute_of(max(v.t)) as last,
            true as is_exact
        from sluice.vital v
        where v.device_key = h.device_key and v.code = h.code
            and v.t >= h.hour and v.t < h.hour + interval '1 hour'
        group by 1
        union all
        select c.day, c.readings, c.first, c.last, false
        from (values
            (sluice.day_in(h.hour, u.days_in), h.readings,
                h.hour + h.first_minute * interval '1 minute',
                h.hour + h.last_minute * interval '1 minute'),
            (sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in), 0, null, null)
        ) c (day, readings, first, last)
        where not exists (
            select from sluice.vital v
            where v.device_key = h.device_key and v.code = h.code
                and v.t >= h.hour and v.t < h.hour + interval '1 hour')
    ) p
    where h.hour >= n.start and h.hour < n.stop and p.day = n.day
        and sluice.day_in(h.hour, u.days_in)
            <> sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in)
) r
group by r.device_id, r.user_id, n.day, r.zone
having sum(r.positions) + sum(r.vitals) + sum(r.events) > 0;
comment on view analytics.device_local_day is
    'What each device has of each day of the user''s time zone.';
comment on column analytics.device_local_day.device_id is 'The device, lower-case.';
comment on column analytics.device_local_day.user_id is
    'The user whom the batch named; where it named none, the device that sent it.';
comment on column analytics.device_local_day.day is
    'The day of the user''s time zone. Filter on day, or on devices.';
comment on column analytics.device_local_day.time_zone is 'The zone: see device.';
comment on column analytics.device_local_day.positions is 'How many positions.';
comment on column analytics.device_local_day.metres is
    'Distance travelled, as in distance_minute: the way over midnight counts for the later day.';
comment on column analytics.device_local_day.vitals is 'How many measurements, of all metrics.';
comment on column analytics.device_local_day.events is
    'How many events; none once their rows have left the tables.';
comment on column analytics.device_local_day.span is
    'From the first to the last minute with a position or a measurement, both included; null '
    'without any.';
comment on column analytics.device_local_day.is_exact is
    'False where the day''s first or last hour could not be split, because its readings have left '
    'the tables: it counts for the day that it begins in.';
