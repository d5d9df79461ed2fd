-- Sums by hour, made after the commit.
--
-- A group's transaction notes which hours of which devices it has readings for (rollup_due), and no
-- more. sluice.sum_hours sums such an hour from its rows, and removes the note in the same transaction.
-- So at any moment an hour has a note, or its sums are those of its rows; the views read the rows of
-- hours with a note, and the sums of all others. A reading that comes late makes a note again.
--
-- Both hold the device's row of device_state: an hour is not summed while a group adds to it. What is
-- summed is the whole hour, so it can be done any number of times. An hour whose rows left the tables
-- is not summed again, and rows don't leave before their hours are summed (begin_leaving,
-- end_leaving).
--
-- A group notes an hour once, not with every batch. The hour of a device's newest reading has a note,
-- unless that hour or a later one was summed. A claim returns both, the newest time and summed_until,
-- while it holds the device's row. Most batches are in the hour of the one before and need no note.

create table sluice.gps_rollup (
    device_key bigint not null,
    hour timestamptz not null,
    readings integer not null,
    first_minute smallint not null,
    last_minute smallint not null,
    metres double precision not null
) partition by range (hour);
create index gps_rollup_device_key_hour on sluice.gps_rollup (device_key, hour);
comment on table sluice.gps_rollup is 'Positions by device and hour: see analytics.distance_hour.';
comment on column sluice.gps_rollup.device_key is 'The device.';
comment on column sluice.gps_rollup.hour is 'Its beginning.';
comment on column sluice.gps_rollup.readings is 'Positions in it.';
comment on column sluice.gps_rollup.first_minute is 'Minute of the hour of the first one.';
comment on column sluice.gps_rollup.last_minute is 'Minute of the last one.';
comment on column sluice.gps_rollup.metres is
    'From the position before each of them to it, added up: along great circles.';
alter table sluice.gps_rollup replica identity full;

create table sluice.vital_rollup (
    device_key bigint not null,
    hour timestamptz not null,
    readings integer not null,
    code smallint not null,
    first_minute smallint not null,
    last_minute smallint not null,
    low double precision not null,
    high double precision not null,
    total double precision not null,
    last_val double precision not null
) partition by range (hour);
create index vital_rollup_device_key_hour on sluice.vital_rollup (device_key, hour);
comment on table sluice.vital_rollup is
    'Measurements by device, hour and code: see analytics.vital_hour.';
comment on column sluice.vital_rollup.device_key is 'The device.';
comment on column sluice.vital_rollup.hour is 'Its beginning.';
comment on column sluice.vital_rollup.readings is 'Measurements in it.';
comment on column sluice.vital_rollup.code is 'The metric.';
comment on column sluice.vital_rollup.first_minute is 'Minute of the hour of the first one.';
comment on column sluice.vital_rollup.last_minute is 'Minute of the last one.';
comment on column sluice.vital_rollup.low is 'The least of them.';
comment on column sluice.vital_rollup.high is 'The greatest of them.';
comment on column sluice.vital_rollup.total is 'Their sum.';
comment on column sluice.vital_rollup.last_val is
    'The last of them; of several at one time the greatest.';
alter table sluice.vital_rollup replica identity full;

-- An hour that fails, for whatever reason, waits: the others of its device and all other devices go
-- on without it. The note keeps how often it failed and with which code, for all nodes.
create table sluice.rollup_due (
    device_key bigint not null,
    hour timestamptz not null,
    kind text not null check (kind in ('gps', 'vital')),
    failures integer not null default 0,
    failure text,
    retry_at timestamptz,
    primary key (device_key, hour, kind)
);
comment on table sluice.rollup_due is
    'Hours with readings that gps_rollup and vital_rollup don''t have yet.';
comment on column sluice.rollup_due.device_key is 'The device.';
comment on column sluice.rollup_due.hour is 'Its beginning.';
comment on column sluice.rollup_due.kind is 'gps or vital.';
comment on column sluice.rollup_due.failures is 'How often the hour could not be summed.';
comment on column sluice.rollup_due.failure is 'SQLSTATE of the last failure.';
comment on column sluice.rollup_due.retry_at is
    'When it is tried again: after one minute, two, four, up to six hours. Null: at any time.';

-- Not pg_catalog.date_trunc: that one asks the session's time zone, whose hours and minutes may begin
-- at odd seconds.
create function sluice.hour_of(t timestamptz) returns timestamptz
language sql immutable strict parallel safe
return pg_catalog.date_bin('1 hour', t, '0001-01-01 00:00:00+00');
comment on function sluice.hour_of is 'The beginning of its hour of UTC.';

