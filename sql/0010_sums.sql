-- Sums for analysts, by hour, minute and day.

create view analytics.vital_hour as
select r.device_id, r.user_id, r.hour as time, r.code, m.name as metric, m.unit, r.readings,
    r.low, r.high, r.total, r.total / r.readings as mean, r.last_val as last_value
from sluice.vital_hours r
left join sluice.metric m using (code);
comment on view analytics.vital_hour is
    'Measurements by device, metric and hour of UTC, up to date with every commit.';
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

create view analytics.distance_hour as
select r.device_id, r.user_id, r.hour as time, r.readings as positions, r.metres
from sluice.gps_hours r;
comment on view analytics.distance_hour is
    'Distance travelled by device and hour of UTC, up to date with every commit.';
comment on column analytics.distance_hour.device_id is 'The device, lower-case.';
comment on column analytics.distance_hour.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.distance_hour.time is
    'The hour''s beginning. A filter on it does not reach the days: name devices too.';
comment on column analytics.distance_hour.positions is 'How many positions.';
comment on column analytics.distance_hour.metres is 'Distance in metres.';

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

create view analytics.vital_minute as
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
        count(*) as readings, min(r.val) as low, max(r.val) as high,
        sum(sluice.bounded(r.val)) as total, sum(sluice.bounded(r.val)) / count(*) as mean,
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
    'Measurements by device, metric and minute, from the readings in the tables.';
comment on column analytics.vital_minute.device_id is 'The device, lower-case.';
comment on column analytics.vital_minute.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital_minute.time is
    'The minute''s beginning. A filter on it reaches the days, not the minutes of a day: name '
    'devices too.';
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

-- Days: those of the rows, and of the sums, which may stay when their rows have left. Grouped by the
-- device's key too, by which Citus finds the rows.

create view analytics.vital_day as
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
    group by r.device_key, r.device_id, r.user_id, r.code
) v
left join sluice.metric m using (code);
comment on view analytics.vital_day is
    'Measurements by device, metric and day of UTC, added up from the hours.';
comment on column analytics.vital_day.device_id is 'The device, lower-case.';
comment on column analytics.vital_day.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital_day.day is 'The day of UTC. Filter on day, or on devices.';
comment on column analytics.vital_day.code is 'The metric as the device names it.';
comment on column analytics.vital_day.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.vital_day.unit is 'Unit of the values; null as metric.';
comment on column analytics.vital_day.readings is 'How many measurements.';
comment on column analytics.vital_day.low is 'The least value.';
comment on column analytics.vital_day.high is 'The greatest value.';
comment on column analytics.vital_day.total is 'Sum of the values.';
comment on column analytics.vital_day.mean is 'total / readings.';
comment on column analytics.vital_day.last_value is
    'The day''s last value; of several at one time the greatest.';

create view analytics.device_day as
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
    'What each device has of each day of UTC, the sums of days that left too.';
comment on column analytics.device_day.device_id is 'The device, lower-case.';
comment on column analytics.device_day.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.device_day.day is
    'The day of UTC. Days without readings are left out. Filter on day, or on devices.';
comment on column analytics.device_day.positions is 'How many positions.';
comment on column analytics.device_day.metres is
    'Distance travelled, as in distance_hour: the way over midnight counts for the later day.';
comment on column analytics.device_day.vitals is 'How many measurements, of all metrics.';
comment on column analytics.device_day.events is
    'How many events; none once their rows have left the tables.';
comment on column analytics.device_day.span is
    'From the first to the last minute with a position or a measurement, both included; null '
    'without any.';
