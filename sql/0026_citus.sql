-- What plain PostgreSQL and Citus take in the same form.

-- Citus has no plan for an SQL function with parameters over a table that is distributed, nor for an
-- EXISTS without columns.
create or replace function sluice.is_due(of_kind text, of_day date) returns boolean
language plpgsql stable
set search_path = pg_catalog
as $$
begin
    perform d.hour from sluice.rollup_due d
    where d.kind = of_kind and d.hour >= of_day::timestamp at time zone 'UTC'
        and d.hour < (of_day + 1)::timestamp at time zone 'UTC'
    limit 1;
    return found;
end
$$;

-- Grouped by the device's key too, by which Citus finds the rows.
create or replace view analytics.vital_day as
select v.device_id, v.user_id, n.day, v.code, m.name as metric, m.unit, v.readings, v.low, v.high,
    v.total, v.total / v.readings as mean, v.last_value
from (
    select distinct p.day, p.day::timestamp at time zone 'UTC' as start,
        (p.day + 1)::timestamp at time zone 'UTC' as stop
    from sluice.day_partition p
    where p.kind in ('vital', 'vital_rollup')
) n
cross join lateral (
    select r.device_id, r.user_id, r.code, sum(r.readings)::bigint as readings, min(r.low) as low,
        max(r.high) as high, sum(r.total) as total,
        (array_agg(r.last_val order by r.hour desc))[1] as last_value
    from sluice.vital_hours r
    where r.hour >= n.start and r.hour < n.stop
    group by r.device_key, r.device_id, r.user_id, r.code
) v
left join sluice.metric m using (code);
