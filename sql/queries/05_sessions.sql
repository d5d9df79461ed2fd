-- When was each device active, from when to when? Pauses longer than a gap separate sessions.
--
-- Parameters: gap        the pause (15 minutes)
--             from_time  the first moment (7 days ago)
--             to_time    up to but not including (now)
--
--    device_id   |       started       |        ended        | duration | readings | positions
--   -------------+---------------------+---------------------+----------+----------+-----------
--    9b2f…-phone | 2026-02-10 07:12:05 | 2026-02-10 08:40:11 | 01:28:06 |     1761 |       880
\if :{?gap} \else \set gap '15 minutes' \endif
\if :{?from_time}
\else
    select now() - interval '7 days' as from_time \gset
\endif
\if :{?to_time} \else \set to_time tomorrow \endif

select device_id, started, ended, duration, readings, positions
from analytics.sessions_by(:'gap', :'from_time', :'to_time')
where readings > 1
order by device_id, started;
