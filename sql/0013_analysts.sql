-- More for analysts: tracks, sessions, days, how complete a device's data are, the fleet.
--
-- A filter on device_id reaches the index of each day in all of these views, and a filter on time
-- reaches the days. Where neither can be, because a row is made of many readings, there is a
-- function that takes the bounds as arguments: sessions_by, gaps_by. They are plain SQL, which the
-- planner takes apart as it does a view.

-- Lateness. A reading is late when, as its batch came, one of its device and kind with a later time
-- was stored already. Only groups that had to look up stored rows can have such, and they write
-- these columns; the way of a batch in order is as it was.
alter table sluice.device_state
    add column late_readings bigint not null default 0,
    add column gps_late_by_us bigint not null default 0,
    add column vital_late_by_us bigint not null default 0,
    add column event_late_by_us bigint not null default 0,
    add column late_at timestamptz not null default '-infinity';
comment on column sluice.device_state.late_readings is
    'Readings stored that were older than the newest of their kind when they came.';
comment on column sluice.device_state.gps_late_by_us is
    'How much older at most, in microseconds. Begins anew when none was late for 30 days.';
comment on column sluice.device_state.vital_late_by_us is 'As gps_late_by_us.';
comment on column sluice.device_state.event_late_by_us is 'As gps_late_by_us.';
comment on column sluice.device_state.late_at is 'When the last late one was stored.';

-- The days there are. The names are those that sluice.ensure_days gives.
create view analytics.stored_day as
select k.kind, n.day
from (values
    ('gps', 'sluice.gps'::regclass), ('vital', 'sluice.vital'::regclass),
    ('event', 'sluice.event'::regclass)
) k (kind, parent)
join pg_catalog.pg_inherits i on i.inhparent = k.parent and not i.inhdetachpending
join pg_catalog.pg_class c on c.oid = i.inhrelid
cross join lateral (
    -- Filters may come before joins, where there are other names.
    select case when c.relname ~ '_[0-9]{8}$'
        then pg_catalog.to_date(pg_catalog.right(c.relname, 8), 'YYYYMMDD') end as day
) n
where n.day is not null;
comment on view analytics.stored_day is
    'The days of UTC that the tables have room for; a day need not have readings.';
comment on column analytics.stored_day.kind is 'gps, vital or event.';
comment on column analytics.stored_day.day is 'A day of UTC.';

-- The rollup views again, with the device inside, so that a filter on it reaches the index.

create or replace view analytics.vital_minute as
select d.device_id, d.user_id, r.minute as time, r.code, m.name as metric, m.unit,
    sum(r.readings) as readings, min(r.low) as low, max(r.high) as high, sum(r.total) as total,
    sum(r.total) / sum(r.readings) as mean,
    (array_agg(r.last_val order by r.last_t desc, r.last_val desc))[1] as last_value
from sluice.vital_rollup r
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
from sluice.vital_rollup r
join sluice.device d using (device_key)
left join sluice.metric m using (code)
group by d.device_key, 3, r.code, m.code;
comment on view analytics.vital_hour is
    'Measurements by device, metric and hour of UTC, added up from the minutes. A filter on time '
    'does not reach the days: name devices, or take vital_minute for a stretch of the whole fleet.';

create or replace view analytics.distance_minute as
select d.device_id, d.user_id, r.minute as time, sum(r.readings) as positions,
    sum(r.metres) as metres
from sluice.gps_rollup r
join sluice.device d using (device_key)
group by d.device_key, r.minute;

create or replace view analytics.distance_hour as
select d.device_id, d.user_id,
    pg_catalog.date_bin('1 hour', r.minute, '0001-01-01 00:00:00+00') as time,
    sum(r.readings) as positions, sum(r.metres) as metres
from sluice.gps_rollup r
join sluice.device d using (device_key)
group by d.device_key, 3;
comment on view analytics.distance_hour is
    'As distance_minute, by hour of UTC. A filter on time does not reach the days: name devices, or '
    'take distance_minute for a stretch of the whole fleet.';

