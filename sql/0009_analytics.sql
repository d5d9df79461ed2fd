-- What analysts read: plain names, device ids in place of keys, and no way to anything else.
--
-- A filter on device_id reaches the index (device_key, t) of each day in all of these views, and a
-- filter on time reaches the days. Where neither can be, because a row is made of many readings, there
-- is a function that takes the bounds as arguments: sessions_by, gaps_by.

create schema analytics;
comment on schema analytics is 'Telemetry for reading. Times are timestamptz; days are UTC days.';

create function sluice.grant_reader(reader name) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    execute format('grant usage on schema analytics to %I', reader);
    execute format('grant select on all tables in schema analytics to %I', reader);
    execute format(
        'alter default privileges in schema analytics grant select on tables to %I', reader);
end
$$;
comment on function sluice.grant_reader is
    'Lets a role read the analytics schema and nothing else.';

-- The role belongs to the whole cluster: another database may have made it, or nobody may.
do $$
begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'sluice_reader') then
        begin
            create role sluice_reader nologin;
        exception
            when duplicate_object or unique_violation then
                null;
            when insufficient_privilege then
                raise warning using message = format(
                    'role sluice_reader was not made: %s may not create roles. Let one who may '
                    'create a role of any name, then run: select sluice.grant_reader(''its name'')',
                    current_user);
                return;
        end;
    end if;
    perform sluice.grant_reader('sluice_reader');
end
$$;

-- Readings.

create view analytics.gps as
select d.device_id, d.user_id, g.t as time,
    g.lat as latitude, g.lon as longitude, g.acc as accuracy_m,
    g.alt as altitude_m, g.vacc as vertical_accuracy_m,
    nullif(g.motion >> 30, 8589934591)::double precision / 1e6::double precision
        as speed_m_per_s,
    nullif(g.motion & 1073741823, 1073741823)::double precision / 1e6::double precision
        as course_degrees
from sluice.gps g
join sluice.device d using (device_key);
comment on view analytics.gps is 'Positions, one row a reading.';
comment on column analytics.gps.device_id is 'The device, lower-case.';
comment on column analytics.gps.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.gps.time is 'When the device was there.';
comment on column analytics.gps.latitude is 'Degrees north, -90 to 90.';
comment on column analytics.gps.longitude is 'Degrees east, -180 to 180.';
comment on column analytics.gps.accuracy_m is 'Radius of uncertainty in metres; null if unknown.';
comment on column analytics.gps.altitude_m is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column analytics.gps.vertical_accuracy_m is
    'Uncertainty of altitude_m in metres; null if unknown.';
comment on column analytics.gps.speed_m_per_s is
    'As the device measured it, to six decimals; null if unknown.';
comment on column analytics.gps.course_degrees is
    'Direction of the movement, clockwise from north, to six decimals; null if unknown.';

create view analytics.vital as
select d.device_id, d.user_id, v.t as time, v.code, m.name as metric, m.unit, v.val as value
from sluice.vital v
join sluice.device d using (device_key)
left join sluice.metric m using (code);
comment on view analytics.vital is 'Measurements, one row a reading.';
comment on column analytics.vital.device_id is 'The device, lower-case.';
comment on column analytics.vital.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.vital.time is 'When it was measured.';
comment on column analytics.vital.code is 'The metric as the device names it.';
comment on column analytics.vital.metric is 'The metric''s name; null for a code nobody has named.';
comment on column analytics.vital.unit is 'Unit of value; null as metric.';
comment on column analytics.vital.value is 'The measurement.';

create view analytics.event as
select d.device_id, d.user_id, e.t as time, e.label, e.val_text as value, e.metadata
from sluice.event e
join sluice.device d using (device_key);
comment on view analytics.event is 'Events, one row a reading.';
comment on column analytics.event.device_id is 'The device, lower-case.';
comment on column analytics.event.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.event.time is 'When it happened.';
comment on column analytics.event.label is 'What happened, for example motion_state.';
comment on column analytics.event.value is 'The event''s value as text; null if it has none.';
comment on column analytics.event.metadata is 'Whatever else the device said about it.';

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

-- Devices and what is newest of each.

create view analytics.device as
select d.device_id, d.user_id, d.model_name, d.version, d.first_seen, s.last_seen, s.readings
from sluice.device d
left join sluice.device_state s using (device_key);
comment on view analytics.device is
    'Every device that has sent a batch, one row for each user it named.';
comment on column analytics.device.device_id is 'The device, lower-case.';
comment on column analytics.device.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.device.model_name is 'The last one it gave; null if it never did.';
comment on column analytics.device.version is 'Version of its software, as model_name.';
comment on column analytics.device.first_seen is 'When its first batch arrived.';
comment on column analytics.device.last_seen is 'When its last batch arrived.';
comment on column analytics.device.readings is 'How many readings of it are stored.';

-- The watermark is the newest position's time: one partition, one index look-up a device.
create view analytics.latest_position as
select d.device_id, d.user_id, p.t as time,
    p.lat as latitude, p.lon as longitude, p.acc as accuracy_m,
    p.alt as altitude_m, p.vacc as vertical_accuracy_m,
    nullif(p.motion >> 30, 8589934591)::double precision / 1e6::double precision
        as speed_m_per_s,
    nullif(p.motion & 1073741823, 1073741823)::double precision / 1e6::double precision
        as course_degrees
