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
    first_seen timestamptz not null default now()
);
comment on table sluice.device is 'Who a device is. Changes rarely.';
comment on column sluice.device.device_id is 'As sent, lower-cased.';

-- One row a device, updated by every commit that has readings of it. The writer's UPDATE moves
-- *_until into *_before, so that RETURNING gives the old watermark and the row is locked, in one
-- statement. No index but the key and half of each page free: every update is HOT.
create table sluice.device_state (
    device_key bigint not null primary key,
    key_check bigint not null,
    gps_until timestamptz not null default '-infinity',
    vital_until timestamptz not null default '-infinity',
    event_until timestamptz not null default '-infinity',
    gps_before timestamptz not null default '-infinity',
    vital_before timestamptz not null default '-infinity',
    event_before timestamptz not null default '-infinity',
    readings bigint not null default 0,
    last_seen timestamptz not null default now()
) with (
    fillfactor = 50,
    -- HOT pruning keeps pages clean; vacuum only has to bound what pruning misses.
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_scale_factor = 0.1,
    -- The columns' distribution does not matter to any plan.
    autovacuum_analyze_scale_factor = 1.0
);
comment on table sluice.device_state is 'What a device has stored: the watermarks of exactly-once.';
comment on column sluice.device_state.key_check is
    'The next eight bytes of the id''s SHA-256: tells two ids with one device_key apart.';
comment on column sluice.device_state.gps_until is
    'Newest time stored; everything after it is new.';
comment on column sluice.device_state.gps_before is 'gps_until before the last commit.';
comment on column sluice.device_state.readings is 'Readings stored, of all kinds.';

-- Readings, one table a kind, a partition a UTC day (see ensure_days). No unique index: COPY could
-- not skip duplicates with one; the writer looks up what is at or below the watermark, through the
-- index (device_key, t), which is the analysts' index too.
create table sluice.gps (
    device_key bigint not null,
    t timestamptz not null,
    lat double precision not null,
    lon double precision not null,
    acc double precision
) partition by range (t);
create index gps_device_key_t on sluice.gps (device_key, t);

create table sluice.vital (
    device_key bigint not null,
    t timestamptz not null,
    code smallint not null,
    val double precision not null
) partition by range (t);
create index vital_device_key_t on sluice.vital (device_key, t);

create table sluice.event (
    device_key bigint not null,
    t timestamptz not null,
    label text not null,
    val_text text,
    metadata jsonb
) partition by range (t);
create index event_device_key_t on sluice.event (device_key, t);

-- Large texts: lz4 costs a fifth of pglz. Partitions take it over. A server built without lz4
-- keeps its default.
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