-- What is newest.

create view analytics.latest_vital as
select d.device_id, d.user_id, v.t as time, v.code, m.name as metric, m.unit, v.val as value
from sluice.device d
join sluice.device_state s using (device_key)
cross join lateral (
    select distinct on (r.code) r.code, r.t, r.val
    from sluice.vital r
    where r.device_key = s.device_key and r.t <= s.vital_until
        and r.t > s.vital_until - interval '1 day'
    order by r.code, r.t desc, r.val desc
) v
left join sluice.metric m using (code)
where s.vital_until > '-infinity';
comment on view analytics.latest_vital is
    'The newest measurement of each device and metric: of the day before the device''s newest one.';
comment on column analytics.latest_vital.device_id is 'The device, lower-case.';
comment on column analytics.latest_vital.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.latest_vital.time is 'When it was measured.';
comment on column analytics.latest_vital.code is 'The metric as the device names it.';
comment on column analytics.latest_vital.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.latest_vital.unit is 'Unit of value; null as metric.';
comment on column analytics.latest_vital.value is
    'The measurement; of several at one time the greatest.';

-- Tracks. Each position looks up the one before it, so that filters on device and time reach the
-- index and the days; a window over all positions of a device would let no filter on time through.
-- The order among positions of one time is that of the rollups.
create view analytics.track as
select d.device_id, d.user_id, g.t as time, g.lat as latitude, g.lon as longitude,
    g.acc as accuracy_m,
    b.t as from_time, b.lat as from_latitude, b.lon as from_longitude,
    extract(epoch from g.t - b.t)::double precision as seconds,
    sluice.metres_between(b.lat, b.lon, g.lat, g.lon) as metres,
    sluice.metres_between(b.lat, b.lon, g.lat, g.lon)
        / nullif(extract(epoch from g.t - b.t)::double precision, 0) as metres_per_second
from sluice.gps g
join sluice.device d using (device_key)
left join lateral (
    select p.t, p.lat, p.lon
    from sluice.gps p
    where p.device_key = g.device_key and p.t > g.t - interval '1 day' and p.t <= g.t
        and (p.t, p.lat, p.lon, coalesce(p.acc, 'infinity'))
            < (g.t, g.lat, g.lon, coalesce(g.acc, 'infinity'))
    order by p.t desc, p.lat desc, p.lon desc
    limit 1
) b on true;
comment on view analytics.track is
    'Each position with the way to it from the one before: a segment of the device''s track. Where '
    'none was in the day before, the columns of the way are null.';
comment on column analytics.track.device_id is 'The device, lower-case.';
comment on column analytics.track.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.track.time is 'When the device was here: the segment''s end.';
comment on column analytics.track.latitude is 'Degrees north, -90 to 90.';
comment on column analytics.track.longitude is 'Degrees east, -180 to 180.';
comment on column analytics.track.accuracy_m is 'Radius of uncertainty in metres; null if unknown.';
comment on column analytics.track.from_time is 'The segment''s beginning: when the device was there.';
comment on column analytics.track.from_latitude is 'Latitude there.';
comment on column analytics.track.from_longitude is 'Longitude there.';
comment on column analytics.track.seconds is 'From there to here.';
comment on column analytics.track.metres is 'The distance, along the great circle.';
comment on column analytics.track.metres_per_second is
    'metres / seconds; null for two positions of one time.';

-- Sessions and gaps.

create view analytics.reading as
select d.device_id, d.user_id, r.time, r.kind
from (
    select device_key, t as time, 'gps' as kind from sluice.gps
    union all
    select device_key, t, 'vital' from sluice.vital
    union all
    select device_key, t, 'event' from sluice.event
) r
join sluice.device d using (device_key);
comment on view analytics.reading is 'When there was a reading, of whatever kind.';
comment on column analytics.reading.device_id is 'The device, lower-case.';
comment on column analytics.reading.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.reading.time is 'The reading''s time.';
comment on column analytics.reading.kind is 'gps, vital or event.';

