-- The fleet at a glance, and which versions of the devices' software are in use.
--
-- Parameters: none
--
--    devices | users | active_hour | silent_7_days | readings | late % | clocks_ahead | quarantined
--   ---------+-------+-------------+---------------+----------+--------+--------------+-------------
--        412 |   398 |         301 |            12 | 91826301 |    0.4 |            2 |          37
select devices, users, active_hour, silent_7_days, readings,
    round((100 * late_share)::numeric, 2) as "late %", clocks_ahead, quarantined
from analytics.fleet;

select coalesce(model_name, 'unknown') as model, coalesce(version, 'unknown') as version,
    count(distinct device_id) as devices, max(last_seen) as last_seen
from analytics.device
group by 1, 2
order by devices desc, model, version;
