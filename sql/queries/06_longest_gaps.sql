-- Where is data missing? The longest pauses of the last days, and what is still going on.
--
-- Parameters: longer_than  pauses below that don't count (1 hour)
--             days         how far back (7)
--
--    device_id   |        began        |        ended        |    duration
--   -------------+---------------------+---------------------+----------------
--    9b2f…-phone | 2026-02-09 22:01:40 | 2026-02-10 06:58:12 | 08:56:32
\if :{?longer_than} \else \set longer_than '1 hour' \endif
\if :{?days} \else \set days 7 \endif

select device_id, began, ended, duration
from analytics.gaps_by(:'longer_than', now() - :days * interval '1 day', now())
order by duration desc, device_id
limit 50;
