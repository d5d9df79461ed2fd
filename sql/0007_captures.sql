-- Memory captures and what is made of them; the tables of jobs, notices and media files, which
-- captures are the first to use.
--
-- Whoever locks rows of several of these tables in one transaction takes them in this order, and
-- within a table by key: app_user, capture, what is derived from captures, job. Writers of captures
-- add users and never wait for a row of app_user that exists.

-- Jobs ------------------------------------------------------------------------------------------

-- One row for each piece of work that is not done; a job that is done has no row. due_at alone says
-- whether a runner may take it: the moment it is wanted, the end of a pause after a failure, the end
-- of the lease of the runner that has it, or never.
create table sluice.job (
    id bigint generated always as identity primary key,
    kind text collate "C" not null check (length(kind) between 1 and 128),
    key text collate "C" not null check (length(key) between 1 and 512),
    payload text not null,
    due_at timestamptz not null,
    again_at timestamptz,
    attempts integer not null default 0,
    lease bigint,
    lease_owner text,
    last_error text,
    failed_at timestamptz,
    dead_at timestamptz,
    created_at timestamptz not null default now(),
    unique (kind, key)
) with (
    fillfactor = 70,
    -- Rows live for milliseconds: what is dead has to go by number, not by share.
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_analyze_scale_factor = 1.0
);
create index job_due_at on sluice.job (due_at);
create index job_dead_at on sluice.job (dead_at) where dead_at is not null;
comment on table sluice.job is 'Work that is not done yet. Finished jobs are deleted.';
comment on column sluice.job.id is 'Names the job in lists.';
comment on column sluice.job.kind is 'What is to be done, for example capture.analyse.';
comment on column sluice.job.key is 'To what: one job a kind and key.';
comment on column sluice.job.payload is 'What the handler needs to know beyond the key, JSON.';
comment on column sluice.job.due_at is
    'When a runner may take it; infinity for a dead one. While it runs: the end of its lease.';
comment on column sluice.job.again_at is
    'It was asked for again while it ran: when it is to run again. Null if it was not.';
comment on column sluice.job.attempts is
    'How often a runner took it since it was made, done or retried by hand.';
comment on column sluice.job.lease is 'Who takes it gets a number of his own; null if nobody has it.';
comment on column sluice.job.lease_owner is 'The node that has it, for people.';
comment on column sluice.job.last_error is 'Why it failed last; null if it never did.';
comment on column sluice.job.failed_at is 'When it failed last.';
comment on column sluice.job.dead_at is
    'When it had failed so often that it is only run again by hand or when it is asked for anew.';
comment on column sluice.job.created_at is 'When it was first asked for.';

create sequence sluice.job_lease cache 100;
comment on sequence sluice.job_lease is 'Numbers of leases: never one twice.';

create function sluice.enqueue_job(
    kind text, key text, payload text, run_at timestamptz default now()
) returns void
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_variable
begin
    insert into sluice.job as j (kind, key, payload, due_at)
    values (kind, key, payload, run_at)
    on conflict on constraint job_kind_key_key do update set
        payload = excluded.payload,
        due_at = case when j.lease is null then least(j.due_at, excluded.due_at) else j.due_at end,
        again_at = case when j.lease is null then null else least(j.again_at, excluded.due_at) end,
        attempts = case when j.dead_at is null then j.attempts else 0 end,
        dead_at = null;
    -- An empty payload: however many jobs a transaction makes, one notification.
    if run_at <= now() then
        perform pg_notify('sluice_job', '');
    end if;
end
$$;
comment on function sluice.enqueue_job is
    'Asks for a job: waiting already, it takes this payload and the earlier time; running, it will '
    'run again; dead, it gets a new chance.';

-- Completes a job in the transaction that holds its results, called last in it.
create function sluice.finish_job(job_id bigint, job_lease bigint) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.job j where j.id = job_id and j.lease = job_lease and j.again_at is null;
    if found then
        return true;
    end if;
    update sluice.job j set
        due_at = j.again_at, again_at = null, attempts = 0, lease = null, lease_owner = null,
        last_error = null, failed_at = null
    where j.id = job_id and j.lease = job_lease;
    if not found then
        return false;
    end if;
    perform pg_notify('sluice_job', '');
    return true;
end
$$;
comment on function sluice.finish_job is
    'False when the lease is not ours any more: roll back.';

-- Notices ---------------------------------------------------------------------------------------

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
comment on column sluice.notice.topic is 'Whose business it is: capture, …';
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

-- Users -----------------------------------------------------------------------------------------

