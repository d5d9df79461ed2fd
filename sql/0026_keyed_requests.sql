-- What was made by requests with an Idempotency-Key.
--
-- The id of what such a request makes follows from its user and key (IdempotencyKey), so it is stored
-- once. A fingerprint of the request's content tells that another request has the same key: it gets
-- no answer of the first one. So a fingerprint can't be younger than what it is of: it stays as long as
-- that, and as long as its deletion is remembered, which is 30 days. After that the key is a new one.

create table sluice.keyed_request (
    item_id text collate "C" not null primary key,
    user_id text collate "C" not null,
    fingerprint text not null,
    made_at timestamptz not null default now()
);
create index keyed_request_user on sluice.keyed_request (user_id);
comment on table sluice.keyed_request is
    'The contents of requests with an Idempotency-Key, as fingerprints.';
comment on column sluice.keyed_request.item_id is
    'What the request made: a row of meal_log or of the journal.';
comment on column sluice.keyed_request.user_id is 'Whose request it was.';
comment on column sluice.keyed_request.fingerprint is 'A hash of the request''s fields and files.';
comment on column sluice.keyed_request.made_at is 'When it was stored.';

-- In the transaction that stores the items. Two with one id take turns there.
create function sluice.compare_requests(payloads text[], results text[])
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    insert into sluice.keyed_request (item_id, user_id, fingerprint)
    select s.body->>'id', s.body->>'user', s.body->>'request'
    from (
        select p.payload::jsonb as body
        from unnest(payloads, results) p (payload, result)
        where p.result = 'stored' and strpos(p.payload, '"request"') > 0 offset 0
    ) s
    where s.body ? 'request'
    order by 1
    on conflict (item_id) do update set fingerprint = excluded.fingerprint;
    return query
    select s.place::integer,
        case
            when s.result = 'same' and exists (
                select from sluice.keyed_request k
                where k.item_id = s.payload::jsonb->>'id' and k.user_id = s.payload::jsonb->>'user'
                    and k.fingerprint <> s.payload::jsonb->>'request')
            then 'different'
            else s.result
        end
    from unnest(payloads, results) with ordinality s (payload, result, place);
end
$$;
comment on function sluice.compare_requests is
    'Keeps the fingerprints of items that were stored now. For each item the result; different in '
    'place of same if it came before with another content.';

create function sluice.drop_keyed_requests() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.keyed_request k
    using gone g
    where k.item_id = to_jsonb(g)->>tg_argv[0];
    return null;
end
$$;
comment on function sluice.drop_keyed_requests is
    'Removes the fingerprints of items whose deletion is remembered no more; the argument is the '
    'column with their ids.';
create trigger drop_keyed_requests after delete on sluice.deleted_meal_log
    referencing old table as gone
    for each statement execute function sluice.drop_keyed_requests('meal_log_id');
create trigger drop_keyed_requests after delete on sluice.deleted_journal_entry
    referencing old table as gone
    for each statement execute function sluice.drop_keyed_requests('entry_id');
