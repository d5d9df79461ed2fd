-- What analysts read: plain names, device ids in place of keys, and no way to anything else.
--
-- Filters on device_id and time reach the partitions and the index (device_key, t).

create schema analytics;
comment on schema analytics is 'Telemetry for reading. Times are timestamptz; days are UTC days.';

create view analytics.gps as
select d.device_id, d.user_id, g.t as time,
    g.lat as latitude, g.lon as longitude, g.acc as accuracy_m
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

create view analytics.device as
select d.device_id, d.user_id, d.model_name, d.version, d.first_seen, s.last_seen, s.readings
from sluice.device d
left join sluice.device_state s using (device_key);
comment on view analytics.device is 'Every device that has sent a batch.';
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
    p.lat as latitude, p.lon as longitude, p.acc as accuracy_m
from sluice.device d
join sluice.device_state s using (device_key)
cross join lateral (
    select g.t, g.lat, g.lon, g.acc
    from sluice.gps g
    where g.device_key = s.device_key and g.t = s.gps_until
    limit 1
) p;
comment on view analytics.latest_position is
    'Where each device was last; none for a device without positions.';
comment on column analytics.latest_position.device_id is 'The device, lower-case.';
comment on column analytics.latest_position.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.latest_position.time is 'When the device was there.';
comment on column analytics.latest_position.latitude is 'Degrees north, -90 to 90.';
comment on column analytics.latest_position.longitude is 'Degrees east, -180 to 180.';
comment on column analytics.latest_position.accuracy_m is
    'Radius of uncertainty in metres; null if unknown.';

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
