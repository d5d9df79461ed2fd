-- Sums that exist for all stored values, and a pass over the due hours that goes on past one that
-- fails.
--
-- A sum of doubles above the largest one is an error, and so is a product or quotient below the
-- smallest. The error ends the whole statement: the pass over all hours, or an analyst's query. The
-- scanner now bounds what it accepts. Values that were stored before are bounded where they are added:
-- a sum with a larger value is infinite, with such values of both signs NaN. Accepted values and their
-- sums are within the bounds, so these come out the same to the bit.

-- Not strict: so the planner puts its expression in its place.
create function sluice.bounded(x double precision) returns double precision
language sql immutable parallel safe
return case
    when abs(x) > 1e120 then x * 'Infinity'::double precision
    when abs(x) < 1e-120 and x <> 0 then 0
    else x
end;
comment on function sluice.bounded is
    'A number whose sums, squares and means exist: infinite above 1e120, 0 below 1e-120.';

-- Not strict either: the planner puts its expression in its place, which takes a tenth of the time of a
-- call. Null where a coordinate is null, not a number or none on Earth, as stored rows may have; 1e-290
-- keeps radians() of the smallest numbers from being an error, and is lost in any larger one.
create or replace function sluice.metres_between(
    lat1 double precision, lon1 double precision, lat2 double precision, lon2 double precision
) returns double precision
language sql immutable parallel safe
return case
    when abs(lat1) <= 360 and abs(lat2) <= 360 and abs(lon1) <= 360 and abs(lon2) <= 360
    then 2 * 6371008.8 * asin(least(1, sqrt(
        power(sin(radians(sluice.bounded(lat2 - lat1)) / 2), 2)
        + cos(radians(lat1 + 1e-290)) * cos(radians(lat2 + 1e-290))
            * power(sin(radians(sluice.bounded(lon2 - lon1)) / 2), 2))))
end;

create or replace procedure sluice.sum_hour(device bigint, of_hour timestamptz, of_kind text)
language plpgsql
set search_path = pg_catalog
-- So that a statement knows one day, and not all there are.
set plan_cache_mode = force_custom_plan
as $$
declare
    end_hour constant timestamptz := of_hour + interval '1 hour';
    start timestamptz;
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
    -- Where the way to the hour's first position begins: nearly always within a day.
    start := (
        select g.t from sluice.gps g
        where g.device_key = device and g.t < of_hour and g.t >= of_hour - interval '1 day'
        order by g.t desc limit 1);
    if start is null then
        start := (
            select g.t from sluice.gps g
            where g.device_key = device and g.t < of_hour
            order by g.t desc limit 1);
    end if;
    start := coalesce(start, of_hour);
    insert into sluice.gps_rollup (device_key, hour, readings, first_minute, last_minute, metres)
    select w.device_key, of_hour, count(*),
        floor(extract(epoch from min(w.t) - of_hour) / 60),
        floor(extract(epoch from max(w.t) - of_hour) / 60), coalesce(sum(w.metres), 0)
    from (
        select g.device_key, g.t, sluice.metres_between(
            lag(g.lat) over way, lag(g.lon) over way, g.lat, g.lon) as metres
        from sluice.gps g
        where g.device_key = device and g.t >= start and g.t < end_hour
        window way as (partition by g.device_key order by g.t, g.lat, g.lon)
    ) w
    where w.t >= of_hour
    group by w.device_key;
end
$$;

