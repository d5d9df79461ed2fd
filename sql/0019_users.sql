-- A reading belongs to the user whom its batch named, whatever later batches of its device name.
--
-- Until here a device had one user, the last one named, and one key. From here on a row of
-- sluice.device, its row of device_state and its key stand for a device id and a user, so all rows
-- with the key are that user's: the key is a hash of both (DeviceKey). A device that was registered
-- before keeps its key, its rows and its last user; its next batch registers another key.
--
-- A reading is stored once, whoever its user is. So the writer must know all keys of a device id:
-- device_keys has them and serialises their registration, and device_state has them where there
-- are several, so that the claim tells at no extra cost. All keys of a device id are in one shard.

alter table sluice.device drop constraint if exists device_device_id_key;
create index if not exists device_device_id on sluice.device (device_id);
comment on table sluice.device is
    'A device of a user: one row for each user whom its batches named. Changes rarely.';
comment on column sluice.device.user_id is
    'The user whom the batches named; where they named none, the device that sent them.';

alter table sluice.device_state add column family bigint[];
comment on table sluice.device_state is
    'What a device of a user has stored: the watermarks of exactly-once.';
comment on column sluice.device_state.key_check is
    '64 other bits of the hash: tell two devices with one device_key apart.';
comment on column sluice.device_state.family is
    'All keys of its device id; null while there is only this one.';

create table sluice.device_keys (
    device_key bigint not null,
    device_id text not null,
    keys bigint[] not null,
    primary key (device_key, device_id)
);
comment on table sluice.device_keys is 'The keys of each device id, one for each of its users.';
comment on column sluice.device_keys.device_key is
    'Not a device: the first eight bytes of SHA-256 of the id, in the same shard as its devices.';
comment on column sluice.device_keys.device_id is 'As sent, lower-cased.';
comment on column sluice.device_keys.keys is 'device_key of its rows in device; a key may repeat.';

insert into sluice.device_keys (device_key, device_id, keys)
select d.device_key, d.device_id, array[d.device_key] from sluice.device d;

-- Readings with their device and user. Everything that looks for readings by device id or user reads
-- them here. Once days are sealed, sluice.divide_readings replaces these views by others with the same
-- columns and rows.
create view sluice.device_gps as
select d.device_key, d.device_id, d.user_id, r.t, r.lat, r.lon, r.acc, r.alt, r.vacc, r.motion
from sluice.gps r
join sluice.device d using (device_key);
comment on view sluice.device_gps is 'Positions with their device and user.';

create view sluice.device_vital as
select d.device_key, d.device_id, d.user_id, r.t, r.code, r.val
from sluice.vital r
join sluice.device d using (device_key);
comment on view sluice.device_vital is 'Measurements with their device and user.';

create view sluice.device_event as
select d.device_key, d.device_id, d.user_id, r.t, r.label, r.val_text, r.metadata
from sluice.event r
join sluice.device d using (device_key);
comment on view sluice.device_event is 'Events with their device and user.';

create or replace view analytics.gps as
select r.device_id, r.user_id, r.t as time,
    r.lat as latitude, r.lon as longitude, r.acc as accuracy_m,
    r.alt as altitude_m, r.vacc as vertical_accuracy_m,
    nullif(r.motion >> 30, 8589934591)::double precision / 1e6::double precision
        as speed_m_per_s,
    nullif(r.motion & 1073741823, 1073741823)::double precision / 1e6::double precision
        as course_degrees
from sluice.device_gps r;

create or replace view analytics.vital as
select r.device_id, r.user_id, r.t as time, r.code, m.name as metric, m.unit, r.val as value
from sluice.device_vital r
left join sluice.metric m using (code);

create or replace view analytics.event as
select r.device_id, r.user_id, r.t as time, r.label, r.val_text as value, r.metadata
from sluice.device_event r;

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
    select r.device_id, r.user_id, h.time, r.code, m.name as metric, m.unit,
        count(*) as readings, min(r.val) as low, max(r.val) as high,
        sum(sluice.bounded(r.val)) as total, sum(sluice.bounded(r.val)) / count(*) as mean,
        (array_agg(r.val order by r.t desc, r.val desc))[1] as last_value
    from pg_catalog.generate_series(n.first_minute, n.end_minute, '1 minute') h (time)
    join sluice.device_vital r on sluice.minute_of(r.t) = h.time
    left join sluice.metric m using (code)
    where h.time >= n.first_minute and h.time < n.end_minute
        and r.t >= n.first_minute and (r.t < n.end_minute or r.t < n.end_minute_again)
    group by r.device_key, r.device_id, r.user_id, h.time, r.code, m.code
) v;

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
        select e.device_id, e.user_id, 0, 0, 0, 1, null, null
        from sluice.device_event e
        where e.t >= n.start and e.t < n.stop
    ) p
    group by p.device_id, p.user_id
) r;

alter table sluice.quarantine add column user_id text;
comment on column sluice.quarantine.user_id is
    'The user of the batch that brought it; null if it came before this was noted.';
create or replace view analytics.quarantine as
select q.device_id, q.received_at, q.reason, q.reading_index, q.api_key,
    encode(q.body, 'escape') as body, q.digest,
    coalesce(q.user_id, d.user_id, q.device_id) as user_id
