-- Devices and their readings.
--
-- device_key is the first eight bytes of SHA-256 of the device id: no look-up, no sequence, the
-- same on every node. No foreign keys and no sequences here, and device_key in every unique key,
-- so that all tables of this file can be distributed by device_key.

create table sluice.device (
    device_key bigint not null primary key,
    device_id text not null unique,
    user_id text not null,
    model_name text,
    version text,
    first_seen timestamptz not null default now(),
    attributes_at timestamptz not null default '-infinity'
);
comment on table sluice.device is 'Who a device is. Changes rarely.';
comment on column sluice.device.device_key is 'Stands for the device in other tables.';
comment on column sluice.device.device_id is 'As sent, lower-cased.';
comment on column sluice.device.model_name is 'The last one it gave; null if it never did.';
comment on column sluice.device.version is 'Version of its software, as model_name.';
comment on column sluice.device.first_seen is 'When its first batch arrived.';
comment on column sluice.device.attributes_at is
    'When the batch came in that user_id, model_name and version are from.';

-- One row a device, updated by every commit that has readings of it. The writer's UPDATE moves
-- *_until into *_before, so that RETURNING gives the old watermark and the row is locked, in one
-- statement. No index but the key, and half of each page free: every update is HOT.
--
-- The same statement says which attributes the group's devices sent last (said, said_at, says_new).
-- So a batch that waited in a spool does not undo a newer one, whichever process and connection wrote
-- that, and a device whose attributes are unchanged costs no further statement.
--
-- A reading is late when, as its batch arrived, one of its device and kind with a later time was
-- stored. Only groups that had to look up stored rows can have late readings; only they write the
-- late columns.
create table sluice.device_state (
    device_key bigint not null primary key,
    key_check bigint not null,
    gps_until timestamptz not null default '-infinity',
    vital_until timestamptz not null default '-infinity',
    event_until timestamptz not null default '-infinity',
    gps_before timestamptz not null default '-infinity',
    vital_before timestamptz not null default '-infinity',
    event_before timestamptz not null default '-infinity',
    summed_until timestamptz not null default '-infinity',
    readings bigint not null default 0,
    last_seen timestamptz not null default now(),
    said bigint not null default 0,
    said_at timestamptz not null default '-infinity',
    late_readings bigint not null default 0,
    gps_late_by_us bigint not null default 0,
    vital_late_by_us bigint not null default 0,
    event_late_by_us bigint not null default 0,
    late_at timestamptz not null default '-infinity',
    says_new boolean not null default false
) with (
    fillfactor = 50,
    -- HOT pruning keeps pages clean; vacuum only has to bound what pruning misses.
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_scale_factor = 0.1,
    -- The columns' distribution does not matter to any plan.
    autovacuum_analyze_scale_factor = 1.0
);
comment on table sluice.device_state is 'What a device has stored: the watermarks of exactly-once.';
comment on column sluice.device_state.device_key is 'The device.';
comment on column sluice.device_state.key_check is
    'The next eight bytes of the id''s SHA-256: tells two ids with one device_key apart.';
comment on column sluice.device_state.gps_until is
    'Newest time stored; everything after it is new.';
comment on column sluice.device_state.vital_until is 'As gps_until.';
comment on column sluice.device_state.event_until is 'As gps_until.';
comment on column sluice.device_state.gps_before is 'gps_until before the last commit.';
comment on column sluice.device_state.vital_before is 'As gps_before.';
comment on column sluice.device_state.event_before is 'As gps_before.';
comment on column sluice.device_state.summed_until is
    'End of the latest hour that was summed; later hours have notes.';
comment on column sluice.device_state.readings is 'Readings stored, of all kinds.';
comment on column sluice.device_state.last_seen is 'When its last batch arrived.';
comment on column sluice.device_state.said is
    'Hash of user_id, model_name and version as they were said last; 0: never.';
comment on column sluice.device_state.said_at is 'When the batch came in that said it.';
comment on column sluice.device_state.late_readings is
    'Readings stored that were older than the newest of their kind when they came.';
comment on column sluice.device_state.gps_late_by_us is
    'How much older at most, in microseconds. Begins anew when none was late for 30 days.';
comment on column sluice.device_state.vital_late_by_us is 'As gps_late_by_us.';
comment on column sluice.device_state.event_late_by_us is 'As gps_late_by_us.';
comment on column sluice.device_state.late_at is 'When the last late one was stored.';
comment on column sluice.device_state.says_new is
    'The last commit said something else than was known, and nothing older.';

