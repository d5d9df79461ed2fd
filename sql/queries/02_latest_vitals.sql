-- The newest value of each metric of one user's devices, of the day before each device's newest.
--
-- A metric that the device did not measure in that day is missing; analytics.vital has it.
--
-- Parameters: user_name  the user (the first there is)
--
--    device_id   |   metric   | value | unit |        time
--   -------------+------------+-------+------+---------------------
--    9b2f…-watch | heart_rate |    72 | bpm  | 2026-02-10 14:57:02
--    9b2f…-watch | code 99    |   1.5 |      | 2026-02-10 14:56:00
\if :{?user_name}
\else
    select min(user_id) as user_name from analytics.device \gset
\endif

select device_id, coalesce(metric, 'code ' || code) as metric, value, unit, time
from analytics.latest_vital
where user_id = :'user_name'
order by device_id, code;
