-- Journal entries are units of work: lanes write them, beside readings, captures and meal logs. So a
-- failover or a lost answer can bring an entry a second time, and it must be stored once.

create table sluice.deleted_journal_entry (
    entry_id text collate "C" not null primary key,
    user_id text collate "C" not null,
    deleted_at timestamptz not null default now()
);
create index deleted_journal_entry_time on sluice.deleted_journal_entry (deleted_at);
comment on table sluice.deleted_journal_entry is
    'Journal entries that were deleted, so that a copy in a node''s memory does not restore them. '
    'Kept for 30 days.';
comment on column sluice.deleted_journal_entry.entry_id is
    'The id of the record; the file''s id if the entry was a profile picture.';
comment on column sluice.deleted_journal_entry.user_id is 'The user whose entry it was.';
comment on column sluice.deleted_journal_entry.deleted_at is 'When it was deleted.';

create function sluice.note_deleted_journal_entries() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    if current_setting('sluice.forgets', true) = 'on' then
        return null;
    end if;
    insert into sluice.deleted_journal_entry (entry_id, user_id)
    select to_jsonb(g)->>tg_argv[0], g.user_id from gone g
    where coalesce(to_jsonb(g)->>'kind', 'profile_picture') = 'profile_picture'
    on conflict do nothing;
    delete from sluice.deleted_journal_entry d
    where d.entry_id in (
        select e.entry_id from sluice.deleted_journal_entry e
        where e.deleted_at < now() - interval '30 days'
        order by e.deleted_at limit 1000 for update skip locked);
    return null;
end
$$;
comment on function sluice.note_deleted_journal_entries is
    'Remembers deleted entries, except in a session that forgets a user; the argument is the column '
    'with their ids. Of files, only profile pictures are entries. Removes up to 1000 old rows.';

create trigger note_deleted after delete on sluice.upload referencing old table as gone
    for each statement execute function sluice.note_deleted_journal_entries('upload_id');
create trigger note_deleted after delete on sluice.mood referencing old table as gone
    for each statement execute function sluice.note_deleted_journal_entries('mood_id');
create trigger note_deleted after delete on sluice.keepsake referencing old table as gone
    for each statement execute function sluice.note_deleted_journal_entries('keepsake_id');
create trigger note_deleted after delete on sluice.calendar_entry referencing old table as gone
    for each statement execute function sluice.note_deleted_journal_entries('entry_id');
create trigger note_deleted after delete on sluice.journal_file referencing old table as gone
    for each statement execute function sluice.note_deleted_journal_entries('file_id');

-- An interval of many microseconds is computed in double precision, which is exact for the
-- microseconds of a day only. Whole days have 24 hours in UTC.
create function sluice.from_microseconds(microseconds bigint) returns timestamptz
language sql immutable parallel safe
set search_path = pg_catalog
as $$
    select (timestamp '2000-01-01' + interval '1 day' * (microseconds / 86400000000)
        + interval '1 microsecond' * (microseconds % 86400000000)) at time zone 'UTC'
$$;
comment on function sluice.from_microseconds is 'The time that is so many microseconds after 2000-01-01, UTC.';

create function sluice.store_journal_files(
    entry_kind text, entry_id text, owner text, files jsonb, received_at timestamptz
) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    file record;
    is_new boolean := false;
begin
    for file in
        select f.*, a.place
        from jsonb_array_elements(files) with ordinality a (value, place)
        cross join lateral jsonb_to_record(a.value) as f (
            id text, object text, digest text, bytes bigint, type text, name text,
            is_voice_note boolean, width integer, height integer, duration double precision)
        order by a.place
    loop
        perform sluice.store_media_file(
            'journal/' || file.id, file.object, decode(file.digest, 'hex'), file.bytes, file.type,
            owner);
        insert into sluice.journal_file (
            file_id, user_id, kind, record_id, is_voice_note, place, name, width, height, duration,
            created_at)
        values (
            file.id, owner, entry_kind, entry_id, file.is_voice_note, file.place - 1, file.name,
            file.width, file.height, file.duration, received_at)
        on conflict (file_id) do nothing;
        is_new := is_new or found;
    end loop;
    return is_new;
end
$$;
comment on function sluice.store_journal_files is
    'Stores the rows of an entry''s files; entry_id is null for a profile picture. False: they are '
    'there already.';

-- It deletes no file: a replaced picture is removed by the sweep. So a lane waits for a user's
-- deletions only while they hold the row of the same picture, which it locks before it shares a
-- content.
create function sluice.store_journal_entries(
    payloads text[], received timestamptz[], late boolean[]
) returns table (place integer, result text)
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    sent record;
    entry record;
    created timestamptz;
