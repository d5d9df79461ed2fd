-- One device's track of one day: where it went, how far, how fast.
--
-- Parameters: device   the device (the one with the newest position)
--             day      a day of UTC (that of its newest position)
--
--      time    | latitude | longitude | metres | km_h
--   -----------+----------+-----------+--------+------
--    07:12:05  |  52.5200 |   13.4050 |     14 |  5.1
\if :{?device}
\else
    select device_id as device from analytics.newest where kind = 'gps' order by time desc limit 1 \gset
\endif
\if :{?day}
\else
    select coalesce(max(time), now())::date as day from analytics.newest where device_id = :'device' and kind = 'gps' \gset
\endif

select time::time(0) as time, latitude, longitude, round(metres) as metres,
    round((metres_per_second * 3.6)::numeric, 1) as km_h
from analytics.track
where device_id = :'device'
    and time >= :'day'::date and time < :'day'::date + 1
order by track.time;