create function analytics.sessions_by(
    gap interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, started timestamptz, ended timestamptz, duration interval,
    readings bigint, positions bigint, vitals bigint, events bigint
)
language sql stable parallel safe
begin atomic
    select n.device_id, n.user_id, min(n.time), max(n.time), max(n.time) - min(n.time), count(*),
        count(*) filter (where n.kind = 'gps'), count(*) filter (where n.kind = 'vital'),
        count(*) filter (where n.kind = 'event')
    from (
        select b.device_id, b.user_id, b.time, b.kind,
            count(*) filter (where b.is_first) over (
                partition by b.device_id, b.user_id order by b.time
            ) as number
        from (
            select r.device_id, r.user_id, r.time, r.kind,
                coalesce(r.time - lag(r.time) over (
                    partition by r.device_id, r.user_id order by r.time
                ) > gap, true) as is_first
            from analytics.reading r
            where r.time >= from_time and r.time < to_time
        ) b
    ) n
    group by n.device_id, n.user_id, n.number;
end;
comment on function analytics.sessions_by is
    'Sessions: a device''s readings with no pause longer than gap between one and the next. Only '
    'readings from from_time up to but not including to_time count, so that a session that goes '
    'beyond is cut there. A filter on device_id reaches the index.';

create view analytics.session as
select * from analytics.sessions_by();
comment on view analytics.session is
    'sessions_by with its defaults: pauses of more than 30 minutes, all of the time there is. Name '
    'devices; for a stretch of time of the whole fleet call the function.';
comment on column analytics.session.device_id is 'The device, lower-case.';
comment on column analytics.session.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.session.started is 'Time of its first reading.';
comment on column analytics.session.ended is 'Time of its last reading.';
comment on column analytics.session.duration is 'ended - started; 0 for a single reading.';
comment on column analytics.session.readings is 'Readings of all kinds.';
comment on column analytics.session.positions is 'How many are positions.';
comment on column analytics.session.vitals is 'How many are measurements.';
comment on column analytics.session.events is 'How many are events.';

create function analytics.gaps_by(
    longer_than interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, began timestamptz, ended timestamptz, duration interval
)
language sql stable parallel safe
begin atomic
    select p.device_id, p.user_id, p.before, p.time, p.time - p.before
    from (
        select r.device_id, r.user_id, r.time,
            lag(r.time) over (
                partition by r.device_id, r.user_id order by r.time
            ) as before
        from analytics.reading r
        where r.time >= from_time and r.time < to_time
    ) p
    where p.time - p.before > longer_than;
end;
comment on function analytics.gaps_by is
    'Pauses of a device longer than longer_than, from the reading before to the one behind. What '
    'comes before the first reading in the bounds and after the last is not among them.';

-- Days.

create view analytics.device_day as
select d.device_id, d.user_id, n.day, p.positions, p.metres, v.vitals, e.events,
    greatest(p.last_minute, v.last_minute) - least(p.first_minute, v.first_minute)
        + interval '1 minute' as span
from (select distinct day from analytics.stored_day) n
cross join sluice.device d
cross join lateral (
    select coalesce(sum(r.readings), 0) as positions, coalesce(sum(r.metres), 0) as metres,
        min(r.minute) as first_minute, max(r.minute) as last_minute
    from sluice.gps_rollup r
    where r.device_key = d.device_key and r.minute >= n.day::timestamp at time zone 'UTC'
        and r.minute < (n.day + 1)::timestamp at time zone 'UTC'
) p
cross join lateral (
    select coalesce(sum(r.readings), 0) as vitals, min(r.minute) as first_minute,
        max(r.minute) as last_minute
    from sluice.vital_rollup r
    where r.device_key = d.device_key and r.minute >= n.day::timestamp at time zone 'UTC'
        and r.minute < (n.day + 1)::timestamp at time zone 'UTC'
) v
cross join lateral (
    select count(*) as events
    from sluice.event r
    where r.device_key = d.device_key and r.t >= n.day::timestamp at time zone 'UTC'
        and r.t < (n.day + 1)::timestamp at time zone 'UTC'
) e
where p.positions > 0 or v.vitals > 0 or e.events > 0;
comment on view analytics.device_day is
    'What each device has of each day of UTC; days without readings are left out. From the rollups: '
    'positions and measurements that were stored while these were switched off are missing until '
    'they are rebuilt. Filter on day, or on devices.';