create function sluice.minute_of(t timestamptz) returns timestamptz
language sql immutable strict parallel safe
return pg_catalog.date_bin('1 minute', t, '0001-01-01 00:00:00+00');
comment on function sluice.minute_of is 'The beginning of its minute.';

-- A sum of doubles above the largest one is an error, and so is a product or quotient below the
-- smallest. The error ends the whole statement: the pass over all hours, or an analyst's query. The
-- scanner bounds what it accepts; this bounds what rows may have nevertheless. A sum with a larger
-- value is infinite, with such values of both signs NaN. Accepted values and their sums are within
-- the bounds, so these come out the same to the bit.
--
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

-- Not strict either: a call would take ten times as long. Null where a coordinate is null, not a number
-- or none on Earth, as stored rows may have; 1e-290 keeps radians() of the smallest numbers from being
-- an error, and is lost in any larger one.
create function sluice.metres_between(
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
comment on function sluice.metres_between is
    'Along the great circle, on a sphere of the earth''s mean radius (haversine).';

-- Summing. sum_hour, which makes the sums of one hour, is in the distance step.

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

-- A position that comes late changes the way to the one behind it, in whatever hour that is. Called
-- after the COPY of the rows, by a transaction that holds the devices' rows of device_state.
create procedure sluice.note_next_hours(device_keys bigint[], hours timestamptz[])
language plpgsql
set search_path = pg_catalog
as $$
declare
    late record;
    next_hour timestamptz;
begin
    for late in select * from unnest(device_keys, hours) as s (device_key, hour) loop
        next_hour := sluice.hour_of((
            select g.t from sluice.gps g
            where g.device_key = late.device_key and g.t >= late.hour + interval '1 hour'
            order by g.t limit 1));
        if next_hour is not null then
            insert into sluice.rollup_due (device_key, hour, kind)
            values (late.device_key, next_hour, 'gps')
            on conflict do nothing;
        end if;
    end loop;
end
$$;
comment on procedure sluice.note_next_hours is
    'Notes the hours of the positions that come behind these hours.';

-- By hand, where rows were changed by hand, or stored while there were no sums.
create function sluice.rebuild_rollups(of_day date) returns void
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
comment on function sluice.rebuild_rollups is
    'Notes all hours of a day as due; until they are summed the views read their rows.';

-- A partition leaves with its hours summed: afterwards they can't be summed any more. Citus has no
-- plan for an SQL function with parameters over a distributed table, nor for an EXISTS without columns.
create function sluice.is_due(of_kind text, of_day date) returns boolean
language plpgsql stable
set search_path = pg_catalog
as $$
begin
    perform d.hour from sluice.rollup_due d
    where d.kind = of_kind and d.hour >= of_day::timestamp at time zone 'UTC'
        and d.hour < (of_day + sluice.partition_days())::timestamp at time zone 'UTC'
    limit 1;
    return found;
end
$$;
comment on function sluice.is_due is
    'Hours of the partition of gps or vital that begins on that day are not summed yet.';

create function sluice.refuse_due(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    if sluice.is_due(of_kind, of_day) then
        raise exception 'hours of % of % are not summed yet', of_kind, of_day
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
comment on function sluice.refuse_due is 'Fails for a day of which hours are not summed yet.';

-- Development versions archived sums by minute, in one of two forms: a row for each code, or a row for
-- all codes with arrays.
create function sluice.fold_minutes(minutes text, of_kind text, hours text) returns void
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
comment on function sluice.fold_minutes is
    'Adds sums of minutes up to hours: files of days that development versions archived have them.';

-- The hours of both kinds: sums, and rows of hours that are due. The device is inside of both halves,
-- so that a filter on it reaches their indexes; the hour is a column of both, so that a filter on it
-- reaches the days. The rows of an hour are grouped in a subquery of their own, which is always a look
-- at one hour by the index.

create view sluice.vital_hours as
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
comment on view sluice.vital_hours is 'vital_rollup, and the hours that it does not have yet.';

-- The distance step adds the hours that are due.
create view sluice.gps_hours as
select r.device_key, d.device_id, d.user_id, r.hour, r.readings::bigint as readings,
    r.first_minute, r.last_minute, r.metres
from sluice.gps_rollup r
join sluice.device d using (device_key);
comment on view sluice.gps_hours is 'gps_rollup, and the hours that it does not have yet.';
