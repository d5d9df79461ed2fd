-- Days that are taken out of the tables: dropped, or kept as files and brought back.
--
-- A day leaves in steps, each of them found again in the catalogue after a crash:
--   its partition gets a name that says so, and a row in sluice.archive, in one transaction;
--   it is detached, concurrently: nobody who writes to or reads from the parent waits for that;
--   its rows are written to a file, and the file is read back;
--   it is dropped, and its row says so, in one transaction.
-- A day that is out stays out: ensure_days makes no new partition for it, for what came late would
-- be looked for there, not be found and stored twice. Readings of such days are refused, and so end
-- in quarantine.

create table sluice.archive (
    kind text not null
        check (kind in ('gps', 'vital', 'event', 'gps_rollup', 'vital_rollup')),
    day date not null,
    part integer not null,
    id uuid not null default gen_random_uuid(),
    state text not null
        check (state in ('leaving', 'detached', 'gone', 'restored', 'replaced')),
    rows bigint,
    file text,
    directory text,
    node text,
    bytes bigint,
    text_bytes bigint,
    sha256 bytea,
    keep_until timestamptz,
    changed_at timestamptz not null default now(),
    primary key (kind, day, part)
);
comment on table sluice.archive is
    'Days that left the tables, by kind, and the files that hold them.';
comment on column sluice.archive.kind is 'The table that it was part of.';
comment on column sluice.archive.day is 'A day of UTC.';
comment on column sluice.archive.part is
    'From 1. A day that was brought back and leaves again gets the next one.';
comment on column sluice.archive.id is 'Stands in the file''s manifest too.';
comment on column sluice.archive.state is
    'leaving: chosen, and perhaps detached. detached: a table by itself. gone: dropped. restored: '
    'its rows are in the table again. replaced: a later part holds its rows.';
comment on column sluice.archive.rows is 'How many; null until they were counted.';
comment on column sluice.archive.file is
    'Name of the file; null: there is none, because there were no rows or none was wanted.';
comment on column sluice.archive.directory is 'Where the file was written.';
comment on column sluice.archive.node is 'By which process.';
comment on column sluice.archive.bytes is 'Size of the file.';
comment on column sluice.archive.text_bytes is 'Size of what it holds, uncompressed.';
comment on column sluice.archive.sha256 is 'Of the file.';
comment on column sluice.archive.keep_until is
    'Of what was restored: until then it stays, however old.';
comment on column sluice.archive.changed_at is 'When it came to its state.';

create index archive_open on sluice.archive (kind, day) where state in ('leaving', 'detached');

create function sluice.leaving_name(kind text, day date, part integer) returns text
language sql immutable
return 'leaving_' || part || '_' || kind || pg_catalog.to_char(day, '"_"YYYYMMDD');
comment on function sluice.leaving_name is
    'What the partition of a day is called from the moment when it is to leave.';

create function sluice.is_out(of_kind text, of_day date) returns boolean
language sql stable
set search_path = pg_catalog
as $$
    select exists (
        select from sluice.archive a
        where a.kind = of_kind and a.day = of_day and a.state in ('leaving', 'detached', 'gone'))
$$;
comment on function sluice.is_out is
    'A day left the tables, or is about to, and was not brought back whole.';

create view sluice.day_partition as
select p.relname::text as kind,
    to_date(right(c.relname, 8), 'YYYYMMDD') as day,
    c.relname::text as name,
    i.inhdetachpending as is_pending
from pg_catalog.pg_inherits i
join pg_catalog.pg_class c on c.oid = i.inhrelid
join pg_catalog.pg_class p on p.oid = i.inhparent
where i.inhparent in (
        'sluice.gps'::regclass, 'sluice.vital'::regclass, 'sluice.event'::regclass,
        'sluice.gps_rollup'::regclass, 'sluice.vital_rollup'::regclass)
    and c.relname ~ '_[0-9]{8}$';
comment on view sluice.day_partition is 'The partitions, by kind and day.';
comment on column sluice.day_partition.kind is 'The table it belongs to.';
comment on column sluice.day_partition.day is 'A day of UTC.';
comment on column sluice.day_partition.name is 'In schema sluice_partitions.';
comment on column sluice.day_partition.is_pending is
    'Being detached: the table does not show its rows any more.';

