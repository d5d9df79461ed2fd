-- Up to when are a user's data complete, how late do they come, and is a clock wrong?
--
-- Before complete_up_to nothing is missing, if the device is late by no more than it was in the last
-- 30 days in which it was; behind it, nothing is promised. See \d+ analytics.completeness.
--
-- Parameters: behind   devices that are further behind now than this (0 seconds)
--
--    device_id   | complete_up_to      | behind   | late_by         | late % | clock_skew | gaps
--   -------------+---------------------+----------+-----------------+--------+------------+------
--    9b2f…-phone | 2026-02-10 14:41:07 | 00:16:42 | 3 days 00:15:58 |    2.1 | -00:00:03  |    4
\if :{?behind} \else \set behind '0 seconds' \endif

select device_id, complete_up_to, date_trunc('second', now() - complete_up_to) as behind,
    justify_hours(date_trunc('second', late_by)) as late_by,
    round((100 * late_share)::numeric, 1) as "late %",
    justify_hours(clock_skew) as clock_skew, gaps
from analytics.completeness
where now() - complete_up_to > :'behind'::interval
order by complete_up_to;