create table sluice.app_user (
    user_id text collate "C" not null primary key,
    time_zone text not null default 'America/New_York',
    profile jsonb,
    created_at timestamptz not null default now(),
    initialized_at timestamptz,
    condensed_at timestamptz,
    summary_time_zone text
) with (fillfactor = 80);
comment on table sluice.app_user is
    'Users of the apps: made by their first capture, or when they are initialized.';
comment on column sluice.app_user.user_id is 'As the app names the user.';
comment on column sluice.app_user.time_zone is 'Decides what the user''s days and hours are.';
comment on column sluice.app_user.profile is 'What is known of the user; null until initialized.';
comment on column sluice.app_user.created_at is 'When we first heard of the user.';
comment on column sluice.app_user.initialized_at is 'When the profile was given; null if never.';
comment on column sluice.app_user.condensed_at is 'The last hourly condensation; null if none.';
comment on column sluice.app_user.summary_time_zone is
    'The zone that hour_summary and day_summary were made in.';

-- Captures --------------------------------------------------------------------------------------

create table sluice.capture (
    capture_id text collate "C" not null primary key,
    user_id text collate "C" not null,
    captured_at timestamptz not null,
    photo_url text,
    audio_url text,
    transcription text,
    revision integer not null default 1,
    received_at timestamptz not null,
    created_at timestamptz not null default now()
);
create index capture_user_time on sluice.capture (user_id, captured_at);
comment on table sluice.capture is 'Memory captures as the app sent them.';
comment on column sluice.capture.capture_id is 'The app''s; belongs to the first user who sent it.';
comment on column sluice.capture.user_id is 'Whose it is.';
comment on column sluice.capture.captured_at is 'The capture''s own time.';
comment on column sluice.capture.photo_url is 'Null without a photo.';
comment on column sluice.capture.audio_url is 'Null without audio.';
comment on column sluice.capture.transcription is 'What was said; null if nothing came.';
comment on column sluice.capture.revision is
    '1, and one more each time that time, URLs or transcription came differently.';
comment on column sluice.capture.received_at is
    'When the server took what stands here: what it took earlier and writes later changes nothing.';
comment on column sluice.capture.created_at is 'When it was first stored.';

-- One statement a group. Nearly always all of its captures are new: they and their jobs are inserted
-- plainly, which costs half of what ON CONFLICT does. Where one is known, none of that stands, and
-- store_known_captures does the whole group. Both insert in the order of capture_id, so that two
-- groups can't wait for each other.
create function sluice.store_captures(payloads text[])
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    with written as (
        insert into sluice.capture (
            capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at)
        select
            (s.body->>'id') collate "C" as capture_id, s.body->>'user',
            (s.body->>'t')::timestamptz, s.body->>'photo', s.body->>'audio', s.body->>'text',
            (s.body->>'at')::timestamptz
        -- OFFSET keeps the parsed form: otherwise each field would parse the text again.
        from (select p::jsonb as body from unnest(payloads) p offset 0) s
        order by capture_id
        returning capture_id, user_id
    ), welcomed as (
        insert into sluice.app_user (user_id)
        select distinct user_id from written order by user_id
        on conflict do nothing
    )
    insert into sluice.job (kind, key, payload, due_at)
    select 'capture.analyse', capture_id,
        json_build_object('user', user_id, 'capture', capture_id)::text, now()
    from written;
    if found then
        perform pg_notify('sluice_job', '');
    end if;
    return query select p, 'stored' from generate_series(1, cardinality(payloads)) p;
exception
    when unique_violation then
        return query select * from sluice.store_known_captures(payloads);
end
$$;
comment on function sluice.store_captures is
    'Stores captures {id, user, t, photo, audio, text, at} and enqueues their analysis. For each: '
    'stored; replaced (known, content changed); same (known, nothing to change); foreign (the id is '
    'another user''s: not stored).';

-- ON CONFLICT locks the rows too that it then leaves as they are. Results of statements are brought
-- together by windows, not by joins: lanes have no hash join, and a nested loop is quadratic.
create function sluice.store_known_captures(payloads text[])
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    results text[];
    changed boolean;
