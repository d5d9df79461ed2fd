-- What was set aside, why, and by which devices? Send it again with `sluice quarantine requeue`.
--
-- Parameters: days  how far back (30)
--
--        reason       | readings | devices |  last_received_at   | example
--   ------------------+----------+---------+---------------------+-------------------------
--    lat_out_of_range |       12 |       1 | 2026-02-10 14:57:07 | {"t":"2026-02-10T14:57:
\if :{?days} \else \set days 30 \endif

select reason, count(*) as readings, count(distinct device_id) as devices,
    max(received_at) as last_received_at, left(min(body), 60) as example
from analytics.quarantine
where received_at > now() - :days * interval '1 day'
group by reason
order by readings desc;
