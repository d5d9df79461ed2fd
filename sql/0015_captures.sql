-- Memory captures and what is made of them.
--
-- Whoever locks rows of several of these tables in one transaction takes them in this order, and
-- within a table by key: app_user, capture, what is derived from captures, job. Writers of captures
-- add users and never wait for a row of app_user that exists: an INSERT that finds one there would wait
-- for its change, and jobs change it first and finish last, by rows that a group of captures may hold
-- meanwhile. So users who exist are left out before.

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

-- Which form of a capture stays, whatever clocks say. A live form replaces whatever is stored: its
-- client sends it after the answer to the stored one. Only a late form is compared: one from a spool, or
-- one sent again after its COMMIT's answer was lost. It replaces what was received before it.
-- received_at never falls and also moves when the content is equal: otherwise a late form that was
-- received in between would replace the newer one.
--
-- Stamps rise strictly within a process. A late form is compared with the forms of other processes,
-- or of the same node before a restart, by wall clocks, so it is right as far as those agree.
--
-- Apps make ids of the second, so two users have the same one now and then. What capture_id holds, in
-- all tables and in jobs, is therefore the capture's key: its id, or, where another user's capture has
-- that key, the id, a tilde (which no id has) and a hash of the user. A key stays what it is. Paths of
-- files are made in the same way; see store_capture_file.
create table sluice.capture (
    capture_id text collate "C" not null primary key,
    user_id text collate "C" not null,
    captured_at timestamptz not null,
    photo_url text,
    audio_url text,
    transcription text,
    revision integer not null default 1,
    was_late boolean not null default false,
    received_at timestamptz not null,
    created_at timestamptz not null default now()
);
create index capture_user_time on sluice.capture (user_id, captured_at);
comment on table sluice.capture is 'Memory captures as the app sent them.';
comment on column sluice.capture.capture_id is
    'Its key: the app''s id, or own_capture_key where another user''s capture has that.';
comment on column sluice.capture.user_id is 'Whose it is.';
comment on column sluice.capture.captured_at is 'The capture''s own time.';
comment on column sluice.capture.photo_url is 'Null without a photo.';
comment on column sluice.capture.audio_url is 'Null without audio.';
comment on column sluice.capture.transcription is 'What was said; null if nothing came.';
comment on column sluice.capture.revision is
    '1, and one more each time that time, URLs or transcription came differently.';
comment on column sluice.capture.was_late is
    'The stored form came from a spool, or was sent again after a lost answer to COMMIT: it '
    'replaced only what was received before it.';
comment on column sluice.capture.received_at is
    'The newest time at which a form of it that was stored here was received; a late form that was '
    'received earlier changes nothing.';
comment on column sluice.capture.created_at is 'When it was first stored.';

create function sluice.own_capture_key(id text, owner text) returns text
language sql stable
as $$ select id || '~' || left(encode(sha256(convert_to(owner, 'UTF8')), 'hex'), 16) $$;
comment on function sluice.own_capture_key is
    'The key of a user''s capture whose id is another user''s capture''s key.';

create function sluice.media_path(url text) returns text
language sql immutable
as $$ select substring(url from '/media/(memories/[^/?#]+/[^/?#]+)$') $$;
comment on function sluice.media_path is 'The uploaded file that a capture''s URL names.';

-- Files that nobody owns become those users' whose captures name them, unless another user's capture
-- that they are beside names them, too.
create function sluice.claim_capture_files(owners text[], urls text[]) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    -- In the order of their paths: two who claim the same files take turns.
    perform from sluice.media_file m
    where m.user_id is null
        and m.path in (select sluice.media_path(u.url) from unnest(urls) u (url))
    order by m.path
    for update;
    update sluice.media_file m set user_id = n.owner
    from (
        select distinct on (path) sluice.media_path(u.url) as path, u.owner
        from unnest(owners, urls) with ordinality u (owner, url, place)
        order by path, u.place
    ) n
    where m.path = n.path and m.user_id is null
        and not exists (
            select from sluice.capture c
            where c.capture_id = split_part(n.path, '/', 2) and c.user_id <> n.owner
                and n.path in (sluice.media_path(c.photo_url), sluice.media_path(c.audio_url)));
end
$$;
comment on function sluice.claim_capture_files is
    'Gives files that were uploaded for nobody in particular to the users whose captures name them.';

