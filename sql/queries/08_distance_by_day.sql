-- How far did each device travel, day by day of its user's time zone?
--
-- Parameters: first_day, last_day  both included (the last 7)
--
--    device_id   |    day     |  km   | positions | measurements | events
--   -------------+------------+-------+-----------+--------------+--------
--    9b2f…-phone | 2026-02-10 | 12.41 |      8640 |        17280 |     52
\if :{?first_day}
\else
    select current_date - 6 as first_day \gset
\endif
\if :{?last_day}
\else
    select current_date as last_day \gset
\endif

select device_id, day, round((metres / 1000)::numeric, 2) as km, positions,
    vitals as measurements, events
from analytics.device_local_day
where day between :'first_day' and :'last_day'
order by device_id, day;
