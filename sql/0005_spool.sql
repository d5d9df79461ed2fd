-- What the spool needs: batches that come back late must not undo what a device said later, and a
-- database that was away is asked whether it takes rows.

alter table sluice.device add column attributes_at timestamptz not null default '-infinity';
comment on column sluice.device.attributes_at is
    'When the batch came in that user_id, model_name and version are from.';

create table sluice.node_beat (
    node text not null,
    lane integer not null,
    beat timestamptz not null,
    primary key (node, lane)
);
comment on table sluice.node_beat is
    'When each lane last found out that the database takes rows: at its start, and after the '
    'database was away.';