begin
    -- Of several with one id the first makes the row; the others follow below, as changes to it.
    with parsed as materialized (
        select s.place,
            (s.body->>'id') collate "C" as capture_id,
            s.body->>'user' as user_id,
            (s.body->>'t')::timestamptz as captured_at,
            s.body->>'photo' as photo_url,
            s.body->>'audio' as audio_url,
            s.body->>'text' as transcription,
            (s.body->>'at')::timestamptz as received_at
        from (
            select p.place, p.payload::jsonb as body
            from unnest(payloads) with ordinality p (payload, place) offset 0
        ) s
    ), sent as materialized (
        select *, row_number() over (
            partition by capture_id order by received_at, place) as turn
        from parsed
    ), written as (
        insert into sluice.capture as c (
            capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at)
        select capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at
        from sent
        where turn = 1
        order by capture_id
        on conflict (capture_id) do update set
            captured_at = excluded.captured_at, photo_url = excluded.photo_url,
            audio_url = excluded.audio_url, transcription = excluded.transcription,
            received_at = excluded.received_at, revision = c.revision + 1
        where c.user_id = excluded.user_id and c.received_at <= excluded.received_at
            and (c.captured_at, c.photo_url, c.audio_url, c.transcription) is distinct from
                (excluded.captured_at, excluded.photo_url, excluded.audio_url,
                    excluded.transcription)
        returning c.capture_id, c.user_id, c.revision
    ), welcomed as (
        insert into sluice.app_user (user_id)
        select distinct user_id from written where revision = 1 order by user_id
        on conflict do nothing
    ), enqueued as (
        insert into sluice.job as j (kind, key, payload, due_at)
        select 'capture.analyse', capture_id,
            json_build_object('user', user_id, 'capture', capture_id)::text, now()
        from written
        on conflict (kind, key) do update set
            payload = excluded.payload,
            due_at = case when j.lease is null
                then least(j.due_at, excluded.due_at) else j.due_at end,
            again_at = case when j.lease is null
                then null else least(j.again_at, excluded.due_at) end,
            attempts = case when j.dead_at is null then j.attempts else 0 end,
            dead_at = null
    ), told as (
        select place, turn, max(revision) over (partition by capture_id) as revision
        from (
            select capture_id, place, turn, null as revision from sent
            union all
            select capture_id, null, null, revision from written
        ) b
    )
    select
        array_agg(case when turn > 1 then 'later' when revision = 1 then 'stored'
            when revision > 1 then 'replaced' end order by place),
        bool_or(revision is not null)
    into results, changed
    from told
    where place is not null;

    if changed then
        perform pg_notify('sluice_job', '');
    end if;
    return query select * from sluice.settle_captures(payloads, results);
end
$$;
comment on function sluice.store_known_captures is
    'Part of store_captures, for a group with an id that is known, foreign or there twice.';

-- What store_known_captures did not write: `later` in a group, or null for a row that it left as it
-- was. The rows are there and locked.
create function sluice.settle_captures(payloads text[], results text[])
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    with sent as materialized (
        select s.place,
            (s.body->>'id') collate "C" as capture_id,
            (s.body->>'user') collate "C" as user_id,
            s.body, s.result
        from (
            select p.place::integer, p.payload::jsonb as body, p.result
            from unnest(payloads, results) with ordinality p (payload, result, place) offset 0
        ) s
    ), latest as (
        select distinct on (capture_id, user_id) *
        from (
            select s.place, s.capture_id, s.user_id,
                (s.body->>'t')::timestamptz as captured_at,
                s.body->>'photo' as photo_url,
                s.body->>'audio' as audio_url,
                s.body->>'text' as transcription,
                (s.body->>'at')::timestamptz as received_at
            from sent s
            where s.result = 'later'
        ) f
        order by capture_id, user_id, received_at desc, place desc
    ), written as (
        update sluice.capture c set
            captured_at = l.captured_at, photo_url = l.photo_url, audio_url = l.audio_url,
            transcription = l.transcription, received_at = l.received_at,
            revision = c.revision + 1
        from latest l
        where c.capture_id = l.capture_id and c.user_id = l.user_id
            and c.received_at <= l.received_at
            and (c.captured_at, c.photo_url, c.audio_url, c.transcription) is distinct from
                (l.captured_at, l.photo_url, l.audio_url, l.transcription)
        returning c.capture_id, c.user_id
    ), enqueued as (
        select sluice.enqueue_job('capture.analyse', w.capture_id,
            json_build_object('user', w.user_id, 'capture', w.capture_id)::text)
        from written w
        order by w.capture_id
    ), changed as materialized (
        -- Counting makes sure that all of it is run.
        select count(*) as jobs from enqueued
    ), told as (
        select place, capture_id, user_id, result,
            bool_or(is_written) over (partition by capture_id) as is_written
        from (
            select place, capture_id, user_id, result, false as is_written from sent
            union all
            select null, capture_id, null, null, true from written
        ) b
    )
    select t.place,
        case
            when t.result <> 'later' then t.result
            when c.user_id is distinct from t.user_id then 'foreign'
            when t.is_written and t.result is not null then 'replaced'
            else 'same'
        end
    from told t
    cross join changed
    left join sluice.capture c on c.capture_id = t.capture_id
    where t.place is not null;
