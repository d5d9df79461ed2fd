-- An id of a capture belongs to its user, and a photo to the capture that names it.
--
-- Apps make ids of the second, so two users have the same one now and then. Until now the first one
-- had it: the other's capture was refused, and its photo replaced the first one's.
--
-- What capture_id holds, in all tables and in jobs, is now the capture's key: its id, or, where
-- another user's capture has that key, the id, a tilde (which no id has) and a hash of the user. A key
-- stays what it is. Paths of files are made in the same way; see store_capture_file.
--
-- Binaries of before call the same function and get no `foreign` any more. They do not know the new
-- paths' rule: as long as they run, an upload through one of them may still replace another's.

create function sluice.own_capture_key(id text, owner text) returns text
language sql stable
as $$ select id || '~' || left(encode(sha256(convert_to(owner, 'UTF8')), 'hex'), 16) $$;
comment on function sluice.own_capture_key is
    'The key of a user''s capture whose id is another user''s capture''s key.';

create function sluice.media_path(url text) returns text
language sql immutable
as $$ select substring(url from '/media/(memories/[^/?#]+/[^/?#]+)$') $$;
comment on function sluice.media_path is 'The uploaded file that a capture''s URL names.';

comment on column sluice.capture.capture_id is
    'Its key: the app''s id, or own_capture_key where another user''s capture has that.';
comment on column sluice.media_file.user_id is
    'Whose it is; null when it was uploaded without a user''s token and no capture names it yet.';

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

create or replace function sluice.store_captures(
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
