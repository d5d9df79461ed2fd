-- What `sluice forget` needs: a record of what was done that names nobody, and a look into payloads.

create table sluice.erasure (
    id bigint generated always as identity primary key,
    salt bytea not null check (octet_length(salt) = 16),
    digest bytea not null check (octet_length(digest) = 32),
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    is_complete boolean not null default false,
    passes integer not null default 0,
    rows_removed jsonb not null default '{}',
    files_removed bigint not null default 0,
    file_bytes_removed bigint not null default 0
);
comment on table sluice.erasure is
    'Every run of `sluice forget`. Says of nobody who it was; with a user''s id in hand, '
    'sluice.erasures_of finds the user''s.';
comment on column sluice.erasure.id is 'In the order of the starts.';
comment on column sluice.erasure.salt is 'Random: equal ids of two rows don''t show.';
comment on column sluice.erasure.digest is 'SHA-256 of salt and user id.';
comment on column sluice.erasure.started_at is 'When it began.';
comment on column sluice.erasure.finished_at is
    'When it ended; null while it runs, and where it was cut off.';
comment on column sluice.erasure.is_complete is 'Its last pass found nothing any more.';
comment on column sluice.erasure.passes is 'How often it went through all tables.';
comment on column sluice.erasure.rows_removed is 'Rows removed, by table.';
comment on column sluice.erasure.files_removed is 'Uploaded files whose bytes were removed.';
comment on column sluice.erasure.file_bytes_removed is 'How large they were.';

create function sluice.begin_erasure(user_id text) returns bigint
language sql
set search_path = pg_catalog
as $$
    insert into sluice.erasure (salt, digest)
    select s.salt, sha256(s.salt || convert_to(user_id, 'UTF8'))
    from (select uuid_send(gen_random_uuid()) as salt offset 0) s
    returning id
$$;
comment on function sluice.begin_erasure is 'Notes that an erasure begins; returns its number.';

create function sluice.erasures_of(user_id text) returns setof sluice.erasure
language sql stable
set search_path = pg_catalog
as $$
    select * from sluice.erasure e
    where e.digest = sha256(e.salt || convert_to(user_id, 'UTF8'))
    order by e.id
$$;
comment on function sluice.erasures_of is 'The proof for one user: the runs that were for this id.';

-- json, not jsonb: what was rejected may hold a \u0000, which jsonb refuses. What is no JSON at all
-- names whoever stands in it between quotes.
create function sluice.payload_names(payload text, user_id text) returns boolean
language plpgsql immutable strict parallel safe
set search_path = pg_catalog
as $$
begin
    return coalesce(payload::json->>'user' = user_id, false);
exception when others then
    return position(to_json(user_id)::text in payload) > 0;
end
$$;
comment on function sluice.payload_names(text, text) is
    'Whether a job or a unit of work is this user''s.';

create function sluice.payload_names(payload bytea, user_id text) returns boolean
language plpgsql immutable strict parallel safe
set search_path = pg_catalog
as $$
begin
    return sluice.payload_names(convert_from(payload, 'UTF8'), user_id);
exception when others then
    return position(convert_to(to_json(user_id)::text, 'UTF8') in payload) > 0;
end
$$;
comment on function sluice.payload_names(bytea, text) is
    'The same for bytes, which need not be text.';
