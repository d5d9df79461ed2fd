-- Distributes Sluice's database over the nodes of a Citus cluster (version 11 or later). This is
-- not a migration: `sluice migrate --citus` runs it on the coordinator, after the migrations, in
-- one transaction. It may be run any number of times, and must be run again after each upgrade.
--
-- Every table with a device_key is distributed by it. These are co-located, so that a device's rows
-- in all tables are on one node. Partitions follow their parents. So do those that ensure_days
-- makes later, because ATTACH PARTITION distributes a plain table that is attached to a distributed
-- one.
--
-- These tables are reference tables, copied to every node: migration, which lanes connected to a
-- worker read, and metric, which analysts' joins need beside each shard.
--
-- All other tables stay plain tables of the coordinator: keys, jobs, notices, node_heartbeat, rejected
-- units, and all tables of the users' apps with their sequences and foreign keys. The lanes of the
-- apps, and sessions that LISTEN, are connected to the coordinator.

-- Several tables are distributed in one transaction, and some of them already have rows.
set local citus.multi_shard_modify_mode = 'sequential';

-- Replaces node_heartbeat for lanes that write shards. The row is in the shard itself, so it proves that
-- this very node accepts rows.
create table if not exists sluice.shard_heartbeat (
    device_key bigint not null,
    node text not null,
    lane integer not null,
    heartbeat timestamptz not null,
    primary key (device_key, node, lane)
);
comment on table sluice.shard_heartbeat is
    'When each lane last verified that a shard accepts rows.';
comment on column sluice.shard_heartbeat.device_key is
    'Not a device: a number whose hash belongs to the shard.';
comment on column sluice.shard_heartbeat.node is 'The process, as in node_heartbeat.';
comment on column sluice.shard_heartbeat.lane is 'The lane of that process.';
comment on column sluice.shard_heartbeat.heartbeat is 'Time of the last heartbeat.';

do $$
declare
    -- The other tables are co-located with device_state.
    per_device constant text[] := (
        select array_agg(c.relname::text order by c.relname <> 'device_state', c.oid)
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'device_key'
            and not a.attisdropped
        where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'p')
            and not c.relispartition);
    everywhere constant text[] := array['migration', 'metric', 'metric_name'];
    routines constant text[] := array[
        'partition_days()', 'first_day(date)', 'missing_days(date, date)',
        'hour_of(timestamptz)', 'minute_of(timestamptz)', 'bounded(double precision)',
        'metres_between(double precision, double precision, double precision, double precision)',
        'metres_of_way(timestamptz, double precision, double precision, '
            'timestamptz, double precision, double precision)',
        'day_in(timestamptz, text)', 'move_way(bigint, timestamptz, timestamptz)',
        'note_next_hours(bigint[], timestamptz[])'];
    item text;
    leader text := 'none';
begin
    foreach item in array per_device loop
        if not exists (
            select from pg_dist_partition
            where logicalrelid = ('sluice.' || item)::regclass
        ) then
            perform create_distributed_table(
                ('sluice.' || item)::regclass, 'device_key', colocate_with => leader);
            -- The rows are on the nodes now; without this, the coordinator would keep its copy.
            perform truncate_local_data_after_distributing_table(('sluice.' || item)::regclass);
        end if;
        leader := 'sluice.device_state';
    end loop;
    foreach item in array everywhere loop
        if not exists (
            select from pg_dist_partition
            where logicalrelid = ('sluice.' || item)::regclass
        ) then
            perform create_reference_table(('sluice.' || item)::regclass);
        end if;
    end loop;
    -- Functions that a lane's statements call on its worker.
    foreach item in array routines loop
        perform create_distributed_function(('sluice.' || item)::regprocedure);
    end loop;
    -- Citus reads shards as the caller, not as the view's owner. The views expose all these tables.
    if to_regrole('sluice_reader') is not null then
        grant usage on schema sluice to sluice_reader;
        foreach item in array per_device || everywhere loop
            execute format('grant select on sluice.%I to sluice_reader', item);
        end loop;
        grant select (user_id, days_in) on sluice.app_user to sluice_reader;
    end if;
end
$$;

-- Citus can't plan the original form of the following views and functions. They are replaced by
-- ones with the same columns and rows. The views use subqueries grouped by device_key, the
-- functions statements whose parameters are the function's own. Filters on day or hour do not prune
-- partitions here.