comment on column analytics.device_day.device_id is 'The device, lower-case.';
comment on column analytics.device_day.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.device_day.day is 'The day of UTC.';
comment on column analytics.device_day.positions is 'How many positions.';
comment on column analytics.device_day.metres is
    'Distance travelled, as in distance_minute: the way over midnight counts for the later day.';
comment on column analytics.device_day.vitals is 'How many measurements, of all metrics.';
comment on column analytics.device_day.events is 'How many events.';
comment on column analytics.device_day.span is
    'From the first to the last minute with a position or a measurement, both included; null '
    'without any.';

create view analytics.vital_day as
select d.device_id, d.user_id, n.day, v.code, m.name as metric, m.unit, v.readings, v.low, v.high,
    v.total, v.total / v.readings as mean, v.last_value
from (select day from analytics.stored_day where kind = 'vital') n
cross join sluice.device d
cross join lateral (
    select r.code, sum(r.readings) as readings, min(r.low) as low, max(r.high) as high,
        sum(r.total) as total,
        (array_agg(r.last_val order by r.last_t desc, r.last_val desc))[1] as last_value
    from sluice.vital_rollup r
    where r.device_key = d.device_key and r.minute >= n.day::timestamp at time zone 'UTC'
        and r.minute < (n.day + 1)::timestamp at time zone 'UTC'
    group by r.code
) v
left join sluice.metric m using (code);
comment on view analytics.vital_day is
    'Measurements by device, metric and day of UTC, added up from the minutes. Filter on day, or on '
    'devices.';
comment on column analytics.vital_day.device_id is 'The device, lower-case.';
comment on column analytics.vital_day.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital_day.day is 'The day of UTC.';
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

-- Completeness. What "complete up to" means:
--
-- No server knows what a device has not sent. A phone that is offline queues its readings, and sends
-- them later, mostly in order. So what can be said rests on how the device behaved: take the newest
-- time stored of a kind, and go back by as much as a reading of that kind was ever late, within the
-- last 30 days in which any was. If the device keeps to that, everything it measured before is
-- stored: a reading that were still to come would have to be later than any was.
--
-- What it does not say:
--   - Nothing about the time behind it. A device that is silent has its data complete up to its
--     silence, however long that lasts: compare newest_time with now().
--   - A device may break its habit, after a month in a drawer, or with a second queue that an update
--     of its software brought.
--   - What is in quarantine is not stored. Nor is what a server keeps in its spool while the database
--     is away: it comes late, and counts as late.
--   - A kind that is sent seldom holds complete_up_to back; the columns by kind do not have that.

create view analytics.completeness as
select d.device_id, d.user_id, d.first_seen, s.last_seen,
    least(
        (select min(r.t) from sluice.gps r where r.device_key = d.device_key),
        (select min(r.t) from sluice.vital r where r.device_key = d.device_key),
        (select min(r.t) from sluice.event r where r.device_key = d.device_key)
    ) as oldest_time,
    n.newest_time, s.readings, s.late_readings,
    s.late_readings / nullif(s.readings, 0)::double precision as late_share,
    greatest(l.gps, l.vital, l.event) as late_by,
    nullif(s.late_at, '-infinity') as late_at,
    greatest(
        case when s.gps_until > s.gps_before then s.gps_until end,
        case when s.vital_until > s.vital_before then s.vital_until end,
        case when s.event_until > s.event_before then s.event_until end
    ) - s.last_seen as clock_skew,
    u.gps as gps_complete_up_to, u.vital as vital_complete_up_to,
    u.event as event_complete_up_to, least(u.gps, u.vital, u.event) as complete_up_to,
    g.gaps, g.longest_gap
