-- Which form of a capture stays, whatever clocks say.
--
-- An update that was acknowledged was dropped when the node's clock had been set back, or was behind
-- another node's: forms were compared by when they were received. Now a live form replaces whatever
-- is stored: its client sends it after the answer to the stored one. Only a late form is compared: one
-- from a spool, or one sent again after its COMMIT's answer was lost. It replaces what was received
-- before it. received_at never falls and also moves when the content is equal: otherwise a late form
-- that was received in between would replace the newer one.
--
-- Stamps rise strictly within a process. A late form is compared with the forms of other processes,
-- or of the same node before a restart, by wall clocks, so it is right as far as those agree.

alter table sluice.capture add column was_late boolean not null default false;
comment on column sluice.capture.was_late is
    'The stored form came from a spool, or was sent again after a lost answer to COMMIT: it '
    'replaced only what was received before it.';
comment on column sluice.capture.received_at is
    'The newest time at which a form of it that was stored here was received; a late form that was '
    'received earlier changes nothing.';

-- Callers of an older version give neither stamps nor late: then the payload's `at` is its stamp, and
-- every form counts as late.
drop function sluice.store_captures(text[]);
drop function sluice.store_known_captures(text[]);
drop function sluice.settle_captures(text[], text[]);

create function sluice.store_captures(
    payloads text[], stamps timestamptz[] default null, late boolean[] default null
)
returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
    with written as (
        insert into sluice.capture (
            capture_id, user_id, captured_at, photo_url, audio_url, transcription, received_at,
            was_late)
        select
            (s.body->>'id') collate "C" as capture_id, s.body->>'user',
            (s.body->>'t')::timestamptz, s.body->>'photo', s.body->>'audio', s.body->>'text',
            coalesce(s.stamp, (s.body->>'at')::timestamptz), coalesce(s.late, true)
        -- OFFSET keeps the parsed form: otherwise each field would parse the text again.
        from (
            select p.payload::jsonb as body, p.stamp, p.late
            from unnest(payloads, stamps, late) p (payload, stamp, late) offset 0
        ) s
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
        return query select * from sluice.store_known_captures(payloads, stamps, late);
end
$$;

comment on function sluice.store_captures is
    'Stores captures {id, user, t, photo, audio, text, at}, each with when it was received and '
    'whether it is late, and enqueues their analysis. For each: stored; replaced (known, content '
    'changed); same (known, nothing to change); foreign (the id is another user''s: not stored).';

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
