-- What was accepted and could not be stored: readings in quarantine, and rejected units of work.

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
comment on column sluice.quarantine.device_id is 'The device that sent it, lower-case.';
comment on column sluice.quarantine.reason is 'Why it was not stored.';
comment on column sluice.quarantine.body is
    'The reading as sent, from { to }; cut at the size limit.';
comment on column sluice.quarantine.reading_index is
    'Its place in the batch that brought it first.';
comment on column sluice.quarantine.api_key is 'Name of the key that the batch came with.';
comment on column sluice.quarantine.received_at is 'When it came first.';

-- Only units that came through the spool: their clients have been told that they are safe. The same
-- payload is one row, so that what comes back from the spool twice is rejected once.
create table sluice.unit_set_aside (
    kind text not null,
    digest bytea not null generated always as (sha256(payload)) stored,
    payload bytea not null,
    sqlstate text,
    reason text not null,
    received_at timestamptz not null,
    set_aside_at timestamptz not null default now(),
    primary key (kind, digest)
);
create index unit_set_aside_received_at on sluice.unit_set_aside (received_at);
comment on table sluice.unit_set_aside is
    'Captures and other units of work that were accepted into the spool and that the database then '
    'refused, whose Idempotency-Key another request had, or whose kind is unknown.';
comment on column sluice.unit_set_aside.kind is 'What it is, such as capture.';
comment on column sluice.unit_set_aside.digest is 'SHA-256 of payload.';
comment on column sluice.unit_set_aside.payload is
    'As it was handed to the kind''s statement: JSON text, UTF-8.';
comment on column sluice.unit_set_aside.reason is 'Why it was not stored.';
comment on column sluice.unit_set_aside.received_at is 'When it was accepted.';
comment on column sluice.unit_set_aside.set_aside_at is 'When it was put here.';
comment on column sluice.unit_set_aside.sqlstate is
    'With what the database refused it; null: it was not asked.';
