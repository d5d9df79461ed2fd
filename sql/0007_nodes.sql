-- What the server's nodes note of themselves and of the database.

-- A database that was unreachable is asked whether it takes rows.
create table sluice.node_heartbeat (
    node text not null,
    lane integer not null,
    heartbeat timestamptz not null,
    primary key (node, lane)
);
comment on table sluice.node_heartbeat is
    'When each lane last found out that the database takes rows: at its start, and after the '
    'database was away.';

-- A copy from an earlier time is on the same timeline as its original, and its log grows, too. But it
-- never has the numbers that were written after it was made: nodes that have seen a higher one don't
-- write to it.
create table sluice.epoch_mark (
    is_only boolean primary key default true check (is_only),
    number bigint not null
);
comment on table sluice.epoch_mark is
    'Goes up while the database is written to; a copy is known by what it lacks. One row.';
comment on column sluice.epoch_mark.is_only is 'True: there is no second row.';
comment on column sluice.epoch_mark.number is 'How often a node has raised it.';
insert into sluice.epoch_mark (number) values (0);

-- The items that a pass over many could not process. The pass goes on past them, tries each again
-- after a pause that doubles with every failure, and removes its row when it succeeds.
create table sluice.failing_item (
    pass text not null,
    item text not null,
    attempts integer not null,
    last_error text not null,
    first_at timestamptz not null default now(),
    failed_at timestamptz not null default now(),
    next_at timestamptz not null,
    primary key (pass, item)
);
comment on table sluice.failing_item is
    'Items that a background pass could not process. They are tried again after growing pauses.';
comment on column sluice.failing_item.pass is 'The pass, such as retention.';
comment on column sluice.failing_item.item is
    'The item: a day of a table, a device_key, a file or a table.';
comment on column sluice.failing_item.attempts is 'Failures in a row.';
comment on column sluice.failing_item.last_error is 'The last failure.';
comment on column sluice.failing_item.first_at is 'Time of the first failure.';
comment on column sluice.failing_item.failed_at is 'Time of the last failure.';
comment on column sluice.failing_item.next_at is 'The pass skips the item until then.';

-- A pass keeps a thousand items. One more has no pause: every run tries it.
create function sluice.item_failed(failed_pass text, failed_item text, error text) returns void
language sql
set search_path = pg_catalog
as $$
    insert into sluice.failing_item as f (pass, item, attempts, last_error, next_at)
    select $1, $2, 1, left($3, 500), now() + interval '1 minute'
    where exists (select from sluice.failing_item o where o.pass = $1 and o.item = $2)
        or (select count(*) from sluice.failing_item o where o.pass = $1) < 1000
    on conflict (pass, item) do update set
        attempts = f.attempts + 1, last_error = excluded.last_error, failed_at = now(),
        next_at = now() + interval '1 minute' * least(2 ^ least(f.attempts, 9), 360)
$$;
comment on function sluice.item_failed is
    'Notes the failure of an item. The pause begins with a minute and doubles up to six hours.';

-- An item that nobody has tried for a day is gone: the longest pause is six hours. A day is tried
-- when it is due and somebody waits for it; if nobody does, it is there.
create view sluice.failing_now as
select pass, item, attempts, last_error, first_at, failed_at, next_at
from sluice.failing_item
where failed_at > now() - interval '1 day'
    and (pass <> 'days' or next_at > now() - interval '10 minutes');
comment on view sluice.failing_now is 'The items that are failing, without those that are gone.';
