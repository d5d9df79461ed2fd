-- Locks that strangers can't take. Every role that may connect can take an advisory lock of any key
-- and keep it. To lock a table in a mode that excludes others, a role needs rights to it.

create table sluice.day_turn ();
comment on table sluice.day_turn is
    'Has no rows. Whoever makes or attaches partitions locks it (EXCLUSIVE) until the commit.';

create table sluice.archive_turn ();
comment on table sluice.archive_turn is
    'Has no rows. The process that archives or restores days locks it (EXCLUSIVE) meanwhile; '
    'transactions that need days to stay lock it ROW SHARE.';

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
        -- Older binaries take a partition for one day.
        update sluice.migration set oldest_binary = 29 where number = 29;
    end if;
    return sluice.partition_days();
end
$$;

-- CREATE TABLE … PARTITION OF would lock the parent against every COPY in flight. LIKE and ATTACH
-- take SHARE UPDATE EXCLUSIVE on it, which COPY does not notice. With the lock two callers take
-- turns; the second finds nothing missing. (In READ COMMITTED: under a stricter isolation it does
-- not see the first one's partitions and fails with 42P07.)
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
    lock table sluice.day_turn in exclusive mode;
    -- Of each partition the first day that is asked for.
    for missing in
        select m.kind, m.day, sluice.first_day(m.day) as first
        from sluice.missing_days(first_day, last_day) m
        where m.day = greatest(first_day, sluice.first_day(m.day))
    loop
        if sluice.is_out(missing.kind, missing.day) then
            raise exception 'the rows of % left the table %', missing.day, missing.kind
                using errcode = 'datetime_field_overflow',
                    hint = 'sluice archive restore brings them back.';
        end if;
        perform sluice.make_partition(missing.kind, missing.first);
        made := made + 1;
    end loop;
    return made;
end
$$;

-- The last step back, in the same transaction: its lock on the parent holds up others who make
-- partitions.
create or replace function sluice.attach_room(of_kind text, of_day date) returns void
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