-- Sums of days that were archived before step 24, added up as they are restored.
create or replace function sluice.fold_minutes(minutes text, of_kind text, hours text) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    place constant text := 'floor(extract(epoch from %s(minute) - sluice.hour_of(min(minute))) / 60)';
begin
    if of_kind = 'gps_rollup' then
        execute format(
            'insert into %s (device_key, hour, readings, first_minute, last_minute, metres) '
            'select device_key, sluice.hour_of(minute), sum(readings), %s, %s, sum(metres) '
            'from %s group by 1, 2',
            hours, format(place, 'min'), format(place, 'max'), minutes);
    else
        execute format(
            'insert into %s (device_key, hour, readings, code, first_minute, last_minute, low, '
                'high, total, last_val) '
            'select device_key, sluice.hour_of(minute), sum(readings), code, %s, %s, min(low), '
                'max(high), sum(sluice.bounded(total)), '
                '(array_agg(last_val order by last_t desc, last_val desc))[1] '
            'from ('
                'select r.device_key, r.minute, p.code, '
                    'coalesce(r.sums[p.place::integer][1]::integer, r.readings) as readings, '
                    'coalesce(r.sums[p.place::integer][2], r.low) as low, '
                    'coalesce(r.sums[p.place::integer][3], r.high) as high, '
                    'coalesce(r.sums[p.place::integer][4], r.total) as total, '
                    'coalesce(r.minute + r.sums[p.place::integer][5] * interval ''1 microsecond'', '
                        'r.last_t) as last_t, '
                    'coalesce(r.sums[p.place::integer][6], r.last_val) as last_val '
                'from %s r '
                'cross join lateral unnest(coalesce(r.codes, array[r.code])) '
                    'with ordinality p (code, place)'
            ') m group by 1, 2, code',
            hours, format(place, 'min'), format(place, 'max'), minutes);
    end if;
end
$$;

-- An hour that fails, for whatever reason, waits: the others of its device and all other devices go
-- on without it. The note keeps how often it failed and with which code, for all nodes.

alter table sluice.rollup_due
    add column failures integer not null default 0,
    add column failure text,
    add column retry_at timestamptz;
comment on column sluice.rollup_due.failures is 'How often the hour could not be summed.';
comment on column sluice.rollup_due.failure is 'SQLSTATE of the last failure.';
comment on column sluice.rollup_due.retry_at is
    'When it is tried again: after one minute, two, four, up to six hours. Null: at any time.';

create procedure sluice.sum_due_hour(
    device bigint, of_hour timestamptz, of_kind text, is_gone boolean
)
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.rollup_due d
    where d.device_key = device and d.hour = of_hour and d.kind = of_kind;
    if not is_gone then
        call sluice.sum_hour(device, of_hour, of_kind);
    end if;
end
$$;
comment on procedure sluice.sum_due_hour is
    'Removes the note of an hour and sums it, unless its rows are gone.';

drop function sluice.sum_hours(bigint, timestamptz, timestamptz, integer);
create function sluice.sum_hours(
    after_key bigint default -9223372036854775808, from_hour timestamptz default '-infinity',
    to_hour timestamptz default 'infinity', hours_max integer default 4,
    each_alone boolean default false
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    key bigint;
    due record;
    is_gone boolean;
    summed integer := 0;
    latest timestamptz := '-infinity';
    -- Partitions that are about to leave wait: they are turned round. Of those that are gone the
    -- sums are all there is.
    leaving constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state in ('leaving', 'detached'));
    gone constant text[] := array(
        select replace(a.kind, '_rollup', '') || a.day from sluice.archive a
        where a.state = 'gone');