end
$$;
comment on function sluice.settle_captures is
    'Part of store_known_captures, for ids that are foreign, unchanged or twice in one group.';

-- What is made of captures ----------------------------------------------------------------------

create table sluice.capture_analysis (
    capture_id text collate "C" not null primary key
        references sluice.capture (capture_id) on delete cascade,
    user_id text collate "C" not null,
    captured_at timestamptz not null,
    photo_url text,
    revision integer not null,
    number integer not null,
    announced integer not null default 0,
    failures integer not null default 0,
    analyser text not null,
    error text,
    analysis jsonb not null,
    analysed_at timestamptz not null default now()
);
create index capture_analysis_time on sluice.capture_analysis (user_id, captured_at);
comment on table sluice.capture_analysis is 'What the analyser made of each capture.';
comment on column sluice.capture_analysis.capture_id is 'The capture.';
comment on column sluice.capture_analysis.user_id is 'Whose it is.';
comment on column sluice.capture_analysis.captured_at is
    'The capture''s time when it was analysed.';
comment on column sluice.capture_analysis.photo_url is 'Its photo then; null if it had none.';
comment on column sluice.capture_analysis.revision is 'The capture''s revision then.';
comment on column sluice.capture_analysis.number is '1, 2, …: counts the analyses stored here.';
comment on column sluice.capture_analysis.announced is
    'The number whose notice was posted; 0 for none.';
comment on column sluice.capture_analysis.failures is
    'How often the model has failed since it last did not.';
comment on column sluice.capture_analysis.analyser is 'Who made it: local, gemini.';
comment on column sluice.capture_analysis.error is
    'Why this is only a fallback; null for a real analysis.';
comment on column sluice.capture_analysis.analysis is
    'imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment.';
comment on column sluice.capture_analysis.analysed_at is 'When it was made.';

create table sluice.contact_mention (
    user_id text collate "C" not null,
    name_key text collate "C" not null,
    capture_id text collate "C" not null,
    captured_at timestamptz not null,
    name text not null,
    relationship text,
    note text,
    photo_url text,
    face_confidence double precision,
    primary key (user_id, name_key, capture_id)
);
create index contact_mention_capture on sluice.contact_mention (capture_id);
comment on table sluice.contact_mention is 'Who is named in which capture; contacts are made of it.';
comment on column sluice.contact_mention.user_id is 'Whose capture it is.';
comment on column sluice.contact_mention.name_key is 'The name, folded for comparison.';
comment on column sluice.contact_mention.capture_id is 'The capture.';
comment on column sluice.contact_mention.captured_at is 'The capture''s time.';
comment on column sluice.contact_mention.name is 'The name as it stands there.';
comment on column sluice.contact_mention.relationship is 'To the user, if told there.';
comment on column sluice.contact_mention.note is 'What is told of the person there; null if nothing.';
comment on column sluice.contact_mention.photo_url is 'The photo that shows the person; null if none.';
comment on column sluice.contact_mention.face_confidence is
    'How sure it is that the photo shows the person, 0 to 1.';

create table sluice.contact (
    user_id text collate "C" not null,
    name_key text collate "C" not null,
    name text not null,
    relationship text,
    notes text,
    best_face_photo_url text,
    first_seen timestamptz not null,
    last_seen timestamptz not null,
    mention_count integer not null,
    primary key (user_id, name_key)
);
comment on table sluice.contact is 'People in a user''s captures, one row a name.';
comment on column sluice.contact.user_id is 'Whose contact it is.';
comment on column sluice.contact.name_key is 'The name, folded for comparison.';
comment on column sluice.contact.name is 'The name as people write it.';
comment on column sluice.contact.relationship is 'To the user; null if unknown.';
comment on column sluice.contact.notes is 'What is known of the person; null if nothing.';
comment on column sluice.contact.best_face_photo_url is
    'The photo that shows the face most surely; null if none.';
comment on column sluice.contact.first_seen is 'Time of the earliest capture with this person.';
comment on column sluice.contact.last_seen is 'Time of the latest.';
comment on column sluice.contact.mention_count is 'How many captures name this person.';

create table sluice.hour_due (
    user_id text collate "C" not null,
    hour timestamptz not null,
    primary key (user_id, hour)
);
comment on table sluice.hour_due is 'Whole hours that are to be condensed, or condensed again.';
comment on column sluice.hour_due.user_id is 'Whose hour it is.';
comment on column sluice.hour_due.hour is 'Its beginning.';