-- One statement a group. Nearly always all of its captures are new: they and their jobs are inserted
-- plainly, which costs half of what ON CONFLICT does. Where one is known, none of that stands, and
-- store_keyed_captures does the whole group. Both insert in the order of capture_id, so that two
-- groups can't wait for each other. Callers that give neither stamps nor late: the payload's `at` is its
-- stamp, and every form counts as late.
create function sluice.store_captures(
    payloads text[], stamps timestamptz[] default null, late boolean[] default null
)
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    owners text[];
    urls text[];
begin
    with written as (
        insert into sluice.capture (
            capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at,
            was_late)
        select
            coalesce(
                (select c.capture_id from sluice.capture c
                    where c.capture_id = sluice.own_capture_key(s.body->>'id', s.body->>'user')),
                (s.body->>'id') collate "C") as capture_id,
            s.body->>'user',
            (s.body->>'t')::timestamptz, s.body->>'photo', s.body->>'audio', s.body->>'text',
            coalesce(s.stamp, (s.body->>'at')::timestamptz), coalesce(s.late, true)
        -- OFFSET keeps the parsed form: otherwise each field would parse the text again.
        from (
            select p.payload::jsonb as body, p.stamp, p.late
            from unnest(payloads, stamps, late) p (payload, stamp, late) offset 0
        ) s
        order by capture_id
        returning capture_id, user_id, photo_url, audio_url
    ), welcomed as (
        insert into sluice.app_user (user_id)
        select distinct w.user_id from written w
        where not exists (select from sluice.app_user u where u.user_id = w.user_id)
        order by w.user_id
        on conflict do nothing
    ), enqueued as (
        insert into sluice.job (kind, key, payload, due_at)
        select 'capture.analyse', capture_id,
            json_build_object('user', user_id, 'capture', capture_id)::text, now()
        from written
    )
    select array_agg(w.user_id), array_agg(f.url) into owners, urls
    from written w cross join lateral (values (w.photo_url), (w.audio_url)) f (url)
    where f.url like '%/media/memories/%';
    if cardinality(payloads) > 0 then
        perform pg_notify('sluice_job', '');
    end if;
    if owners is not null then
        perform sluice.claim_capture_files(owners, urls);
    end if;
    return query select p, 'stored' from generate_series(1, cardinality(payloads)) p;
exception
    when unique_violation then
        return query select * from sluice.store_keyed_captures(payloads, stamps, late);
end
$$;
comment on function sluice.store_captures is
    'Stores captures {id, user, t, photo, audio, text, at}, each with when it was received and '
    'whether it is late, and enqueues their analysis. For each: stored; replaced (known, content '
    'changed); same (known, nothing to change).';

create function sluice.store_keyed_captures(
    payloads text[], stamps timestamptz[], late boolean[]
)
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    plain text[];
    own text[];
    results text[];
    losers integer[];
    again record;
    owners text[];
    urls text[];
begin
    select
        array_agg(
            case when k.is_other then k.own_form else k.payload end order by k.place),
        array_agg(k.own_form order by k.place)
    into plain, own
    from (
        select p.place, p.payload,
            jsonb_set(b.body, '{id}', to_jsonb(o.key))::text as own_form,
            exists (
                select from sluice.capture c
                where c.capture_id = o.key
                    or c.capture_id = b.body->>'id' and c.user_id <> b.body->>'user'
            ) as is_other
        from unnest(payloads) with ordinality p (payload, place)
        cross join lateral (select p.payload::jsonb as body offset 0) b
        cross join lateral (
            select sluice.own_capture_key(b.body->>'id', b.body->>'user') as key offset 0) o
    ) k;
    select array_agg(s.result order by s.place) into results
    from sluice.store_known_captures(plain, stamps, late) s;

    -- Another user was first with the id, in this group or just now.
    select array_agg(r.place::integer order by r.place) into losers
    from unnest(results) with ordinality r (result, place)
    where r.result = 'foreign';
    if losers is not null then
        for again in
            select losers[s.place] as place, s.result
            from sluice.store_known_captures(
                (select array_agg(own[l.place] order by l.place) from unnest(losers) l (place)),
                (select array_agg(stamps[l.place] order by l.place) from unnest(losers) l (place)),
                (select array_agg(late[l.place] order by l.place) from unnest(losers) l (place))) s
        loop
            results[again.place] := again.result;
        end loop;
    end if;

    select array_agg(b.body->>'user'), array_agg(f.url) into owners, urls
    from unnest(payloads) p (payload)
    cross join lateral (select p.payload::jsonb as body offset 0) b
    cross join lateral (values (b.body->>'photo'), (b.body->>'audio')) f (url)
    where f.url like '%/media/memories/%';
    if owners is not null then
        perform sluice.claim_capture_files(owners, urls);
    end if;
    return query select p, results[p] from generate_subscripts(results, 1) p;