from sluice.device d
join sluice.device_state s using (device_key)
cross join lateral (
    select g.t, g.lat, g.lon, g.acc, g.alt, g.vacc, g.motion
    from sluice.gps g
    where g.device_key = s.device_key and g.t = s.gps_until
    limit 1
) p;
comment on view analytics.latest_position is 'Where each device last was, for each of its users.';
comment on column analytics.latest_position.device_id is 'The device, lower-case.';
comment on column analytics.latest_position.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.latest_position.time is 'When the device was there.';
comment on column analytics.latest_position.latitude is 'Degrees north, -90 to 90.';
comment on column analytics.latest_position.longitude is 'Degrees east, -180 to 180.';
comment on column analytics.latest_position.accuracy_m is
    'Radius of uncertainty in metres; null if unknown.';
comment on column analytics.latest_position.altitude_m is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column analytics.latest_position.vertical_accuracy_m is
    'Uncertainty of altitude_m in metres; null if unknown.';
comment on column analytics.latest_position.speed_m_per_s is
    'As the device measured it, to six decimals; null if unknown.';
comment on column analytics.latest_position.course_degrees is
    'Direction of the movement, clockwise from north, to six decimals; null if unknown.';

-- The device's own key, so that a filter on devices is the first step. With the key of device_state
-- those of the whole fleet could be looked up first.
create view analytics.latest_vital as
select d.device_id, d.user_id, v.t as time, v.code, m.name as metric, m.unit, v.val as value
from sluice.device d
join sluice.device_state s using (device_key)
cross join lateral (
    select distinct on (r.code) r.code, r.t, r.val
    from sluice.vital r
    where r.device_key = d.device_key and r.t <= s.vital_until
        and r.t > s.vital_until - interval '1 day'
    order by r.code, r.t desc, r.val desc
) v
left join sluice.metric m using (code)
where s.vital_until > '-infinity';
comment on view analytics.latest_vital is
    'The newest measurement of each device and metric, of the device''s last day.';
comment on column analytics.latest_vital.device_id is 'The device, lower-case.';
comment on column analytics.latest_vital.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.latest_vital.time is
    'When it was measured: within the day before the device''s newest measurement.';
comment on column analytics.latest_vital.code is 'The metric as the device names it.';
comment on column analytics.latest_vital.metric is
    'The metric''s name; null for a code nobody has named.';
comment on column analytics.latest_vital.unit is 'Unit of value; null as metric.';
comment on column analytics.latest_vital.value is
    'The measurement; of several at one time the greatest.';

-- What is newest, of every kind, without a look at any reading. max(time) of gps, vital, event or
-- reading can't be had so: PostgreSQL takes a maximum from an index only where a single table is
-- asked for it, and those views join the device.
create view analytics.newest as
select d.device_id, d.user_id, 'gps' as kind, s.gps_until as time
from sluice.device d
join sluice.device_state s using (device_key)
where s.gps_until > '-infinity'
union all
select d.device_id, d.user_id, 'vital', s.vital_until
from sluice.device d
join sluice.device_state s using (device_key)
where s.vital_until > '-infinity'
union all
select d.device_id, d.user_id, 'event', s.event_until
from sluice.device d
join sluice.device_state s using (device_key)
where s.event_until > '-infinity';
comment on view analytics.newest is
    'The time of each device''s newest reading of each kind, without reading any.';
comment on column analytics.newest.device_id is 'The device, lower-case.';
comment on column analytics.newest.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.newest.kind is 'gps, vital or event.';
comment on column analytics.newest.time is
    'Time of the newest reading stored, also once its day has left the tables.';

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

-- The days there are.
create view analytics.stored_day as
select p.kind collate "default" as kind, p.day
from sluice.day_partition p
where p.kind in ('gps', 'vital', 'event') and not p.is_pending;
comment on view analytics.stored_day is
    'The days of UTC that the tables have room for; a day need not have readings.';
comment on column analytics.stored_day.kind is 'gps, vital or event.';
comment on column analytics.stored_day.day is 'A day of UTC.';

-- The quarantine.

create view analytics.quarantine as
select q.device_id, q.received_at, q.reason, q.reading_index, q.api_key,
    encode(q.body, 'escape') as body, q.digest
from sluice.quarantine q;
comment on view analytics.quarantine is 'Readings that were not stored.';
comment on column analytics.quarantine.device_id is 'The device that sent it, lower-case.';
comment on column analytics.quarantine.received_at is 'When it came first.';
comment on column analytics.quarantine.reason is 'Why it was set aside.';
comment on column analytics.quarantine.reading_index is 'Its place in its batch, from 0.';
comment on column analytics.quarantine.api_key is 'Name of the key that its batch came with.';
comment on column analytics.quarantine.body is 'The reading as sent; bytes beyond ASCII as \ooo.';
comment on column analytics.quarantine.digest is 'SHA-256 of the bytes; names the reading.';

create view analytics.quarantine_by_reason as
select q.reason, count(*) as readings, count(distinct q.device_id) as devices,
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
