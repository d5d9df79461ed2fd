-- How long was each device in which state? An event's state lasts until the next one of its label.
--
-- Parameters: device  the device (the one with the newest event)
--             label   the event (that of which it has most in the day before its newest one)
--
--     state    | times | total
--   -----------+-------+----------
--    walking   |    14 | 02:31:07
--    stationary|    15 | 19:12:44
\if :{?device}
\else
    select device_id as device from analytics.newest where kind = 'event' order by time desc limit 1 \gset
\endif
\if :{?label}
\else
    select label from analytics.event where device_id = :'device' and time > (select max(time) - interval '1 day' from analytics.newest where device_id = :'device' and kind = 'event') group by 1 order by count(*) desc, 1 limit 1 \gset
\endif

select state, count(*) as times, sum(until - time) as total
from (
    select value as state, time, lead(time) over (order by time) as until
    from analytics.event
    where device_id = :'device' and label = :'label'
) s
group by state
order by total desc nulls last;