end
$$;
comment on function sluice.store_keyed_captures is
    'Part of store_captures, for a group with an id that is known, another user''s or there twice.';

-- ON CONFLICT locks the rows too that it then leaves as they are. Results of statements are brought
-- together by windows, not by joins: lanes have no hash join, and a nested loop is quadratic.
create function sluice.store_known_captures(
    payloads text[], stamps timestamptz[], late boolean[]
)
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
            coalesce(s.stamp, (s.body->>'at')::timestamptz) as received_at,
            coalesce(s.late, true) as was_late
        from (
            select p.place, p.payload::jsonb as body, p.stamp, p.late
            from unnest(payloads, stamps, late) with ordinality p (payload, stamp, late, place)
            offset 0
        ) s
    ), sent as materialized (
        select *, row_number() over (
            partition by capture_id order by was_late desc, received_at, place) as turn
        from parsed
    ), written as (
        insert into sluice.capture as c (
            capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at,
            was_late)
        select capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at,
            was_late
        from sent
        where turn = 1
        order by capture_id
        on conflict (capture_id) do update set
            captured_at = excluded.captured_at, photo_url = excluded.photo_url,
            audio_url = excluded.audio_url, transcription = excluded.transcription,
            received_at = greatest(c.received_at, excluded.received_at),
            was_late = excluded.was_late,
            revision = c.revision + (
                (c.captured_at, c.photo_url, c.audio_url, c.transcription) is distinct from
                (excluded.captured_at, excluded.photo_url, excluded.audio_url,
                    excluded.transcription))::integer
        where c.user_id = excluded.user_id
            and (not excluded.was_late or c.received_at < excluded.received_at)
        -- The row as it was before: a statement does not see its own changes.
        returning c.capture_id, c.user_id, c.revision, c.revision is distinct from (
            select o.revision from sluice.capture o where o.capture_id = c.capture_id) as is_changed
    ), welcomed as (
        insert into sluice.app_user (user_id)
        select distinct w.user_id from written w
        where w.revision = 1 and w.is_changed
            and not exists (select from sluice.app_user u where u.user_id = w.user_id)
        order by w.user_id
        on conflict do nothing
    ), enqueued as (
        insert into sluice.job as j (kind, key, payload, due_at)
        select 'capture.analyse', capture_id,
            json_build_object('user', user_id, 'capture', capture_id)::text, now()
        from written
        where is_changed
        on conflict (kind, key) do update set
            payload = excluded.payload,
            due_at = case when j.lease is null
                then least(j.due_at, excluded.due_at) else j.due_at end,
            again_at = case when j.lease is null
                then null else least(j.again_at, excluded.due_at) end,
            attempts = case when j.dead_at is null then j.attempts else 0 end,
            dead_at = null
    ), told as (
        select place, turn, max(change) over (partition by capture_id) as change
        from (
            select capture_id, place, turn, null as change from sent
            union all
            select capture_id, null, null,
                case when revision = 1 then 'stored' else 'replaced' end
            from written
            where is_changed
        ) b
    )
    select
        array_agg(case when turn > 1 then 'later' else change end order by place),
        bool_or(change is not null)
    into results, changed
    from told
    where place is not null;

    if changed then
        perform pg_notify('sluice_job', '');
    end if;
    return query select * from sluice.settle_captures(payloads, results, stamps, late);
end
$$;
comment on function sluice.store_known_captures is
    'Part of store_captures, for a group with an id that is known, foreign or there twice.';

