-- Brings a database of the 36 numbered steps, which development versions had, to the baseline. This is
-- not a migration: `sluice migrate` and the server run it once in such a database, and note the steps
-- of the baseline as run, in one transaction.

-- It named one of the numbered steps.
create or replace function sluice.choose_partition_days(days integer) returns integer
language plpgsql
set search_path = pg_catalog
as $$
begin
    if days not between 1 and 31 then
        raise exception 'a partition holds 1 to 31 days'
            using errcode = 'invalid_parameter_value';
    end if;
    lock table sluice.day_turn in exclusive mode;
    if days <> sluice.partition_days()
        and not exists (select from sluice.day_partition)
        and not exists (select from sluice.archive)
    then
        execute format(
            'create or replace function sluice.partition_days() returns integer '
            'language sql immutable parallel safe return %s', days);
    end if;
    return sluice.partition_days();
end
$$;

comment on function sluice.fold_minutes is
    'Adds sums of minutes up to hours: files of days that development versions archived have them.';

-- Names of today.
alter table sluice.era_mark rename to epoch_mark;
alter index sluice.era_mark_pkey rename to epoch_mark_pkey;
alter table sluice.epoch_mark rename constraint era_mark_is_only_check to epoch_mark_is_only_check;
alter table sluice.node_beat rename column beat to heartbeat;
alter table sluice.node_beat rename to node_heartbeat;
alter index sluice.node_beat_pkey rename to node_heartbeat_pkey;
-- `sluice migrate --citus` makes its successor.
drop table if exists sluice.shard_beat;

-- Nothing calls them any more.
drop function sluice.devices_of_day(regclass, name, date, bigint, integer);
drop function sluice.set_profile_picture(text, text);

-- A device may have several users.
create or replace view analytics.quarantine_by_reason as
select q.reason, count(*) as readings, count(distinct q.device_id) as devices,
    min(q.received_at) as first_received_at, max(q.received_at) as last_received_at,
    count(*) filter (where q.received_at > now() - interval '1 day') as last_day,
    sum(octet_length(q.body)) as bytes
from sluice.quarantine q
group by q.reason;

create or replace function sluice.block_within(pause interval) returns interval
language sql immutable parallel safe
return case
    when pause >= interval '1 hour' then interval '1 hour'
    when pause >= interval '1 microsecond'
        and make_interval(secs => extract(epoch from pause)::double precision) = pause
    then make_interval(secs => extract(epoch from pause)::double precision)
    else interval '1 microsecond'
end;

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
            where r.device_id = d.device_id and r.user_id = d.user_id
                and r.time >= from_time and r.time < to_time
            group by date_bin(
                sluice.block_within(longer_than), r.time, '2000-01-01 00:00:00+00')
        ) p
    ) g
    where g.first - g.before > longer_than;
end;

-- A message that is no meal is answered at the next connect, if the consultation has no socket.
alter table sluice.undelivered add column if not exists only_for text;
comment on column sluice.undelivered.only_for is
    'Only sockets that were opened for it get the frame, such as those of a consultation, by its id; '
    'null: all of the user''s.';
drop function if exists sluice.tell_user(text, text, uuid, text);
create or replace function sluice.tell_user(
    topic text, user_id text, subject uuid, frame text, only_for text default null
) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    row_id bigint;
begin
    insert into sluice.undelivered (topic, user_id, subject, payload, only_for)
    values ($1, $2, $3, $4, $5)
    returning id into row_id;
    perform sluice.post_notice($1, $2, row_id || ' ' || coalesce($5, '-') || E'\n' || $4);
end
$$;
comment on function sluice.tell_user is
    'Has a user told something once, when the transaction commits: all sockets that are there, or '
    'else the next, of those for which it is. The notice is the number of the undelivered row, for '
    'which sockets it is or a dash, a line break and the frame.';

create or replace function sluice.drop_meal_message(log uuid, frame text) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    owner text;
    consultation uuid;
begin
    delete from sluice.meal_log l
    where l.meal_log_id = log and l.status = 'processing' and l.consultation_id is not null
    returning l.user_id, l.consultation_id into owner, consultation;
    if not found then
        return false;
    end if;
    insert into sluice.deleted_meal_log (meal_log_id, user_id) values (log, owner)
    on conflict do nothing;
    perform sluice.tell_user('meal', owner, log, frame, consultation::text);
    return true;
end
$$;
comment on function sluice.drop_meal_message is
    'A message of a consultation that is no meal: it is not logged, and the consultation''s sockets '
    'are told why.';

create index if not exists unit_set_aside_received_at on sluice.unit_set_aside (received_at);

-- What positions may have besides their place.
alter table sluice.gps add column if not exists alt double precision,
    add column if not exists vacc double precision, add column if not exists motion bigint;
comment on column sluice.gps.alt is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column sluice.gps.vacc is 'Uncertainty of alt in metres; null if unknown.';
comment on column sluice.gps.motion is
    'Speed in m/s is (motion >> 30) / 1e6, course in degrees (motion & 1073741823) / 1e6. All bits of '
    'one set: unknown; null: both are.';
create or replace view analytics.gps as
select d.device_id, d.user_id, g.t as time,
    g.lat as latitude, g.lon as longitude, g.acc as accuracy_m,
    g.alt as altitude_m, g.vacc as vertical_accuracy_m,
    nullif(g.motion >> 30, 8589934591)::double precision / 1e6::double precision
        as speed_m_per_s,
    nullif(g.motion & 1073741823, 1073741823)::double precision / 1e6::double precision
        as course_degrees
from sluice.gps g
join sluice.device d using (device_key);
comment on column analytics.gps.altitude_m is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column analytics.gps.vertical_accuracy_m is
    'Uncertainty of altitude_m in metres; null if unknown.';
comment on column analytics.gps.speed_m_per_s is
    'As the device measured it, to six decimals; null if unknown.';
comment on column analytics.gps.course_degrees is
    'Direction of the movement, clockwise from north, to six decimals; null if unknown.';
create or replace view analytics.latest_position as
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
comment on column analytics.latest_position.altitude_m is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column analytics.latest_position.vertical_accuracy_m is
    'Uncertainty of altitude_m in metres; null if unknown.';
comment on column analytics.latest_position.speed_m_per_s is
    'As the device measured it, to six decimals; null if unknown.';
comment on column analytics.latest_position.course_degrees is
    'Direction of the movement, clockwise from north, to six decimals; null if unknown.';