-- The readings of due hours are joined and grouped by device and hour, not looked up for each hour.

create or replace view sluice.vital_hours as
select h.device_key, d.device_id, d.user_id, h.hour, h.readings, h.code, h.first_minute,
    h.last_minute, h.low, h.high, h.total, h.last_val
from (
    select r.device_key, r.hour, r.readings::bigint as readings, r.code, r.first_minute,
        r.last_minute, r.low, r.high, sluice.bounded(r.total) as total, r.last_val
    from sluice.vital_rollup r
    where not exists (
        select from sluice.rollup_due w
        where w.device_key = r.device_key and w.hour = r.hour and w.kind = 'vital')
    union all
    select w.device_key, w.hour, count(*), v.code,
        floor(extract(epoch from min(v.t) - w.hour) / 60)::smallint,
        floor(extract(epoch from max(v.t) - w.hour) / 60)::smallint,
        min(v.val), max(v.val), sum(sluice.bounded(v.val)),
        (array_agg(v.val order by v.t desc, v.val desc))[1]
    from sluice.rollup_due w
    join sluice.vital v on v.device_key = w.device_key
        and v.t >= w.hour and v.t < w.hour + interval '1 hour'
    where w.kind = 'vital'
    group by w.device_key, w.hour, v.code
) h
join sluice.device d using (device_key);

create or replace view analytics.vital_minute as
select d.device_id, d.user_id, v.time, v.code, m.name as metric, m.unit, v.readings, v.low, v.high,
    v.total, v.total / v.readings as mean, v.last_value
from (
    select r.device_key, sluice.minute_of(r.t) as time, r.code, count(*) as readings,
        min(r.val) as low, max(r.val) as high, sum(sluice.bounded(r.val)) as total,
        (array_agg(r.val order by r.t desc, r.val desc))[1] as last_value
    from sluice.vital r
    group by 1, 2, 3
) v
join sluice.device d using (device_key)
left join sluice.metric m using (code);

-- The ways of hours, minutes and tracks look for the position before in gps only. What sum_hour makes
-- later also has the ways from days that left. First positions of days that leave are not kept: a late
-- position does not correct the hours of such a day.

create or replace function sluice.keep_first_positions(of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
end
$$;

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
        coalesce(sum(o.metres), 0) as metres
    from (
        select g.t, sluice.metres_of_way(
            lag(g.t, 1, b.t) over way, lag(g.lat, 1, b.lat) over way,
            lag(g.lon, 1, b.lon) over way, g.t, g.lat, g.lon) as metres
        from sluice.gps g
        left join lateral (
            select p.t, p.lat, p.lon from sluice.gps p
            where p.device_key = w.device_key and p.t < w.hour
            order by p.t desc, p.lat desc, p.lon desc limit 1
        ) b on true
        where g.device_key = w.device_key and g.t >= w.hour and g.t < w.hour + interval '1 hour'
        window way as (order by g.t, g.lat, g.lon)
    ) o
    having count(*) > 0
) p
where w.kind = 'gps';

create or replace view analytics.distance_minute as
select d.device_id, d.user_id, v.time, v.positions, v.metres
from (
    select o.device_key, sluice.minute_of(o.t) as time, count(*) as positions,
        coalesce(sum(o.metres), 0) as metres
    from (
        select g.device_key, g.t, sluice.metres_of_way(
            lag(g.t) over way, lag(g.lat) over way, lag(g.lon) over way, g.t, g.lat, g.lon) as metres
        from sluice.gps g
        window way as (partition by g.device_key order by g.t, g.lat, g.lon)
    ) o
    group by 1, 2
) v
join sluice.device d using (device_key);

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
        where p.device_key = g.device_key and p.t >= g.t - interval '1 day' and p.t <= g.t
            and (p.t, p.lat, p.lon, coalesce(p.acc, 'infinity'), coalesce(p.alt, 'infinity'),
                    coalesce(p.vacc, 'infinity'), coalesce(p.motion, 9223372036854775807))
                < (g.t, g.lat, g.lon, coalesce(g.acc, 'infinity'), coalesce(g.alt, 'infinity'),
                    coalesce(g.vacc, 'infinity'), coalesce(g.motion, 9223372036854775807))
        order by p.t desc, p.lat desc, p.lon desc
        limit 1
    ) o
) b on true;

