-- After device_state was restored from an earlier time than the rows.

-- A watermark that is too high costs look-ups, but no reading is lost or stored twice by it. So the
-- newest times are read first, without locks; then only devices that are behind are locked, in the
-- order of their keys, as writers do.
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
