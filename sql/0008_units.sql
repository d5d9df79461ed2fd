-- Units of work that could not be recorded, and what each device said of itself last.

-- Only units that came through the spool: their clients have been told that they are safe. The same
-- payload is one row, so that what comes back from the spool twice is set aside once.
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
comment on table sluice.unit_set_aside is
    'Captures and other units of work that were accepted into the spool and that the database then '
    'refused, or whose kind is unknown.';
comment on column sluice.unit_set_aside.digest is 'SHA-256 of payload.';
comment on column sluice.unit_set_aside.payload is
    'As it was handed to the kind''s statement: JSON text, UTF-8.';
comment on column sluice.unit_set_aside.sqlstate is
    'With what the database refused it; null: it was not asked.';

-- The claim, which every group makes anyway, also says what the group's devices said last. So a
-- batch that waited in a spool is told from one that nobody has contradicted, whichever process and
-- connection wrote what came in between; and an unchanged device costs no further statement.
alter table sluice.device_state
    add column said bigint not null default 0,
    add column said_at timestamptz not null default '-infinity',
    add column says_new boolean not null default false;
comment on column sluice.device_state.said is
    'Hash of user_id, model_name and version as they were said last; 0: never.';
comment on column sluice.device_state.said_at is 'When the batch came in that said it.';
comment on column sluice.device_state.says_new is
    'The last commit said something else than was known, and nothing older.';