create or replace view analytics.device_day as
select d.device_id, d.user_id, r.day, r.positions, r.metres, r.vitals, r.events, r.span
from (
    select p.device_key, p.day, sum(p.positions)::bigint as positions, sum(p.metres) as metres,
        sum(p.vitals)::bigint as vitals, sum(p.events)::bigint as events,
        max(p.last) - min(p.first) + interval '1 minute' as span
    from (
        select g.device_key, (g.hour at time zone 'UTC')::date as day, g.readings as positions,
            g.metres, 0 as vitals, 0 as events,
            g.hour + g.first_minute * interval '1 minute' as first,
            g.hour + g.last_minute * interval '1 minute' as last
        from sluice.gps_hours g
        union all
        select v.device_key, (v.hour at time zone 'UTC')::date, 0, 0, v.readings, 0,
            v.hour + v.first_minute * interval '1 minute',
            v.hour + v.last_minute * interval '1 minute'
        from sluice.vital_hours v
        union all
        select e.device_key, (e.t at time zone 'UTC')::date, 0, 0, 0, 1, null, null
        from sluice.event e
    ) p
    group by 1, 2
) r
join sluice.device d using (device_key);

create or replace view analytics.completeness as
select d.device_id, d.user_id, d.first_seen, s.last_seen, o.oldest_time, s.newest_time, s.readings,
    s.late_readings, s.late_readings / nullif(s.readings, 0)::double precision as late_share,
    greatest(s.gps_late, s.vital_late, s.event_late) as late_by,
    nullif(s.late_at, '-infinity') as late_at,
    greatest(
        case when s.gps_until > s.gps_before then s.gps_until end,
        case when s.vital_until > s.vital_before then s.vital_until end,
        case when s.event_until > s.event_before then s.event_until end) - s.last_seen
        as clock_skew,
    s.gps_last - s.gps_late as gps_complete_up_to,
    s.vital_last - s.vital_late as vital_complete_up_to,
    s.event_last - s.event_late as event_complete_up_to,
    least(s.gps_last - s.gps_late, s.vital_last - s.vital_late, s.event_last - s.event_late)
        as complete_up_to,
    coalesce(g.gaps, 0) as gaps, g.longest_gap
from sluice.device d
join (
    select x.*, nullif(greatest(x.gps_until, x.vital_until, x.event_until), '-infinity')
            as newest_time,
        x.gps_late_by_us * x.unit as gps_late, x.vital_late_by_us * x.unit as vital_late,
        x.event_late_by_us * x.unit as event_late,
        nullif(least(x.gps_until, x.last_seen), '-infinity') as gps_last,
        nullif(least(x.vital_until, x.last_seen), '-infinity') as vital_last,
        nullif(least(x.event_until, x.last_seen), '-infinity') as event_last
    from (
        select y.*, case when y.late_at > now() - interval '30 days'
            then interval '1 microsecond' else interval '0' end as unit
        from sluice.device_state y
    ) x
) s using (device_key)
left join (
    select r.device_key, min(r.t) as oldest_time
    from (
        select device_key, t from sluice.gps
        union all
        select device_key, t from sluice.vital
        union all
        select device_key, t from sluice.event
    ) r
    group by 1
) o using (device_key)
left join (
    select h.device_key, count(*) filter (where h.pause > interval '1 hour') as gaps,
        max(h.pause) - interval '1 hour' as longest_gap
    from (
        select b.device_key,
            b.hour - lag(b.hour) over (partition by b.device_key order by b.hour) as pause
        from (
            select r.device_key, date_bin('1 hour', r.t, '0001-01-01 00:00:00+00') as hour
            from (
                select device_key, t from sluice.gps
                union all
                select device_key, t from sluice.vital
                union all
                select device_key, t from sluice.event
            ) r
            join sluice.device_state n using (device_key)
            where r.t >= date_bin(
                '1 hour', greatest(n.gps_until, n.vital_until, n.event_until),
                '0001-01-01 00:00:00+00') - interval '167 hours'
            group by 1, 2
        ) b
    ) h
    group by 1
) g using (device_key);

-- An hour that lies in two local days counts for the one that it begins in, and is not exact.