from sluice.device d
join sluice.device_state s using (device_key)
cross join lateral (
    select nullif(greatest(s.gps_until, s.vital_until, s.event_until), '-infinity') as newest_time
) n
cross join lateral (
    select case when s.late_at > now() - interval '30 days' then interval '1 microsecond'
        else interval '0' end as unit
) c
cross join lateral (
    select s.gps_late_by_us * c.unit as gps, s.vital_late_by_us * c.unit as vital,
        s.event_late_by_us * c.unit as event
) l
cross join lateral (
    select nullif(least(s.gps_until, s.last_seen), '-infinity') - l.gps as gps,
        nullif(least(s.vital_until, s.last_seen), '-infinity') - l.vital as vital,
        nullif(least(s.event_until, s.last_seen), '-infinity') - l.event as event
) u
left join lateral (
    select count(*) filter (where h.pause > interval '1 hour') as gaps,
        max(h.pause) - interval '1 hour' as longest_gap
    from (
        select hour - lag(hour) over (order by hour) as pause
        from (
            select pg_catalog.date_bin('1 hour', n.newest_time, '0001-01-01 00:00:00+00')
                - o * interval '1 hour' as hour
            from pg_catalog.generate_series(0, 167) o
        ) o
        where exists (
            select from sluice.gps r
            where r.device_key = d.device_key and r.t >= hour and r.t < hour + interval '1 hour'
        ) or exists (
            select from sluice.vital r
            where r.device_key = d.device_key and r.t >= hour and r.t < hour + interval '1 hour'
        ) or exists (
            select from sluice.event r
            where r.device_key = d.device_key and r.t >= hour and r.t < hour + interval '1 hour'
        )
    ) h
) g on true;
comment on view analytics.completeness is
    'How complete each device''s data are, as far as a server can know: from how late the device has '
    'been so far. What it queues while it is offline is not known before it comes.';
comment on column analytics.completeness.device_id is 'The device, lower-case.';
comment on column analytics.completeness.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.completeness.first_seen is 'When its first batch arrived.';
comment on column analytics.completeness.last_seen is 'When its last batch arrived.';
comment on column analytics.completeness.oldest_time is 'Time of its oldest reading stored.';
comment on column analytics.completeness.newest_time is
    'Time of its newest reading; behind it nothing is known.';
comment on column analytics.completeness.readings is 'How many readings of it are stored.';
comment on column analytics.completeness.late_readings is
    'How many came after one of their kind with a later time. Those that a spool of the server''s '
    'brought back behind newer ones are among them.';
comment on column analytics.completeness.late_share is 'late_readings / readings.';
comment on column analytics.completeness.late_by is
    'How much older than the newest of its kind a late one was, at most; 0 when none came late in '
    'the last 30 days.';
comment on column analytics.completeness.late_at is
    'When the last late one was stored; null when none ever was.';
comment on column analytics.completeness.clock_skew is
    'How far the newest time in its last batch was ahead of that batch''s arrival. Positive: its '
    'clock is ahead, by no less than that. Negative: the batch waited, or the clock is behind; one '
    'batch does not tell which. Null: the last batch brought nothing newer.';
comment on column analytics.completeness.gps_complete_up_to is
    'All positions before that time are stored, if the device is late by no more than it was in the '
    'last 30 days in which it was: its newest position, or its last batch where its clock is ahead, '
    'less the most that a position was late. Null without positions.';
