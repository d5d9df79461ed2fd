-- Notices: what connected clients are told, and what waits for those who are not connected.

create table sluice.notice (
    id bigint generated always as identity primary key,
    topic text not null,
    user_id text not null,
    payload text not null,
    xid xid8 not null default pg_current_xact_id(),
    posted_at timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0.05);
create index notice_xid on sluice.notice (xid, id);
comment on table sluice.notice is
    'What connected clients are to be told; kept for an hour, for nodes that were cut off.';
comment on column sluice.notice.id is 'Rises, though not in the order of commits.';
comment on column sluice.notice.topic is 'Whose business it is: meal, memory.';
comment on column sluice.notice.user_id is 'Whose sockets get it.';
comment on column sluice.notice.payload is 'The text to send, as it is.';
comment on column sluice.notice.xid is
    'The transaction that posted it: readers look back to the oldest one that was still open when '
    'they last looked.';
comment on column sluice.notice.posted_at is 'For the sweep.';

create function sluice.post_notice(topic text, user_id text, payload text) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    insert into sluice.notice (topic, user_id, payload) values ($1, $2, $3);
    perform pg_notify('sluice_notice', '');
end
$$;
comment on function sluice.post_notice is
    'Tells a user''s sockets on all nodes something, when the transaction commits.';

-- Whatever a user is to be told waits until a socket of the user has had it. A node tells its sockets
-- nothing of a topic that it does not know, and the row waits for a node that does.
create table sluice.undelivered (
    id bigint generated always as identity primary key,
    topic text not null,
    user_id text collate "C" not null,
    subject uuid not null,
    payload text not null,
    created_at timestamptz not null default now(),
    only_for text
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index undelivered_user on sluice.undelivered (user_id, id);
create index undelivered_time on sluice.undelivered (created_at);
comment on table sluice.undelivered is
    'What a user has to be told once. A row is made with the result and goes when some socket of the '
    'user has had it: at once, or at the next connect.';
comment on column sluice.undelivered.id is 'In the order in which results were made.';
comment on column sluice.undelivered.topic is 'Whose business it is: meal, memory.';
comment on column sluice.undelivered.user_id is 'Who is to be told.';
comment on column sluice.undelivered.subject is
    'What it is about: a log''s id, or a UUID made of a capture''s. What changes it deletes the row.';
comment on column sluice.undelivered.payload is 'The frame, as it is sent.';
comment on column sluice.undelivered.created_at is 'For the sweep.';
comment on column sluice.undelivered.only_for is
    'Only sockets that were opened for it get the frame, such as those of a consultation, by its id; '
    'null: all of the user''s.';

create function sluice.tell_user(
    topic text, user_id text, subject uuid, frame text, only_for text default null
) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    row_id bigint;
begin
    insert into sluice.undelivered (topic, user_id, subject, payload, only_for)
    values ($1, $2, $3, $4, $5)
    returning id into row_id;
    perform sluice.post_notice($1, $2, row_id || ' ' || coalesce($5, '-') || E'\n' || $4);
end
$$;
comment on function sluice.tell_user is
    'Has a user told something once, when the transaction commits: all sockets that are there, or '
    'else the next, of those for which it is. The notice is the number of the undelivered row, for '
    'which sockets it is or a dash, a line break and the frame.';
