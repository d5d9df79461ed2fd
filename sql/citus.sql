-- A database of Sluice spread over the nodes of a Citus cluster (version 11 or later). Not a
-- migration: `sluice migrate --citus` runs it on the coordinator, behind the migrations, in one
-- transaction. It may be run any number of times, and is to be run again after each upgrade.
--
-- Distributed by device_key, and co-located, so that a device's rows of all tables are on one node:
-- device_state, device, gps, vital, event, their rollups and quarantine. Their partitions follow
-- their parents: also those that ensure_days makes later, for ATTACH PARTITION distributes a plain
-- table that is attached to a distributed one.
--
-- Copied to every node, as reference tables, because statements of a lane that is connected to a
-- worker read them: migration, and metric, which analysts' joins need beside each shard.
--
-- Everything else stays a plain table of the coordinator: keys, jobs, notices, node_beat, what is
-- set aside, and all tables of the users' apps with their sequences and foreign keys. Their lanes,
-- and whoever listens for notifications, are connected to the coordinator.

-- Several tables are distributed in one transaction, some with rows of their own.
set local citus.multi_shard_modify_mode = 'sequential';

-- Citus wants the distribution column in every unique key. Two ids with one device_key are told
-- apart by device_state.key_check, and one id has only one device_key: nothing is lost.
alter table sluice.device drop constraint if exists device_device_id_key;
create index if not exists device_device_id on sluice.device (device_id);

-- In the place of node_beat for lanes that write shards: a row in the shard itself, which proves
-- that just that node takes rows.
create table if not exists sluice.shard_beat (
    device_key bigint not null,
    node text not null,
    lane integer not null,
    beat timestamptz not null,
    primary key (device_key, node, lane)
);
comment on table sluice.shard_beat is
    'When each lane last found out that a shard takes rows.';
comment on column sluice.shard_beat.device_key is
    'No device''s: a number whose hash belongs to the shard.';
comment on column sluice.shard_beat.node is 'The process, as in node_beat.';
comment on column sluice.shard_beat.lane is 'Its lane.';
comment on column sluice.shard_beat.beat is 'When.';

do $$
declare
    -- device_state decides where the others go.
    per_device constant text[] := array[
        'device_state', 'device', 'gps', 'vital', 'event', 'vital_rollup', 'gps_rollup',
        'quarantine', 'shard_beat'];
    everywhere constant text[] := array['migration', 'metric'];
    routines constant text[] := array[
        'missing_days(date, date)', 'minute_of(timestamptz)',
        'metres_between(double precision, double precision, double precision, double precision)',
        'track_parts(bigint, timestamptz, timestamptz)',
        'rebuild_tracks(bigint[], timestamptz[], timestamptz[])'];
    item text;
    leader text := 'none';
    left_over text;
begin
    foreach item in array per_device loop
        if not exists (
            select from pg_dist_partition
            where logicalrelid = ('sluice.' || item)::regclass
        ) then
            perform create_distributed_table(
                ('sluice.' || item)::regclass, 'device_key', colocate_with => leader);
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
    -- What statements of a lane call on its worker.
    foreach item in array routines loop
        perform create_distributed_function(('sluice.' || item)::regprocedure);
    end loop;
    -- A table that a later migration has brought and this file has not heard of.
    select string_agg(c.oid::regclass::text, ', ' order by c.oid::regclass::text) into left_over
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'device_key' and not a.attisdropped
    where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition
        and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid);
    if left_over is not null then
        raise exception 'per device and not distributed: %', left_over
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
