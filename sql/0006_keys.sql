-- Who may send, and how much.

create table sluice.api_key (
    id bigint generated always as identity primary key,
    name text not null,
    hash bytea not null unique,
    prefix text not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    bytes_per_second bigint check (bytes_per_second > 0)
);
-- A revoked key stays in the list and gives its name free.
create unique index api_key_name on sluice.api_key (name) where revoked_at is null;
comment on table sluice.api_key is 'Keys of the HTTP API. The key itself is nowhere.';
comment on column sluice.api_key.id is 'Names the key in other tables.';
comment on column sluice.api_key.name is 'For people; of one key at a time that is not revoked.';
comment on column sluice.api_key.scopes is 'What requests with it may do.';
comment on column sluice.api_key.created_at is 'When it was made.';
comment on column sluice.api_key.expires_at is 'From when on it is refused; null: never.';
comment on column sluice.api_key.revoked_at is 'When it was revoked; null: it was not.';
comment on column sluice.api_key.last_used_at is 'About when a request came with it last; null: never.';
comment on column sluice.api_key.hash is
    'SHA-256 of the key, which is random enough to need no salt.';
comment on column sluice.api_key.prefix is
    'The key''s first characters, to tell keys apart in lists.';
comment on column sluice.api_key.bytes_per_second is
    'Bytes of request bodies a second on each node; null: as configured.';
