-- How long was each device in which state? An event's state lasts until the next one of its label.
--
-- Parameters: label   the event (motion_state)
--             device  the device (the one that was heard of last)
--
--     state    | times | total
--   -----------+-------+----------
--    walking   |    14 | 02:31:07
--    stationary|    15 | 19:12:44
\if :{?label} \else \set label motion_state \endif
\if :{?device}
\else
    select device_id as device from analytics.device order by last_seen desc limit 1 \gset
\endif

select state, count(*) as times, sum(until - time) as total
from (
    select value as state, time, lead(time) over (order by time) as until
    from analytics.event
    where device_id = :'device' and label = :'label'
) s
group by state
order by total desc nulls last;
