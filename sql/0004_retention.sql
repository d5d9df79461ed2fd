-- Days that are taken out of the tables: dropped, or kept as files and brought back.
--
-- A day leaves in steps, each of them found again in the catalogue after a crash:
--   its partition gets a name that says so, and a row in sluice.archive, in one transaction;
--   it is detached, concurrently: nobody who writes to or reads from the parent waits for that;
--   its rows are written to a file, and the file is read back;
--   it is dropped, and its row says so, in one transaction.
-- Its hours are summed before. What was stored between that and the moment when the day is a table by
-- itself turns it round.

create function sluice.leaving_name(kind text, day date, part integer) returns text
language sql immutable
return 'leaving_' || part || '_' || kind || pg_catalog.to_char(day, '"_"YYYYMMDD');
comment on function sluice.leaving_name is
    'What the partition of a day is called from the moment when it is to leave.';

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
    perform sluice.refuse_due(of_kind, of_day);
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
    perform sluice.refuse_due(of_kind, of_day);
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
    column_name constant text := case when of_kind like '%rollup' then 'hour' else 't' end;
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
        to_char(of_day + sluice.partition_days(), 'YYYY-MM-DD') || ' 00:00:00+00',
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
    lock table sluice.day_turn in exclusive mode;
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
