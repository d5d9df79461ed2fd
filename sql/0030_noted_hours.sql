-- A group notes an hour once, not with every batch.
--
-- The transaction that stores a reading notes its hour, and the note stays until the hour is summed.
-- So the hour of a device's newest reading has a note, unless that hour or a later one was summed. A
-- claim returns both, the newest time and summed_until, while it holds the device's row; sum_hours
-- holds the row as well. Most batches are in the hour of the one before and need no note.

alter table sluice.device_state
    add column summed_until timestamptz not null default '-infinity';
comment on column sluice.device_state.summed_until is
    'End of the latest hour that was summed; later hours have notes.';

-- Which hours were summed before this step is unknown: all up to the newest reading may have been.
update sluice.device_state s
set summed_until =
    date_bin('1 hour', greatest(s.gps_until, s.vital_until), '0001-01-01 00:00:00+00')
        + interval '1 hour'
where isfinite(greatest(s.gps_until, s.vital_until));

create or replace function sluice.sum_hours(
    after_key bigint default -9223372036854775808, from_hour timestamptz default '-infinity',
    to_hour timestamptz default 'infinity', hours_max integer default 4
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    key bigint;
    due record;
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
    select d.device_key into key from sluice.rollup_due d
    where d.device_key > after_key and d.hour >= from_hour and d.hour < to_hour
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
            and d.kind || sluice.first_day((d.hour at time zone 'UTC')::date) <> all (leaving)
        order by d.hour, d.kind limit hours_max
    loop
        summed := summed + 1;
        latest := due.hour + interval '1 hour';
        delete from sluice.rollup_due d
        where d.device_key = key and d.hour = due.hour and d.kind = due.kind;
        if due.partition <> all (gone) then
            call sluice.sum_hour(key, due.hour, due.kind);
        end if;
    end loop;
    update sluice.device_state s set summed_until = latest
    where s.device_key = key and s.summed_until < latest;
    return case when summed < hours_max then key else key - 1 end;
end
$$;
