-- Views and functions that read less: the same names, columns and rows by other plans.
--
-- No index is new. One on the readings' time alone costs more than all the rest of a COPY: twice the
-- processor time, 28 bytes a row, 60 % more log.

-- The newest measurements: the device's own key, so that a filter on devices is the first step. With
-- the key of device_state those of the whole fleet could be looked up first.

create or replace view analytics.latest_vital as
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

-- Tracks. An aggregate has one row, which tells the planner that it need not look for a position's
-- predecessor where nothing of it is asked for: count(*), max(time).

create or replace view analytics.track as
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
    select max(o.t) as t, max(o.lat) as lat, max(o.lon) as lon
    from (
        select p.t, p.lat, p.lon
        from sluice.gps p
        where p.device_key = g.device_key and p.t > g.t - interval '1 day' and p.t <= g.t
            and (p.t, p.lat, p.lon, coalesce(p.acc, 'infinity'))
                < (g.t, g.lat, g.lon, coalesce(g.acc, 'infinity'))
        order by p.t desc, p.lat desc, p.lon desc
        limit 1
    ) o
) b on true;

-- Sessions and gaps. Two readings in one block of time that is no wider than the pause can't be
-- further apart than it: so the readings are counted by blocks first, device by device through its
-- index, and only blocks are put in order. A device needs no memory for the others', and a LIMIT
-- stops at the devices that fill it.

create function sluice.block_within(pause interval) returns interval
language sql immutable parallel safe
return case
    when pause >= interval '1 hour' then interval '1 hour'
    when pause >= interval '15 minutes' then interval '15 minutes'
    when pause >= interval '1 minute' then interval '1 minute'
    when pause >= interval '1 second' then interval '1 second'
    else interval '1 microsecond'
end;
comment on function sluice.block_within is 'A width for date_bin that is not above the pause.';

create or replace function analytics.sessions_by(
    gap interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, started timestamptz, ended timestamptz, duration interval,
    readings bigint, positions bigint, vitals bigint, events bigint
)
language sql stable parallel safe
begin atomic
    select d.device_id, d.user_id, s.started, s.ended, s.ended - s.started, s.readings,
        s.positions, s.vitals, s.readings - s.positions - s.vitals
    from analytics.device d
    cross join lateral (
        select min(n.first) as started, max(n.last) as ended, sum(n.readings)::bigint as readings,
            sum(n.positions)::bigint as positions, sum(n.vitals)::bigint as vitals
        from (
            select b.*, count(*) filter (where b.is_first) over (order by b.first) as number
            from (
                select p.*,
                    coalesce(p.first - lag(p.last) over (order by p.first) > gap, true) as is_first
                from (
                    select min(r.time) as first, max(r.time) as last, count(*) as readings,
                        count(*) filter (where r.kind = 'gps') as positions,
                        count(*) filter (where r.kind = 'vital') as vitals
                    from analytics.reading r
                    where r.device_id = d.device_id and r.time >= from_time and r.time < to_time
                    group by date_bin(
                        sluice.block_within(gap), r.time, '2000-01-01 00:00:00+00')
                ) p
            ) b
        ) n
        group by n.number
    ) s;
end;

create or replace function analytics.gaps_by(
    longer_than interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, began timestamptz, ended timestamptz, duration interval
)
language sql stable parallel safe
begin atomic
    select d.device_id, d.user_id, g.before, g.first, g.first - g.before
    from analytics.device d
    cross join lateral (
        select p.first, lag(p.last) over (order by p.first) as before
        from (
            select min(r.time) as first, max(r.time) as last
            from analytics.reading r
            where r.device_id = d.device_id and r.time >= from_time and r.time < to_time
            group by date_bin(
                sluice.block_within(longer_than), r.time, '2000-01-01 00:00:00+00')
        ) p
    ) g
    where g.first - g.before > longer_than;
end;

-- Completeness. Which of 168 hours have a reading: of a device with few the readings of all of them
-- say so at once, of another each hour is asked for one of any kind. Reading 4,000 costs as much as
-- asking for 168 hours; how many a week it has is taken from how many it sent since it is known.

create or replace view analytics.completeness as
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
cross join lateral (
    select pg_catalog.date_bin('1 hour', n.newest_time, '0001-01-01 00:00:00+00')
            - interval '167 hours' as first_hour,
        pg_catalog.date_bin('1 hour', n.newest_time, '0001-01-01 00:00:00+00') as last_hour,
        s.readings <= 4000 * greatest(
            1, extract(epoch from s.last_seen - d.first_seen) / 604800) as has_few
) w
left join lateral (
    select count(*) filter (where h.pause > interval '1 hour') as gaps,
        max(h.pause) - interval '1 hour' as longest_gap
    from (
        select f.hour - lag(f.hour) over (order by f.hour) as pause
        from (
            select distinct pg_catalog.date_bin('1 hour', r.t, '0001-01-01 00:00:00+00') as hour
            from (
                select case when w.has_few then interval '168 hours' else interval '1 hour' end
                    as width
            ) k
            cross join lateral pg_catalog.generate_series(
                w.first_hour, w.last_hour, k.width) o (start)
            cross join lateral (
                select r.t
                from (
                    select device_key, t from sluice.gps
                    union all
                    select device_key, t from sluice.vital
                    union all
                    select device_key, t from sluice.event
                ) r
                where r.device_key = d.device_key and r.t >= o.start and r.t < o.start + k.width
                limit case when not w.has_few then 1 end
            ) r
        ) f
    ) h
) g on true;

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
    'The time of each device''s newest reading of each kind, at no cost: ask it for max(time), or '
    'from when on to look. Once that reading''s day has left the tables it is still said here.';
comment on column analytics.newest.device_id is 'The device, lower-case.';
comment on column analytics.newest.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.newest.kind is 'gps, vital or event.';
comment on column analytics.newest.time is 'Time of the newest reading stored.';
