-- Resting heart rate by day of the user's time zone: the tenth percentile of the minutes' means, where a
-- day has at least an hour of them.
--
-- Parameters: from_time, to_time  (the last 30 days)
--             minutes             how many a day needs (60)
--
--    user_id |    day     | resting | minutes
--   ---------+------------+---------+---------
--    ann     | 2026-02-10 |    54.2 |    1311
\if :{?from_time}
\else
    select now() - interval '30 days' as from_time \gset
\endif
\if :{?to_time}
\else
    select now() + interval '1 day' as to_time \gset
\endif
\if :{?minutes} \else \set minutes 60 \endif

select user_id, (time at time zone time_zone)::date as day,
    round((percentile_cont(0.1) within group (order by mean))::numeric, 1) as resting,
    count(*) as minutes
from analytics.vital_minute
join analytics.device using (device_id, user_id)
where metric = 'heart_rate' and time >= :'from_time' and time < :'to_time'
group by 1, 2
having count(*) >= :minutes
order by 1, 2;
