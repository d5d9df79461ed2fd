-- The newest positions of the whole fleet, one row a position.
--
-- Which devices can have them, and from when on, is known without a look at any position: the
-- tenth newest is no older than the tenth newest of the devices' last ones. For measurements and
-- events take analytics.vital or event and that kind.
--
-- Parameters: count  how many (10)
--
--    device_id     | user_id |        time         | latitude | longitude
--   ---------------+---------+---------------------+----------+-----------
--    9b2f…-phone   | ann     | 2026-02-10 14:57:07 |  34.0522 | -118.2437
\if :{?count} \else \set count 10 \endif

with newest as materialized (
    select device_id, user_id, max(time) as time
    from analytics.newest
    where kind = 'gps'
    group by device_id, user_id
    order by time desc
    limit :count
)
select g.device_id, g.user_id, g.time, g.latitude, g.longitude
from newest n
join analytics.gps g on g.device_id = n.device_id and g.user_id = n.user_id
where g.time >= (select min(time) from newest)
order by g.time desc
limit :count;