-- What store_known_captures did not write: `later` in a group, or null for a row whose content it left
-- as it was. The rows are there and locked.
create function sluice.settle_captures(
    payloads text[], results text[], stamps timestamptz[], late boolean[]
)
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
            s.body, s.result,
            coalesce(s.stamp, (s.body->>'at')::timestamptz) as received_at,
            coalesce(s.late, true) as was_late
        from (
            select p.place::integer, p.payload::jsonb as body, p.result, p.stamp, p.late
            from unnest(payloads, results, stamps, late)
                with ordinality p (payload, result, stamp, late, place)
            offset 0
        ) s
    ), latest as (
        select distinct on (capture_id, user_id) *
        from (
            select s.place, s.capture_id, s.user_id,
                (s.body->>'t')::timestamptz as captured_at,
                s.body->>'photo' as photo_url,
                s.body->>'audio' as audio_url,
                s.body->>'text' as transcription,
                s.received_at, s.was_late,
                max(s.received_at) over (partition by s.capture_id, s.user_id) as newest
            from sent s
            where s.result = 'later'
        ) f
        order by capture_id, user_id, was_late, received_at desc, place desc
    ), written as (
        update sluice.capture c set
            captured_at = l.captured_at, photo_url = l.photo_url, audio_url = l.audio_url,
            transcription = l.transcription,
            received_at = greatest(c.received_at, l.newest), was_late = l.was_late,
            revision = c.revision + (
                (c.captured_at, c.photo_url, c.audio_url, c.transcription) is distinct from
                (l.captured_at, l.photo_url, l.audio_url, l.transcription))::integer
        from latest l
        where c.capture_id = l.capture_id and c.user_id = l.user_id
            and (not l.was_late or c.received_at < l.received_at)
        returning c.capture_id, c.user_id, c.revision is distinct from (
            select o.revision from sluice.capture o where o.capture_id = c.capture_id) as is_changed
    ), enqueued as (
        select sluice.enqueue_job('capture.analyse', w.capture_id,
            json_build_object('user', w.user_id, 'capture', w.capture_id)::text)
        from written w
        where w.is_changed
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
            select null, capture_id, null, null, true from written where is_changed
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

-- Where a capture's file goes: memories/{id}/{file}, unless that may be somebody else's.
--
-- A user replaces what is his: what he uploaded, or what nobody owns and his capture of that id
-- names. Where nobody says who he is, nothing is replaced: the same content has the same path, other
-- content a path of its own, and the capture that names it says whose it is.
create function sluice.store_capture_file(
    capture text, file_name text, new_object text, new_digest bytea, new_bytes bigint,
    new_content_type text, owner text default null
)
returns table (file_path text, stored_object text)
language plpgsql
set search_path = pg_catalog
as $$
declare
    plain text := 'memories/' || capture || '/' || file_name;
    target text;
    keeper text;
    is_named boolean;
    holder text;
    held bytea;
begin
    select c.user_id,
        coalesce(plain in (sluice.media_path(c.photo_url), sluice.media_path(c.audio_url)), false)
    into keeper, is_named
    from sluice.capture c where c.capture_id = capture;
    while target is null loop
        select m.user_id, m.digest into holder, held
        from sluice.media_file m where m.path = plain
        for update;
        if found then
            target := case
                when owner is null and held = new_digest then plain
                when holder = owner then plain
                when holder is null and keeper = owner and is_named then plain
                else ''
            end;
        elsif keeper <> owner then
            target := '';
        else
            insert into sluice.media_file as m (
                path, object, digest, bytes, content_type, user_id)
            values (
                plain, new_object, new_digest, new_bytes, new_content_type,
                coalesce(owner, case when is_named then keeper end))
            on conflict (path) do nothing;
            -- Else somebody was quicker: his file is looked at.
            if found then
                target := plain;
            end if;
        end if;
    end loop;
    if target = '' then
        target := 'memories/'
            || case
                when owner is null then capture || '~' || left(encode(new_digest, 'hex'), 16)
                else sluice.own_capture_key(capture, owner)
            end
            || '/' || file_name;
    end if;
    return query select target, sluice.store_media_file(
        target, new_object, new_digest, new_bytes, new_content_type, owner);
end
$$;
comment on function sluice.store_capture_file is
    'Names an object as a capture''s file. Returns the path, and the object that it names now, the '
    'one given or an older one with the same content; its own file of before is replaced, nobody '
    'else''s.';

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