from sluice.quarantine q
left join sluice.device d using (device_key);

comment on view analytics.device is
    'Every device that has sent a batch, one row for each user it named.';
comment on view analytics.latest_position is 'Where each device last was, for each of its users.';

-- A device counts once, whoever its users are.
create or replace view analytics.fleet as
select f.devices, u.users, f.active_5_minutes, f.active_hour, f.active_day, f.silent_7_days,
    f.new_day, f.last_seen, f.readings, f.late_readings, f.late_share, f.clocks_ahead, q.quarantined
from (
    select count(*) as devices,
        count(*) filter (where x.last_seen > now() - interval '5 minutes') as active_5_minutes,
        count(*) filter (where x.last_seen > now() - interval '1 hour') as active_hour,
        count(*) filter (where x.last_seen > now() - interval '1 day') as active_day,
        count(*) filter (where x.last_seen <= now() - interval '7 days') as silent_7_days,
        count(*) filter (where x.first_seen > now() - interval '1 day') as new_day,
        max(x.last_seen) as last_seen,
        coalesce(sum(x.readings), 0) as readings,
        coalesce(sum(x.late_readings), 0) as late_readings,
        coalesce(sum(x.late_readings), 0) / nullif(sum(x.readings), 0)::double precision
            as late_share,
        count(*) filter (where x.is_ahead) as clocks_ahead
    from (
        select d.device_id, min(d.first_seen) as first_seen, max(s.last_seen) as last_seen,
            sum(s.readings) as readings, sum(s.late_readings) as late_readings,
            bool_or(greatest(s.gps_until, s.vital_until, s.event_until)
                > s.last_seen + interval '1 minute') as is_ahead
        from sluice.device d
        join sluice.device_state s using (device_key)
        group by d.device_id
    ) x
) f
cross join (select count(distinct d.user_id) as users from sluice.device d) u
cross join (select count(*) as quarantined from sluice.quarantine) q;

-- The text of the column was the device's user.
do $$
declare
    item record;
begin
    for item in
        select c.relname from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped
        where c.relnamespace = 'analytics'::regnamespace and c.relkind = 'v'
    loop
        execute format(
            'comment on column analytics.%I.user_id is %L', item.relname,
            'The user whom the batch named; where it named none, the device that sent it.');
    end loop;
end
$$;

-- The check of a key is that of device and user, except for devices from before this step. Families
-- are made anew: both tables may be older than the devices.
create or replace function sluice.raise_watermarks() returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    newest record;
    raised bigint := 0;
begin
    insert into sluice.device_state (device_key, key_check)
    select d.device_key,
        ('x' || encode(substr(case when d.device_key = d.id_key then d.of_id else d.of_both end,
            9, 8), 'hex'))::bit(64)::bigint
    from (
        select e.device_key, e.of_id, e.of_both,
            ('x' || encode(substr(e.of_id, 1, 8), 'hex'))::bit(64)::bigint as id_key
        from (
            select f.device_key, sha256(convert_to(f.device_id, 'UTF8')) as of_id,
                sha256(convert_to(f.device_id, 'UTF8') || '\x00'::bytea
                    || convert_to(f.user_id, 'UTF8')) as of_both
            from sluice.device f
            where not exists (
                select from sluice.device_state s where s.device_key = f.device_key)
        ) e
    ) d
    order by d.device_key
    on conflict do nothing;
    for newest in
        select ('x' || encode(substr(sha256(convert_to(d.device_id, 'UTF8')), 1, 8), 'hex')
            )::bit(64)::bigint as id_key, d.device_id,
            array_agg(d.device_key order by d.device_key) as keys
        from sluice.device d
        group by d.device_id
        order by 1, 2
    loop
        perform k.keys from sluice.device_keys k
        where k.device_key = newest.id_key and k.device_id = newest.device_id
            and k.keys @> newest.keys;
        if not found then
            insert into sluice.device_keys (device_key, device_id, keys)
            values (newest.id_key, newest.device_id, newest.keys)
            on conflict (device_key, device_id)
                do update set keys = device_keys.keys || excluded.keys;
        end if;
        if cardinality(newest.keys) > 1 then
            update sluice.device_state s set family = newest.keys
            where s.device_key = any (newest.keys) and s.family is distinct from newest.keys;
        end if;
    end loop;
    for newest in
        select r.device_key, max(r.gps) as gps, max(r.vital) as vital, max(r.event) as event
        from (
            select g.device_key, max(g.t) as gps, null::timestamptz as vital,
                null::timestamptz as event
            from sluice.gps g group by g.device_key
            union all
            select v.device_key, null, max(v.t), null from sluice.vital v group by v.device_key
            union all
            select e.device_key, null, null, max(e.t) from sluice.event e group by e.device_key
        ) r
        join sluice.device_state s using (device_key)
        group by r.device_key
        having max(r.gps) > max(s.gps_until) or max(r.vital) > max(s.vital_until)
            or max(r.event) > max(s.event_until)
        order by r.device_key
    loop
        update sluice.device_state s set
            gps_until = greatest(s.gps_until, newest.gps),
            vital_until = greatest(s.vital_until, newest.vital),
            event_until = greatest(s.event_until, newest.event)
        where s.device_key = newest.device_key;
        raised := raised + 1;
    end loop;
    return raised;
end
$$;