-- As before, but knows a partition that is about to leave by its other name.
create or replace function sluice.missing_days(first_day date, last_day date)
returns table (kind text, day date, partition text)
language sql stable
set search_path = pg_catalog
as $$
    select k.kind, first_day + n, k.kind || to_char(first_day + n, '"_"YYYYMMDD')
    from generate_series(0, last_day - first_day) n
    cross join unnest(array['gps', 'vital', 'event', 'gps_rollup', 'vital_rollup'])
        with ordinality k (kind, place)
    where not exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('sluice.' || k.kind)::regclass
            and not i.inhdetachpending
            and right(c.relname::text, 8) = to_char(first_day + n, 'YYYYMMDD')
    )
    order by n, k.place
$$;

create function sluice.make_day_table(of_kind text, of_day date, extras text default '')
returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    -- A day is written once and never changed. So it is frozen by the first vacuum that
    -- passes, not read and written again years later; and vacuum waits for enough rows to be
    -- worth a pass while the day still grows.
    execute format(
        'create table sluice_partitions.%I ('
            'like sluice.%I including defaults including constraints including storage '
            'including compression including comments %s'
        ') with (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 100000, '
            'toast.autovacuum_freeze_min_age = 0)',
        of_kind || to_char(of_day, '"_"YYYYMMDD'), of_kind, extras);
end
$$;
comment on function sluice.make_day_table is 'Makes a table for a day, not attached to anything.';