comment on column analytics.completeness.vital_complete_up_to is 'The same of measurements.';
comment on column analytics.completeness.event_complete_up_to is 'The same of events.';
comment on column analytics.completeness.complete_up_to is
    'The earliest of the three: all kinds that the device sends. A kind that it sends seldom holds '
    'it back.';
comment on column analytics.completeness.gaps is
    'In the 168 hours of UTC up to newest_time: how often one or several in a row are without any '
    'reading, between hours with some. See gaps_by for exact ones.';
comment on column analytics.completeness.longest_gap is
    'The longest of them, in whole hours; 0 without any.';

-- The quarantine and the fleet.

create view analytics.quarantine_by_reason as
select q.reason, count(*) as readings, count(distinct q.device_key) as devices,
    min(q.received_at) as first_received_at, max(q.received_at) as last_received_at,
    count(*) filter (where q.received_at > now() - interval '1 day') as last_day,
    sum(octet_length(q.body)) as bytes
from sluice.quarantine q
group by q.reason;
comment on view analytics.quarantine_by_reason is 'The quarantine, counted by reason.';
comment on column analytics.quarantine_by_reason.reason is 'Why they were set aside.';
comment on column analytics.quarantine_by_reason.readings is 'How many readings.';
comment on column analytics.quarantine_by_reason.devices is 'Of how many devices.';
comment on column analytics.quarantine_by_reason.first_received_at is 'When the first of them came.';
comment on column analytics.quarantine_by_reason.last_received_at is 'When the last of them came.';
comment on column analytics.quarantine_by_reason.last_day is
    'How many of them came in the last 24 hours.';
comment on column analytics.quarantine_by_reason.bytes is 'Their original bytes together.';

create view analytics.fleet as
select f.*, q.quarantined
from (
    select count(*) as devices,
        count(distinct d.user_id) as users,
        count(*) filter (where s.last_seen > now() - interval '5 minutes') as active_5_minutes,
        count(*) filter (where s.last_seen > now() - interval '1 hour') as active_hour,
        count(*) filter (where s.last_seen > now() - interval '1 day') as active_day,
        count(*) filter (where s.last_seen <= now() - interval '7 days') as silent_7_days,
        count(*) filter (where d.first_seen > now() - interval '1 day') as new_day,
        max(s.last_seen) as last_seen,
        coalesce(sum(s.readings), 0) as readings,
        coalesce(sum(s.late_readings), 0) as late_readings,
        coalesce(sum(s.late_readings), 0) / nullif(sum(s.readings), 0)::double precision
            as late_share,
        count(*) filter (
            where greatest(s.gps_until, s.vital_until, s.event_until)
                > s.last_seen + interval '1 minute'
        ) as clocks_ahead
    from sluice.device d
    join sluice.device_state s using (device_key)
) f
cross join (select count(*) as quarantined from sluice.quarantine) q;
comment on view analytics.fleet is 'All devices in one row.';
comment on column analytics.fleet.devices is 'Devices that ever sent a batch.';
comment on column analytics.fleet.users is 'Users they belong to.';
comment on column analytics.fleet.active_5_minutes is 'Devices with a batch in the last 5 minutes.';
comment on column analytics.fleet.active_hour is 'Devices with a batch in the last hour.';
comment on column analytics.fleet.active_day is 'Devices with a batch in the last 24 hours.';
comment on column analytics.fleet.silent_7_days is 'Devices without a batch for 7 days or longer.';
comment on column analytics.fleet.new_day is 'Devices whose first batch came in the last 24 hours.';
comment on column analytics.fleet.last_seen is 'When the last batch of any arrived.';
comment on column analytics.fleet.readings is 'Readings stored, of all kinds.';
comment on column analytics.fleet.late_readings is 'How many of them came late: see completeness.';
comment on column analytics.fleet.late_share is 'late_readings / readings.';
comment on column analytics.fleet.clocks_ahead is
    'Devices whose newest reading is more than a minute ahead of their last batch''s arrival.';
comment on column analytics.fleet.quarantined is 'Readings in quarantine.';
