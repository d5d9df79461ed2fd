-- Heart rate by hour of one device, over the last days that it has.
--
-- Parameters: device   the device (the one that was heard of last)
--             code     the metric (1: heart rate)
--             days     how many days (7)
--
--            hour         | readings | low | mean | high
--   ----------------------+----------+-----+------+------
--    2026-02-10 14:00:00  |      360 |  58 | 71.4 |  131
\if :{?device}
\else
    select device_id as device from analytics.device order by last_seen desc limit 1 \gset
\endif
\if :{?code} \else \set code 1 \endif
\if :{?days} \else \set days 7 \endif

select date_trunc('hour', time) as hour, sum(readings) as readings, min(low) as low,
    round((sum(total) / sum(readings))::numeric, 1) as mean, max(high) as high
from analytics.vital_minute
where device_id = :'device' and code = :code
    and time > (
        select newest_time from analytics.completeness where device_id = :'device'
    ) - :days * interval '1 day'
group by 1
order by 1;