create function sluice.attach_day_table(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    -- With their zone, the bounds mean the UTC day whatever the session's TimeZone is.
    execute format(
        'alter table sluice.%I attach partition sluice_partitions.%I '
            'for values from (%L) to (%L)',
        of_kind, of_kind || to_char(of_day, '"_"YYYYMMDD'),
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(of_day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
end
$$;
comment on function sluice.attach_day_table is 'Makes a day''s table a partition.';

create function sluice.make_partition(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    perform sluice.make_day_table(of_kind, of_day);
    perform sluice.attach_day_table(of_kind, of_day);
end
$$;
comment on function sluice.make_partition is
    'Makes and attaches one partition. For those who hold the lock of ensure_days.';

-- CREATE TABLE … PARTITION OF would lock the parent against every COPY in flight. LIKE and ATTACH
-- take SHARE UPDATE EXCLUSIVE on it, which COPY does not notice. The advisory lock makes two
-- callers take turns; the second finds nothing missing. (In READ COMMITTED: under a stricter
-- isolation it does not see the first one's partitions and fails with 42P07.)
create or replace function sluice.ensure_days(first_day date, last_day date) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    days_max constant integer := 4000;
    missing record;
    made integer := 0;
begin
    if last_day - first_day not between 0 and days_max - 1 then
        raise exception 'ensure_days makes 1 to % days', days_max
            using errcode = 'invalid_parameter_value';
    end if;
    if not exists (select from sluice.missing_days(first_day, last_day)) then
        return 0;
    end if;
    perform pg_advisory_xact_lock(1936487779, 2);
    for missing in select * from sluice.missing_days(first_day, last_day) loop
        if sluice.is_out(missing.kind, missing.day) then
            raise exception 'the rows of % left the table %', missing.day, missing.kind
                using errcode = 'datetime_field_overflow',
                    hint = 'sluice archive restore brings them back.';
        end if;
        perform sluice.make_partition(missing.kind, missing.day);
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function sluice.ensure_days is
    'Makes the missing partitions of all kinds for these UTC days; returns how many. Refuses days '
    'that left the tables (22008).';

-- The first step out: a name that says so, and a row. Waits for those who use this one partition,
-- so call it with a lock_timeout.
create function sluice.begin_leaving(of_kind text, of_day date) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    next_part constant integer := (
        select coalesce(max(a.part), 0) + 1 from sluice.archive a
        where a.kind = of_kind and a.day = of_day);
begin
    execute format(
        'alter table sluice_partitions.%I rename to %I',
        of_kind || to_char(of_day, '"_"YYYYMMDD'),
        sluice.leaving_name(of_kind, of_day, next_part));
    insert into sluice.archive (kind, day, part, state)
    values (of_kind, of_day, next_part, 'leaving');
    return next_part;
end
$$;
comment on function sluice.begin_leaving is
    'Marks the partition of a day as one that is to leave; returns the part''s number.';

-- The last step out.
create function sluice.end_leaving(
    of_kind text, of_day date, of_part integer, of_rows bigint, of_file text, of_directory text,
    of_node text, of_bytes bigint, of_text_bytes bigint, of_sha256 bytea
) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    execute format(
        'drop table sluice_partitions.%I', sluice.leaving_name(of_kind, of_day, of_part));
    -- What had been brought back left with this part. Where that has a file, the older files hold
    -- nothing more; where it has none, they are all there is.
    update sluice.archive a set
        state = case
            when of_file is null and of_rows > 0 and a.file is not null then 'gone'
            else 'replaced'
        end,
        keep_until = null, changed_at = now()
    where a.kind = of_kind and a.day = of_day and a.part < of_part and a.state = 'restored';
    update sluice.archive a set
        state = 'gone', rows = of_rows, file = of_file, directory = of_directory, node = of_node,
        bytes = of_bytes, text_bytes = of_text_bytes, sha256 = of_sha256, changed_at = now()
    where a.kind = of_kind and a.day = of_day and a.part = of_part and a.state = 'detached';
    if not found then
        raise exception 'part % of % % is not detached', of_part, of_kind, of_day
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
comment on function sluice.end_leaving is 'Drops a detached day and notes what became of it.';

-- The way back, first step: a table for what is restored, which is no partition yet. An empty
-- partition would let a replay of its rows in before they are there.
create function sluice.make_room(of_kind text, of_day date) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    column_name constant text := case when of_kind like '%rollup' then 'minute' else 't' end;
begin
    if exists (select from sluice.day_partition d where d.kind = of_kind and d.day = of_day) then
        return false;
    end if;
    perform sluice.make_day_table(of_kind, of_day, 'including indexes');
    -- Spares the scan when it is attached.
    execute format(
        'alter table sluice_partitions.%1$I add constraint is_of_the_day '
            'check (%4$I >= %2$L::timestamptz and %4$I < %3$L::timestamptz)',
        of_kind || to_char(of_day, '"_"YYYYMMDD'),
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(of_day + 1, 'YYYY-MM-DD') || ' 00:00:00+00',
        column_name);
    return true;
end
$$;
comment on function sluice.make_room is
    'Makes a table for a day that is brought back; false: its partition is there, and takes it.';

-- The last step back, in the same transaction: its lock on the parent holds up others who make
-- partitions.
create function sluice.attach_room(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    perform pg_advisory_xact_lock(1936487779, 2);
    perform sluice.attach_day_table(of_kind, of_day);
    execute format(
        'alter table sluice_partitions.%I drop constraint is_of_the_day',
        of_kind || to_char(of_day, '"_"YYYYMMDD'));
end
$$;
comment on function sluice.attach_room is 'Makes the table that make_room made a partition.';

-- Days whose rows are out can't be summed up from them: their sums stay as they are.
create function sluice.days_to_rebuild(first_day date, last_day date) returns setof date
language sql stable
set search_path = pg_catalog
as $$
    select first_day + n
    from generate_series(0, last_day - first_day) n
    where not sluice.is_out('gps', first_day + n) and not sluice.is_out('vital', first_day + n)
    order by n
$$;
comment on function sluice.days_to_rebuild is 'Days of a range whose rollups can be rebuilt.';

-- As before, but a partition that is about to leave is let go.
create or replace function sluice.days_to_compact() returns setof date
language sql stable
set search_path = pg_catalog
as $$
    select d.day
    from sluice.day_partition d
    where d.kind = 'vital_rollup' and not d.is_pending and d.name not like 'leaving%'
        -- An hour for those that are late.
        and (d.day + 1)::timestamp at time zone 'UTC' < now() - interval '1 hour'
        and not exists (select from sluice.rollup_day r where r.day = d.day)
    order by d.day
$$;