begin
    for sent in
        select p.payload::jsonb as body, p.place, p.late, p.received,
            date_trunc('milliseconds', p.received) as stored_at
        from unnest(payloads, received, late) with ordinality p (payload, received, late, place)
        order by p.place
    loop
        place := sent.place;
        result := 'same';
        select * into entry
        from jsonb_to_record(sent.body) as e (
            id text, "user" text, kind text, mood text, title text, note text, reason text,
            description text, location text, category text, group_id text, date text,
            starts bigint, created bigint, tags text[], interests text[], intensity smallint,
            voice_note_duration double precision, files jsonb);
        created := sluice.from_microseconds(entry.created);
        if exists (
            select from sluice.deleted_journal_entry d where d.entry_id = entry.id)
        then
            return next;
            continue;
        end if;
        case entry.kind
            when 'upload' then
                insert into sluice.upload (
                    upload_id, user_id, category, title, description, tags, group_id, created_at)
                values (
                    entry.id, entry."user", entry.category, entry.title, entry.description,
                    entry.tags, entry.group_id, created)
                on conflict do nothing;
            when 'mood' then
                insert into sluice.mood (
                    mood_id, user_id, mood, note, reason, tags, interests, intensity,
                    voice_note_duration, created_at, received_at)
                values (
                    entry.id, entry."user", entry.mood, entry.note, entry.reason, entry.tags,
                    entry.interests, entry.intensity, entry.voice_note_duration, created,
                    sent.stored_at)
                on conflict do nothing;
            when 'keepsake' then
                insert into sluice.keepsake (
                    keepsake_id, user_id, title, description, location, tags, created_at,
                    received_at)
                values (
                    entry.id, entry."user", entry.title, entry.description, entry.location,
                    entry.tags, created, sent.stored_at)
                on conflict do nothing;
            when 'calendar_entry' then
                insert into sluice.calendar_entry (
                    entry_id, user_id, title, description, date_text, starts_at, location, tags,
                    created_at)
                values (
                    entry.id, entry."user", entry.title, entry.description, entry.date,
                    sluice.from_microseconds(entry.starts), entry.location, entry.tags, created)
                on conflict do nothing;
            when 'profile_picture' then
                perform from sluice.profile_picture p where p.user_id = entry."user" for update;
                perform
                where sluice.store_journal_files(
                    entry.kind, null, entry."user", entry.files, sent.stored_at);
            else
                raise exception using errcode = 'P0001', message = 'unknown kind of journal entry';
        end case;
        if not found then
            return next;
            continue;
        end if;
        if entry.kind <> 'profile_picture' then
            perform sluice.store_journal_files(
                entry.kind, entry.id, entry."user", entry.files, sent.stored_at);
        else
            -- A picture that arrives late does not replace a newer one.
            insert into sluice.profile_picture as p (user_id, file_id, updated_at)
            values (entry."user", entry.id, sent.received)
            on conflict (user_id) do update set
                file_id = excluded.file_id,
                updated_at = greatest(p.updated_at, excluded.updated_at)
            where not sent.late or p.updated_at < excluded.updated_at;
        end if;
        result := 'stored';
        if exists (
            select from sluice.deleted_journal_entry d where d.entry_id = entry.id)
        then
            -- The insert waited for a transaction that deleted the entry.
            delete from sluice.upload u where u.upload_id = entry.id;
            delete from sluice.mood m where m.mood_id = entry.id;
            delete from sluice.keepsake k where k.keepsake_id = entry.id;
            delete from sluice.calendar_entry c where c.entry_id = entry.id;
            perform sluice.remove_journal_files(array(
                select f.file_id from sluice.journal_file f
                where f.record_id = entry.id or f.file_id = entry.id));
            result := 'same';
        end if;
        return next;
    end loop;
end
$$;
comment on function sluice.store_journal_entries is
    'Stores journal entries with their files. For each: stored; or same (it is or was there, and '
    'nothing was changed).';

-- Objects of rejected entries stay, so that these can be requeued.
create or replace function sluice.media_objects_named(objects text[]) returns setof text
language sql stable
set search_path = pg_catalog
as $$
    select distinct m.object from sluice.media_file m where m.object = any (objects)
    union
    select f.value->>'object'
    from sluice.unit_set_aside u
    cross join lateral jsonb_array_elements(convert_from(u.payload, 'UTF8')::jsonb->'files') f
    where u.kind = 'journal_entry' and f.value->>'object' = any (objects)
$$;
comment on function sluice.media_objects_named is
    'Which of these objects some path or rejected entry names.';

comment on column sluice.upload.created_at is 'When the server had received it.';
comment on column sluice.calendar_entry.created_at is 'When the server had received it.';

comment on function sluice.set_profile_picture is
    'For binaries of schema 27 and before. Makes a file the user''s picture and removes the file '
    'that was it.';

create function sluice.remove_replaced_pictures(most integer) returns bigint
language sql
set search_path = pg_catalog
as $$
    select sluice.remove_journal_files(array(
        select f.file_id from sluice.journal_file f
        where f.kind = 'profile_picture'
            and not exists (select from sluice.profile_picture p where p.file_id = f.file_id)
        limit most))
$$;
comment on function sluice.remove_replaced_pictures is
    'Removes up to so many files that were profile pictures; how many there were.';
create index journal_file_picture on sluice.journal_file (file_id) where kind = 'profile_picture';