create or replace view analytics.vital_local_day as
select h.device_id, h.user_id, sluice.day_in(h.hour, u.days_in) as day,
    coalesce(u.days_in, 'UTC') as time_zone, h.code, m.name as metric, m.unit,
    sum(h.readings)::bigint as readings, min(h.low) as low, max(h.high) as high,
    sum(h.total) as total, sum(h.total) / sum(h.readings)::bigint as mean,
    (array_agg(h.last_val order by h.hour desc))[1] as last_value,
    bool_and(sluice.day_in(h.hour, u.days_in)
        = sluice.day_in(h.hour + interval '59 minutes 59.999999 s', u.days_in)) as is_exact
from sluice.vital_hours h
left join sluice.app_user u using (user_id)
left join sluice.metric m using (code)
group by h.device_id, h.user_id, 3, u.days_in, h.code, m.name, m.unit;

create or replace view analytics.device_local_day as
select p.device_id, p.user_id, sluice.day_in(p.hour, u.days_in) as day,
    coalesce(u.days_in, 'UTC') as time_zone, sum(p.positions)::bigint as positions,
    sum(p.metres) as metres, sum(p.vitals)::bigint as vitals, sum(p.events)::bigint as events,
    max(p.last) - min(p.first) filter (where p.events = 0) + interval '1 minute' as span,
    bool_and(p.events = 1 or sluice.day_in(p.hour, u.days_in)
        = sluice.day_in(p.hour + interval '59 minutes 59.999999 s', u.days_in)) as is_exact
from (
    select g.device_id, g.user_id, g.hour, g.readings as positions, g.metres, 0 as vitals,
        0 as events, g.hour + g.first_minute * interval '1 minute' as first,
        g.hour + g.last_minute * interval '1 minute' as last
    from sluice.gps_hours g
    union all
    select v.device_id, v.user_id, v.hour, 0, 0, v.readings, 0,
        v.hour + v.first_minute * interval '1 minute',
        v.hour + v.last_minute * interval '1 minute'
    from sluice.vital_hours v
    union all
    select d.device_id, d.user_id, e.t, 0, 0, 0, 1, e.t, null
    from sluice.event e
    join sluice.device d using (device_key)
) p
left join sluice.app_user u using (user_id)
group by p.device_id, p.user_id, 3, u.days_in;

create or replace function analytics.sessions_by(
    gap interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, started timestamptz, ended timestamptz, duration interval,
    readings bigint, positions bigint, vitals bigint, events bigint
)
language plpgsql stable parallel safe
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    select n.device_id, n.user_id, min(n.time), max(n.time), max(n.time) - min(n.time), count(*),
        count(*) filter (where n.kind = 'gps'), count(*) filter (where n.kind = 'vital'),
        count(*) filter (where n.kind = 'event')
    from (
        select b.*, count(*) filter (where b.is_first)
            over (partition by b.device_id, b.user_id order by b.time) as number
        from (
            select r.*, coalesce(
                r.time - lag(r.time) over (partition by r.device_id, r.user_id order by r.time)
                    > sessions_by.gap, true) as is_first
            from analytics.reading r
            where r.time >= sessions_by.from_time and r.time < sessions_by.to_time
        ) b
    ) n
    group by n.device_id, n.user_id, n.number;
end
$$;

create or replace function analytics.gaps_by(
    longer_than interval default '30 minutes', from_time timestamptz default '-infinity',
    to_time timestamptz default 'infinity'
) returns table (
    device_id text, user_id text, began timestamptz, ended timestamptz, duration interval
)
language plpgsql stable parallel safe
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    select p.device_id, p.user_id, p.before, p.time, p.time - p.before
    from (
        select r.device_id, r.user_id, r.time,
            lag(r.time) over (partition by r.device_id, r.user_id order by r.time) as before
        from analytics.reading r
        where r.time >= gaps_by.from_time and r.time < gaps_by.to_time
    ) p
    where p.time - p.before > gaps_by.longer_than;
end
$$;

-- If the database was plain, a superuser runs this file. The objects that it created must not
-- belong to the superuser: the new table, and the view that Citus could not bring to the nodes
-- before.
do $$
declare
    item text;
begin
    foreach item in array array['table sluice.shard_heartbeat', 'view analytics.vital_minute'] loop
        execute format('alter %s owner to %I', item, (
            select pg_get_userbyid(c.relowner) from pg_class c
            where c.oid = 'sluice.device_state'::regclass));
    end loop;
end
$$;