create table sluice.hour_summary (
    user_id text collate "C" not null,
    hour timestamptz not null,
    time_zone text not null,
    captures integer not null,
    content jsonb not null,
    condensed_at timestamptz not null default now(),
    primary key (user_id, hour)
);
comment on table sluice.hour_summary is 'A user''s hours, condensed.';
comment on column sluice.hour_summary.user_id is 'Whose hour it is.';
comment on column sluice.hour_summary.hour is 'Its beginning.';
comment on column sluice.hour_summary.time_zone is 'The zone whose hour it is.';
comment on column sluice.hour_summary.captures is 'How many captures it is made of.';
comment on column sluice.hour_summary.content is 'The condensed hour.';
comment on column sluice.hour_summary.condensed_at is 'When it was made.';

create table sluice.day_summary (
    user_id text collate "C" not null,
    date date not null,
    time_zone text not null,
    is_final boolean not null,
    content jsonb not null,
    updated_at timestamptz not null default now(),
    primary key (user_id, date)
);
comment on table sluice.day_summary is 'A user''s days.';
comment on column sluice.day_summary.user_id is 'Whose day it is.';
comment on column sluice.day_summary.date is 'The day in the user''s time zone.';
comment on column sluice.day_summary.time_zone is 'The zone whose day it is.';
comment on column sluice.day_summary.is_final is 'The day was over when it was made.';
comment on column sluice.day_summary.content is
    'summary, timeline, themes, highlights, mood, peopleInteractions, locations, accomplishments, '
    'morningOverview, afternoonOverview, eveningOverview, totalCaptures.';
comment on column sluice.day_summary.updated_at is 'When it was made.';

-- Media files -----------------------------------------------------------------------------------

create table sluice.media_file (
    path text collate "C" not null primary key check (length(path) between 1 and 512),
    object text collate "C" not null check (length(object) between 1 and 128),
    digest bytea not null check (octet_length(digest) = 32),
    bytes bigint not null check (bytes >= 0),
    content_type text not null check (length(content_type) between 1 and 128),
    user_id text,
    stored_at timestamptz not null default now()
);
create index media_file_object on sluice.media_file (object);
create index media_file_digest on sluice.media_file (digest);
comment on table sluice.media_file is 'Files that were uploaded; their bytes are in the media store.';
comment on column sluice.media_file.path is 'What URLs name, below /media/.';
comment on column sluice.media_file.object is
    'What the store calls the content; paths with the same content share one.';
comment on column sluice.media_file.digest is 'SHA-256 of the content.';
comment on column sluice.media_file.bytes is 'Size of the content.';
comment on column sluice.media_file.content_type is 'What the bytes are.';
comment on column sluice.media_file.user_id is
    'Whose it is; null when it was uploaded without a user''s token.';
comment on column sluice.media_file.stored_at is 'When this content came to this path.';

-- Where a row names the same content already, its object is used; the lock keeps that row until we
-- commit, and where it is locked, waiting is not worth it: then there are two objects.
create function sluice.store_media_file(
    file_path text, new_object text, new_digest bytea, new_bytes bigint, new_content_type text,
    owner text default null
) returns text
language plpgsql
set search_path = pg_catalog
as $$
declare
    chosen text;
begin
    -- The path's own row before all others: two uploads to one path then take turns.
    perform from sluice.media_file m where m.path = file_path for update;
    select m.object into chosen from sluice.media_file m where m.digest = new_digest
    order by m.path limit 1 for share skip locked;
    chosen := coalesce(chosen, new_object);
    insert into sluice.media_file as m (path, object, digest, bytes, content_type, user_id)
    values (file_path, chosen, new_digest, new_bytes, new_content_type, owner)
    on conflict (path) do update set
        object = excluded.object, digest = excluded.digest, bytes = excluded.bytes,
        content_type = excluded.content_type, user_id = coalesce(m.user_id, excluded.user_id),
        stored_at = now()
    where m.user_id is null or excluded.user_id is null or m.user_id = excluded.user_id;
    if not found then
        return null;
    end if;
    return chosen;
end
$$;
comment on function sluice.store_media_file is
    'Names an object by a path; again: replaces. Returns the object that is named now, the one given '
    'or an older one with the same content; null when the path is another user''s.';

create function sluice.media_objects_named(objects text[]) returns setof text
language sql stable
set search_path = pg_catalog
as $$
    select distinct m.object from sluice.media_file m where m.object = any (objects)
$$;
comment on function sluice.media_objects_named is 'Which of these objects some path names.';
