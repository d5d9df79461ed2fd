-- Day partitions.

create schema sluice_partitions;
comment on schema sluice_partitions is 'The days of sluice.gps, sluice.vital and sluice.event.';

create function sluice.missing_days(first_day date, last_day date)
returns table (kind text, day date, partition text)
language sql stable
set search_path = pg_catalog
as $$
    select k.kind, first_day + n, k.kind || to_char(first_day + n, '"_"YYYYMMDD')
    from generate_series(0, last_day - first_day) n
    cross join unnest(array['gps', 'vital', 'event']) with ordinality k (kind, place)
    where not exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('sluice.' || k.kind)::regclass
            and c.relname = k.kind || to_char(first_day + n, '"_"YYYYMMDD')
    )
    order by n, k.place
$$;
comment on function sluice.missing_days is 'The partitions that ensure_days would make.';

-- CREATE TABLE … PARTITION OF would lock the parent against every COPY in flight. LIKE and ATTACH
-- take SHARE UPDATE EXCLUSIVE on it, which COPY does not notice. The advisory lock makes two
-- callers take turns; the second finds nothing missing. (In READ COMMITTED: under a stricter
-- isolation it does not see the first one's partitions and fails with 42P07.)
create function sluice.ensure_days(first_day date, last_day date) returns integer
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
        -- A day is written once and never changed. So it is frozen by the first vacuum that
        -- passes, not read and written again years later; and vacuum waits for enough rows to be
        -- worth a pass while the day still grows.
        execute format(
            'create table sluice_partitions.%I ('
                'like sluice.%I including defaults including constraints including storage '
                'including compression including comments'
            ') with (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 100000, '
                'toast.autovacuum_freeze_min_age = 0)',
            missing.partition, missing.kind);
        -- With their zone, the bounds mean the UTC day whatever the session's TimeZone is.
        execute format(
            'alter table sluice.%I attach partition sluice_partitions.%I '
                'for values from (%L) to (%L)',
            missing.kind, missing.partition,
            to_char(missing.day, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(missing.day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function sluice.ensure_days is
    'Makes the missing partitions of all kinds for these UTC days; returns how many.';
