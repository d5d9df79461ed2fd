-- Rows can be removed and changed in every table, also where a publication replicates all of them.
--
-- A publication of a table's DELETE and UPDATE needs to know which row is meant; without, PostgreSQL
-- refuses the statement itself (55000), whatever wal_level is. `create publication … for all tables`
-- therefore stopped erasure, sums of late readings and retention. A shard's move on Citus did the same.
-- Readings and sums have no key: the whole row is the identity. It is in the log only where wal_level
-- is logical, and only for rows that are removed or changed: COPY and INSERT write what they wrote.

do $$
declare
    item regclass;
begin
    for item in
        select c.oid
        from pg_catalog.pg_class c
        where (
                c.relnamespace in ('sluice'::regnamespace, 'sluice_partitions'::regnamespace)
                or obj_description(c.oid, 'pg_class') like 'Copy by sluice archive restore:%'
                    and pg_has_role(c.relowner, 'USAGE')
            )
            and c.relkind in ('r', 'p') and c.relreplident = 'd'
            and not exists (
                select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary)
        -- In the order in which lanes lock the tables.
        order by c.relkind = 'r', c.oid
    loop
        execute format('alter table %s replica identity full', item);
    end loop;
end
$$;

-- A partition does not take it over from its table.
create or replace function sluice.make_day_table(of_kind text, of_day date, extras text default '')
returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    name constant text := of_kind || to_char(of_day, '"_"YYYYMMDD');
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
        name, of_kind, extras);
    execute format('alter table sluice_partitions.%I replica identity full', name);
end
$$;