-- Readings, one table a kind, in partitions of whole UTC days (see ensure_days). No unique index: COPY
-- could not skip duplicates with one; the writer looks up what is at or below the watermark, through
-- the index (device_key, t), which is the analysts' index too. An index on the time alone would cost
-- more than all the rest of a COPY: twice the processor time, 28 bytes a row, 60 % more log.
--
-- Without a key the whole row is the replica identity. A publication of all tables, or a shard's move
-- on Citus, would otherwise make PostgreSQL refuse UPDATE and DELETE (55000). The row is in the log
-- only where wal_level is logical, and only if it is removed or changed.
create table sluice.gps (
    device_key bigint not null,
    t timestamptz not null,
    lat double precision not null,
    lon double precision not null,
    acc double precision,
    alt double precision,
    vacc double precision,
    motion bigint
) partition by range (t);
create index gps_device_key_t on sluice.gps (device_key, t);
alter table sluice.gps replica identity full;
-- These are eight columns: with a ninth, every row without some of them would be 8 bytes larger.
comment on table sluice.gps is 'Positions, one row a reading.';
comment on column sluice.gps.device_key is 'The device.';
comment on column sluice.gps.t is 'When the device was there.';
comment on column sluice.gps.lat is 'Degrees north, -90 to 90.';
comment on column sluice.gps.lon is 'Degrees east, -180 to 180.';
comment on column sluice.gps.acc is 'Radius of uncertainty in metres; null if unknown.';
comment on column sluice.gps.alt is
    'Metres above the level that the device measures from, mostly the sea''s; null if unknown.';
comment on column sluice.gps.vacc is 'Uncertainty of alt in metres; null if unknown.';
comment on column sluice.gps.motion is
    'Speed in m/s is (motion >> 30) / 1e6, course in degrees (motion & 1073741823) / 1e6. All bits of '
    'one set: unknown; null: both are.';

create table sluice.vital (
    device_key bigint not null,
    t timestamptz not null,
    code smallint not null,
    val double precision not null
) partition by range (t);
create index vital_device_key_t on sluice.vital (device_key, t);
alter table sluice.vital replica identity full;
comment on table sluice.vital is 'Measurements, one row a reading.';
comment on column sluice.vital.device_key is 'The device.';
comment on column sluice.vital.t is 'When it was measured.';
comment on column sluice.vital.code is 'The metric.';
comment on column sluice.vital.val is 'The measurement.';

create table sluice.event (
    device_key bigint not null,
    t timestamptz not null,
    label text not null,
    val_text text,
    metadata jsonb
) partition by range (t);
create index event_device_key_t on sluice.event (device_key, t);
alter table sluice.event replica identity full;
comment on table sluice.event is 'Events, one row a reading.';
comment on column sluice.event.device_key is 'The device.';
comment on column sluice.event.t is 'When it happened.';
comment on column sluice.event.label is 'What happened, for example motion_state.';
comment on column sluice.event.val_text is 'The event''s value as text; null if it has none.';
comment on column sluice.event.metadata is 'Whatever else the device said about it.';

-- Large texts: lz4 costs a fifth of pglz. Partitions inherit it. A server built without lz4 keeps its
-- default.
do $$
begin
    alter table sluice.event
        alter column val_text set compression lz4,
        alter column metadata set compression lz4;
exception when feature_not_supported then
    null;
end
$$;

create table sluice.metric (
    code smallint not null primary key,
    name text not null,
    unit text not null
);
comment on table sluice.metric is
    'What the codes of vital readings mean. Other codes are stored too.';

insert into sluice.metric (code, name, unit) values
    (1, 'heart_rate', 'bpm'),
    (2, 'heart_rate_variability_sdnn', 'ms'),
    (10, 'noise', 'dBA'),
    (20, 'steps', 'count'),
    (21, 'distance', 'm');

-- After device_state was restored from an earlier time than the rows. A watermark that is too high
-- costs look-ups, but no reading is lost or stored twice by it. So the newest times are read first,
-- without locks; then only devices that are behind are locked, in the order of their keys, as writers
-- do.
create function sluice.raise_watermarks() returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    newest record;
    raised bigint := 0;
begin
    insert into sluice.device_state (device_key, key_check)
    select d.device_key, ('x' || encode(
        substr(sha256(convert_to(d.device_id, 'UTF8')), 9, 8), 'hex'))::bit(64)::bigint
    from sluice.device d
    where not exists (select from sluice.device_state s where s.device_key = d.device_key)
    order by d.device_key
    on conflict do nothing;
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
comment on function sluice.raise_watermarks is
    'Raises the watermarks of exactly-once to the newest rows stored; returns of how many devices.';
