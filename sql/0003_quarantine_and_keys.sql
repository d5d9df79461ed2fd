-- Readings that were set aside, and who may send.

-- The same bad reading sent again is the same row: insert with ON CONFLICT DO NOTHING. Which row
-- it is depends on the bytes alone, so that the first reason, index and time stay.
create table sluice.quarantine (
    device_key bigint not null,
    digest bytea not null generated always as (sha256(body)) stored,
    device_id text not null,
    reason text not null,
    body bytea not null,
    reading_index integer not null,
    api_key text not null,
    received_at timestamptz not null default now(),
    primary key (device_key, digest)
);
create index quarantine_received_at on sluice.quarantine (received_at);
comment on table sluice.quarantine is
    'Readings that were not stored, with the reason and the original bytes.';
comment on column sluice.quarantine.device_key is 'The device that sent it (the envelope''s).';
comment on column sluice.quarantine.digest is 'SHA-256 of body.';
comment on column sluice.quarantine.body is
    'The reading as sent, from { to }; cut at the size limit.';
comment on column sluice.quarantine.reading_index is
    'Its place in the batch that brought it first.';
comment on column sluice.quarantine.api_key is 'Name of the key that the batch came with.';

create table sluice.api_key (
    id bigint generated always as identity primary key,
    name text not null,
    hash bytea not null unique,
    prefix text not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
);
-- A revoked key stays in the list and gives its name free.
create unique index api_key_name on sluice.api_key (name) where revoked_at is null;
comment on table sluice.api_key is 'Keys of the HTTP API. The key itself is nowhere.';
comment on column sluice.api_key.hash is
    'SHA-256 of the key, which is random enough to need no salt.';
comment on column sluice.api_key.prefix is
    'The key''s first characters, to tell keys apart in lists.';
