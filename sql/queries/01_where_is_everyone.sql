-- Where is every device, and how old is that?
--
-- Parameters: minutes  show devices heard of in that many minutes (a day)
--
--    device_id     | user_id |        time         | latitude | longitude | age
--   ---------------+---------+---------------------+----------+-----------+----------
--    9b2f…-phone   | ann     | 2026-02-10 14:57:07 |  34.0522 | -118.2437 | 00:00:42
\if :{?minutes} \else \set minutes 1440 \endif

select device_id, user_id, time, latitude, longitude,
    date_trunc('second', now() - time) as age
from analytics.latest_position
where time > now() - :minutes * interval '1 minute'
order by time desc;
