-- Writers that waited for each other, or for what they need not.

-- Uploads of one file to one path at a time all succeed.
--
-- The function of 0007 looked for the path's row, and where it found none it locked whatever row had
-- the content for share: in the meantime that could be the path's own, which then had to be locked
-- again for the change. Two who did both at once waited for each other.

create or replace function sluice.store_media_file(
    file_path text, new_object text, new_digest bytea, new_bytes bigint, new_content_type text,
    owner text default null
) returns text
language plpgsql
set search_path = pg_catalog
as $$
declare
    chosen text;
    older text;
begin
    -- The path's own row before all others, and for good: uploads to one path take turns here, and
    -- nothing behind this waits. A content that the path has already stays in its object.
    insert into sluice.media_file as m (path, object, digest, bytes, content_type, user_id)
    values (file_path, new_object, new_digest, new_bytes, new_content_type, owner)
    on conflict (path) do update set
        object = case when m.digest = excluded.digest then m.object else excluded.object end,
        digest = excluded.digest, bytes = excluded.bytes,
        content_type = excluded.content_type, user_id = coalesce(m.user_id, excluded.user_id),
        stored_at = now()
    where m.user_id is null or excluded.user_id is null or m.user_id = excluded.user_id
    returning m.object into chosen;
    if chosen is null or chosen <> new_object then
        return chosen;
    end if;
    -- A row that names the content stays until this is committed: the sweeper never sees its object
    -- without a name. One that is being changed is passed over.
    select m.object into older from sluice.media_file m
    where m.digest = new_digest and m.path <> file_path
    order by m.path limit 1 for share skip locked;
    if older <> chosen then
        update sluice.media_file m set object = older where m.path = file_path;
    end if;
    return coalesce(older, chosen);
end
$$;

-- A row of app_user is waited for only by whoever makes it: an INSERT that finds one there waits for
-- its change, and jobs change it as the first thing and finish as the last, by rows that a group of
-- captures may hold meanwhile. So users who are there are left out first.
create or replace function sluice.store_captures(payloads text[])
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
        select distinct w.user_id from written w
        where not exists (select from sluice.app_user u where u.user_id = w.user_id)
        order by w.user_id
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

create or replace function sluice.store_known_captures(payloads text[])
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
        select distinct w.user_id from written w
        where w.revision = 1
            and not exists (select from sluice.app_user u where u.user_id = w.user_id)
        order by w.user_id
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

-- A log that is brought again while its user deletes it stays deleted.
create or replace function sluice.store_meal_logs(payloads text[])
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    written uuid[];
    is_parsing boolean;
    log record;
begin
    with sent as materialized (
        select distinct on (s.id) s.id, s.body
        from (
            select (p.payload::jsonb->>'id')::uuid as id, p.payload::jsonb as body, p.place
            from unnest(payloads) with ordinality p (payload, place) offset 0
        ) s
        order by s.id, s.place
    ), stored as (
        insert into sluice.meal_log (
            meal_log_id, user_id, consultation_id, raw_input, meal_type, status, logged_at,
            total_calories, total_protein_g, total_carbs_g, total_fat_g, total_fiber_g,
            total_sugar_g, created_at, updated_at)
        select
            s.id, s.body->>'user', (s.body->>'consultation')::uuid, s.body->>'text',
            s.body->>'type', case when s.body ? 'items' then 'completed' else 'processing' end,
            (s.body->>'t')::timestamptz, t.calories, t.protein, t.carbs, t.fat, t.fiber, t.sugar,
            (s.body->>'at')::timestamptz, (s.body->>'at')::timestamptz
        from sent s
        left join lateral jsonb_to_record(s.body->'totals') as t (
            calories integer, protein double precision, carbs double precision,
            fat double precision, fiber double precision, sugar double precision) on true
        where not exists (
            select from sluice.deleted_meal_log d where d.meal_log_id = s.id)
        order by s.id
        on conflict (meal_log_id) do nothing
        returning meal_log_id, user_id, status
    ), enqueued as (
        insert into sluice.job (kind, key, payload, due_at)
        select 'meal.parse', meal_log_id::text, json_build_object('user', user_id)::text, now()
        from stored
        where status = 'processing'
        on conflict (kind, key) do nothing
    )
    select array_agg(meal_log_id), bool_or(status = 'processing') into written, is_parsing
    from stored;

    -- Who waited above for the user's DELETE of a log did not see it noted.
    with gone as (
        delete from sluice.meal_log l using sluice.deleted_meal_log d
        where l.meal_log_id = any (written) and d.meal_log_id = l.meal_log_id
        returning l.meal_log_id
    ), unqueued as (
        delete from sluice.job j using gone
        where j.kind = 'meal.parse' and j.key = gone.meal_log_id::text
    )
    select array_agg(w) into written
    from unnest(written) w
    where w not in (select meal_log_id from gone);

    if is_parsing then
        perform pg_notify('sluice_job', '');
    end if;
    for log in
        select (p::jsonb->>'id')::uuid as id, (p::jsonb->>'at')::timestamptz as at,
            p::jsonb->'items' as items
        from unnest(payloads) p
        where p::jsonb ? 'items'
    loop
        -- The first of two with one id; of the second nothing is inserted.
        if log.id = any (written)
            and not exists (select from sluice.meal_log_item i where i.meal_log_id = log.id)
        then
            perform sluice.insert_meal_items(log.id, log.at, log.items);
        end if;
    end loop;
    if cardinality(written) = cardinality(payloads) then
        return query select p, 'stored' from generate_series(1, cardinality(payloads)) p;
        return;
    end if;
    return query
    select s.place::integer,
        case
            when coalesce(l.user_id, d.user_id) <> s.body->>'user' then 'foreign'
            when s.id = any (written)
                and row_number() over (partition by s.id order by s.place) = 1 then 'stored'
            else 'same'
        end
    from (
        select (p.payload::jsonb->>'id')::uuid as id, p.payload::jsonb as body, p.place
        from unnest(payloads) with ordinality p (payload, place) offset 0
    ) s
    left join sluice.meal_log l on l.meal_log_id = s.id
    left join sluice.deleted_meal_log d on d.meal_log_id = s.id;
end
$$;