begin
    -- A commit that a crash takes back is made again.
    perform set_config('synchronous_commit', 'off', true);
    -- On Citus one session with a node, so that note and sum are committed there in one step.
    perform set_config('citus.max_adaptive_executor_pool_size', '1', true);
    -- A lock that somebody keeps delays one device, for this long.
    perform set_config('lock_timeout', '2s', true);
    select d.device_key into key from sluice.rollup_due d
    where d.device_key > after_key and d.hour >= from_hour and d.hour < to_hour
        and (d.retry_at is null or d.retry_at <= now())
    order by d.device_key limit 1;
    -- Whoever stores readings of the device has its row: then another time.
    perform from sluice.device_state s where s.device_key = key for update skip locked;
    if not found then
        return key;
    end if;
    for due in
        select d.hour, d.kind,
            d.kind || sluice.first_day((d.hour at time zone 'UTC')::date) as partition
        from sluice.rollup_due d
        where d.device_key = key and d.hour >= from_hour and d.hour < to_hour
            and (d.retry_at is null or d.retry_at <= now())
            and d.kind || sluice.first_day((d.hour at time zone 'UTC')::date) <> all (leaving)
        order by d.hour, d.kind limit hours_max
    loop
        summed := summed + 1;
        is_gone := due.partition = any (gone);
        if each_alone then
            begin
                call sluice.sum_due_hour(key, due.hour, due.kind, is_gone);
            exception when others then
                update sluice.rollup_due d set
                    failures = d.failures + 1, failure = sqlstate,
                    retry_at = now() + least(
                        interval '1 minute' * 2 ^ least(d.failures, 9), interval '6 hours')
                where d.device_key = key and d.hour = due.hour and d.kind = due.kind;
                continue;
            end;
        else
            call sluice.sum_due_hour(key, due.hour, due.kind, is_gone);
        end if;
        latest := due.hour + interval '1 hour';
    end loop;
    update sluice.device_state s set summed_until = latest
    where s.device_key = key and s.summed_until < latest;
    return case when summed < hours_max then key else key - 1 end;
end
$$;
comment on function sluice.sum_hours is
    'Sums a few hours that are due, of one device. Returns the key to go on behind in another '
    'transaction; null: that was all. A device whose readings are being stored is left out. With '
    'each_alone an hour that fails is noted and waits; without, the whole call fails.';

create or replace function sluice.rebuild_rollups(of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    start constant timestamptz := of_day::timestamp at time zone 'UTC';
    stop constant timestamptz := (of_day + 1)::timestamp at time zone 'UTC';
begin
    perform sluice.ensure_days(of_day, of_day);
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct g.device_key, sluice.hour_of(g.t), 'gps' from sluice.gps g
    where g.t >= start and g.t < stop
    on conflict do nothing;
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct v.device_key, sluice.hour_of(v.t), 'vital' from sluice.vital v
    where v.t >= start and v.t < stop
    on conflict do nothing;
    -- Hours that have lost their rows.
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct r.device_key, r.hour, 'gps' from sluice.gps_rollup r
    where r.hour >= start and r.hour < stop
    on conflict do nothing;
    insert into sluice.rollup_due (device_key, hour, kind)
    select distinct r.device_key, r.hour, 'vital' from sluice.vital_rollup r
    where r.hour >= start and r.hour < stop
    on conflict do nothing;
    -- Those that failed are tried at once.
    update sluice.rollup_due d set retry_at = null
    where d.hour >= start and d.hour < stop and d.retry_at is not null;
end
$$;

-- The views that add values up. A sum that was stored before this step may be large too.

create or replace view sluice.vital_hours as
select r.device_key, d.device_id, d.user_id, r.hour, r.readings::bigint as readings, r.code,
    r.first_minute, r.last_minute, r.low, r.high, sluice.bounded(r.total) as total, r.last_val
from sluice.vital_rollup r
join sluice.device d using (device_key)
where not exists (
    select from sluice.rollup_due w
    where w.device_key = r.device_key and w.hour = r.hour and w.kind = 'vital')
union all
select w.device_key, d.device_id, d.user_id, w.hour, v.readings, v.code, v.first_minute,
    v.last_minute, v.low, v.high, v.total, v.last_val
from sluice.rollup_due w
join sluice.device d using (device_key)
cross join lateral (
    select count(*) as readings, v.code,
        floor(extract(epoch from min(v.t) - w.hour) / 60)::smallint as first_minute,
        floor(extract(epoch from max(v.t) - w.hour) / 60)::smallint as last_minute,
        min(v.val) as low, max(v.val) as high, sum(sluice.bounded(v.val)) as total,
        (array_agg(v.val order by v.t desc, v.val desc))[1] as last_val
    from sluice.vital v
    where v.device_key = w.device_key and v.t >= w.hour and v.t < w.hour + interval '1 hour'
    group by v.code
) v
where w.kind = 'vital';

-- Why it has this form is said in step 24.
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
