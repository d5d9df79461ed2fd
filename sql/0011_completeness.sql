-- Sessions and gaps of a device, and how complete its data are.

-- Two readings in one block of time that is no wider than the pause can't be further apart than it: so
-- the readings are counted by blocks first, device by device through its index, and only blocks are put
-- in order. A device needs no memory for the others', and a LIMIT stops at the devices that fill it.
-- The wider the blocks, the fewer; an hour has few enough, and a calendar's month has no fixed width.
create function sluice.block_within(pause interval) returns interval
language sql immutable parallel safe
return case
    when pause >= interval '1 hour' then interval '1 hour'
    when pause >= interval '1 microsecond'
        and make_interval(secs => extract(epoch from pause)::double precision) = pause
    then make_interval(secs => extract(epoch from pause)::double precision)
    else interval '1 microsecond'
end;
comment on function sluice.block_within is 'A width for date_bin that is not above the pause.';

-- Plain SQL, which the planner takes apart as it does a view. Blocks before which there is a pause begin
-- a session; with what was counted until then, the next one that does says how the session ended. Behind
-- the last block stands one without a time, which ends the last session.
create function analytics.sessions_by(
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
        select b.first as started, lead(b.last_before) over next as ended,
            lead(b.readings_before) over next - b.readings_before as readings,
            lead(b.positions_before) over next - b.positions_before as positions,
            lead(b.vitals_before) over next - b.vitals_before as vitals
        from (
            select p.first, lag(p.last) over way as last_before,
                sum(p.readings) over way - p.readings as readings_before,
                sum(p.positions) over way - p.positions as positions_before,
                sum(p.vitals) over way - p.vitals as vitals_before
            from (
                select min(r.time) as first, max(r.time) as last, count(*)::integer as readings,
                    (count(*) filter (where r.kind = 'gps'))::integer as positions,
                    (count(*) filter (where r.kind = 'vital'))::integer as vitals
                from analytics.reading r
                where r.device_id = d.device_id and r.user_id = d.user_id
                    and r.time >= from_time and r.time < to_time
                group by date_bin(sluice.block_within(gap), r.time, '2000-01-01 00:00:00+00')
                union all
                select null, null, 0, 0, 0
            ) p
            window way as (order by p.first rows unbounded preceding)
        ) b
        where coalesce(b.first - b.last_before > gap, true)
        window next as (order by b.first)
    ) s
    where s.started is not null;
end;
comment on function analytics.sessions_by is
    'Sessions: a device''s readings with no pause longer than gap between one and the next. Only '
    'readings from from_time up to but not including to_time count, so that a session that goes '
    'beyond is cut there. A filter on device_id reaches the index.';

create view analytics.session as
select * from analytics.sessions_by();
comment on view analytics.session is
    'A device''s readings without pauses of over 30 minutes; see sessions_by.';
comment on column analytics.session.device_id is 'The device, lower-case.';
comment on column analytics.session.user_id is
    'Whose device it is; the device id where none was given.';
comment on column analytics.session.started is
    'Time of its first reading. For a stretch of time of the whole fleet call sessions_by.';
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
    select d.device_id, d.user_id, g.before, g.first, g.first - g.before
    from analytics.device d
    cross join lateral (
        select p.first, lag(p.last) over (order by p.first) as before
        from (
            select min(r.time) as first, max(r.time) as last
            from analytics.reading r
            where r.device_id = d.device_id and r.user_id = d.user_id
                and r.time >= from_time and r.time < to_time
            group by date_bin(
                sluice.block_within(longer_than), r.time, '2000-01-01 00:00:00+00')
        ) p
    ) g
    where g.first - g.before > longer_than;
end;
comment on function analytics.gaps_by is
    'Pauses of a device longer than longer_than, from the reading before to the one behind. What '
    'comes before the first reading in the bounds and after the last is not among them.';

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
--
-- Which of 168 hours have a reading: of a device with few the readings of all of them say so at once,
-- of another each hour is asked for one of any kind. Reading 4,000 costs as much as asking for 168
-- hours; how many a week it has is taken from how many it sent since it is known.
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
comment on view analytics.completeness is
    'How complete each device''s data are, judged by how late it has been so far.';
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
