-- The journal: what users write down with pictures. "Memory" and "event" of the apps are keepsake and
-- calendar_entry here: a memory is a capture elsewhere, and an event a reading.
--
-- A record, the rows of its files and those of sluice.media_file are one transaction. Whoever
-- deletes takes the record first, then files by their ids.
--
-- Entries are units of work: lanes write them, beside readings, captures and meal logs. So a failover
-- or a lost answer can bring an entry a second time, and it is stored once.

create table sluice.upload (
    upload_id text collate "C" not null primary key check (length(upload_id) = 32),
    user_id text collate "C" not null,
    category text,
    title text,
    description text,
    tags text[] not null default '{}',
    group_id text,
    created_at timestamptz not null default now()
);
create index upload_user_time on sluice.upload (user_id, created_at desc, upload_id);
comment on table sluice.upload is 'Files that were sent together and belong to no other record.';
comment on column sluice.upload.upload_id is '128 random bits in hexadecimal.';
comment on column sluice.upload.user_id is 'Whose it is.';
comment on column sluice.upload.category is 'As the app sent it: general, mood, …; null without.';
comment on column sluice.upload.title is 'Of all of the files; null without.';
comment on column sluice.upload.description is 'Of all of the files; null without.';
comment on column sluice.upload.tags is 'As sent, trimmed.';
comment on column sluice.upload.group_id is
    'The app''s, or made for several files; null for a single one without.';
comment on column sluice.upload.created_at is 'When the server had received it.';

create table sluice.mood (
    mood_id text collate "C" not null primary key check (length(mood_id) = 32),
    user_id text collate "C" not null,
    mood text not null,
    note text,
    reason text,
    tags text[] not null default '{}',
    interests text[] not null default '{}',
    intensity smallint check (intensity between 1 and 10),
    voice_note_duration double precision check (voice_note_duration >= 0),
    created_at timestamptz not null,
    received_at timestamptz not null default now()
);
create index mood_user_time on sluice.mood (user_id, created_at desc, mood_id);
comment on table sluice.mood is 'How users felt.';
comment on column sluice.mood.mood_id is '128 random bits in hexadecimal.';
comment on column sluice.mood.user_id is 'Whose it is.';
comment on column sluice.mood.mood is 'The user''s word for it.';
comment on column sluice.mood.note is 'Null without.';
comment on column sluice.mood.reason is 'Null without.';
comment on column sluice.mood.tags is 'As sent, trimmed.';
comment on column sluice.mood.interests is 'As sent, trimmed.';
comment on column sluice.mood.intensity is '1 to 10; null without.';
comment on column sluice.mood.voice_note_duration is
    'Seconds, as the app said, else as the file says; null without a voice note.';
comment on column sluice.mood.created_at is 'The app''s time, to the millisecond.';
comment on column sluice.mood.received_at is 'When it was stored.';

create table sluice.keepsake (
    keepsake_id text collate "C" not null primary key check (length(keepsake_id) = 32),
    user_id text collate "C" not null,
    title text not null,
    description text,
    location text,
    tags text[] not null default '{}',
    created_at timestamptz not null,
    received_at timestamptz not null default now()
);
create index keepsake_user_time on sluice.keepsake (user_id, created_at desc, keepsake_id);
comment on table sluice.keepsake is 'What users want to remember; the apps call it a memory.';
comment on column sluice.keepsake.keepsake_id is '128 random bits in hexadecimal.';
comment on column sluice.keepsake.user_id is 'Whose it is.';
comment on column sluice.keepsake.title is 'Never blank.';
comment on column sluice.keepsake.description is 'Null without.';
comment on column sluice.keepsake.location is 'In the user''s words; null without.';
comment on column sluice.keepsake.tags is 'As sent, trimmed.';
comment on column sluice.keepsake.created_at is 'The app''s time, to the millisecond.';
comment on column sluice.keepsake.received_at is 'When it was stored.';

create table sluice.calendar_entry (
    entry_id text collate "C" not null primary key check (length(entry_id) = 32),
    user_id text collate "C" not null,
    title text not null,
    description text,
    date_text text not null,
    starts_at timestamptz not null,
    location text,
    tags text[] not null default '{}',
    created_at timestamptz not null default now()
);
create index calendar_entry_user_start
    on sluice.calendar_entry (user_id, starts_at desc, entry_id);
comment on table sluice.calendar_entry is 'What is in users'' calendars; the apps call it an event.';
comment on column sluice.calendar_entry.entry_id is '128 random bits in hexadecimal.';
comment on column sluice.calendar_entry.user_id is 'Whose it is.';
comment on column sluice.calendar_entry.title is 'Never blank.';
comment on column sluice.calendar_entry.description is 'Null without.';
comment on column sluice.calendar_entry.date_text is 'ISO 8601 as the app sent it, and gets it back.';
comment on column sluice.calendar_entry.starts_at is
    'What date_text means: without a zone UTC, a day its midnight.';
comment on column sluice.calendar_entry.location is 'In the user''s words; null without.';
comment on column sluice.calendar_entry.tags is 'As sent, trimmed.';
comment on column sluice.calendar_entry.created_at is 'When the server had received it.';

-- Its path is the key of the row that names the content: neither is there without the other.
create table sluice.journal_file (
    file_id text collate "C" not null primary key check (length(file_id) = 32),
    path text collate "C" not null generated always as ('journal/' || file_id) stored unique
        references sluice.media_file (path),
    user_id text collate "C" not null,
    kind text not null
        check (kind in ('upload', 'mood', 'keepsake', 'calendar_entry', 'profile_picture')),
    record_id text collate "C",
    is_voice_note boolean not null default false,
    place smallint not null,
    name text not null,
    width integer check (width > 0),
    height integer check (height > 0),
    duration double precision check (duration >= 0),
    created_at timestamptz not null default now(),
    check ((record_id is null) = (kind = 'profile_picture'))
);
create index journal_file_record on sluice.journal_file (record_id, place);
create index journal_file_user_time on sluice.journal_file (user_id, created_at desc, place, file_id);
create index journal_file_picture on sluice.journal_file (file_id) where kind = 'profile_picture';
comment on table sluice.journal_file is 'Files of uploads, moods, keepsakes, calendar entries, and profile pictures.';
comment on column sluice.journal_file.file_id is '128 random bits in hexadecimal: who knows it may read the file.';
comment on column sluice.journal_file.path is 'The row of media_file that names the content.';
comment on column sluice.journal_file.user_id is 'Whose it is.';
comment on column sluice.journal_file.kind is 'Which table has its record.';
comment on column sluice.journal_file.record_id is 'Its record there; null for a profile picture.';
comment on column sluice.journal_file.is_voice_note is 'It is the voice note of a mood.';
comment on column sluice.journal_file.place is 'In the order in which the request had them, from 0.';
comment on column sluice.journal_file.name is 'As the app called it, made fit to be shown.';
comment on column sluice.journal_file.width is 'Pixels, as it is to be seen; null where the file does not tell.';
comment on column sluice.journal_file.height is 'Pixels, as it is to be seen; null where the file does not tell.';
comment on column sluice.journal_file.duration is 'Seconds of sound or film; null where the file does not tell.';
comment on column sluice.journal_file.created_at is 'When it was stored.';

create table sluice.journal_thumbnail (
    file_id text collate "C" not null references sluice.journal_file,
    width smallint not null check (width > 0),
    path text collate "C" not null
        generated always as ('journal/' || file_id || '/w' || width::text) stored unique
        references sluice.media_file (path),
    made_at timestamptz not null default now(),
    primary key (file_id, width)
);
comment on table sluice.journal_thumbnail is 'Smaller forms of images, made when they were first asked for.';
comment on column sluice.journal_thumbnail.file_id is 'Of which file.';
comment on column sluice.journal_thumbnail.width is 'Pixels that were asked for.';
comment on column sluice.journal_thumbnail.path is 'The row of media_file that names the content.';
comment on column sluice.journal_thumbnail.made_at is 'The oldest goes when there are many.';

create table sluice.profile_picture (
    user_id text collate "C" not null primary key,
    file_id text collate "C" not null unique references sluice.journal_file on delete cascade,
    updated_at timestamptz not null default now()
);
comment on table sluice.profile_picture is 'The picture of each user who has one.';
comment on column sluice.profile_picture.user_id is 'Whose picture it is.';
comment on column sluice.profile_picture.file_id is 'Which file.';
comment on column sluice.profile_picture.updated_at is 'When it was given.';

-- Deleted entries -------------------------------------------------------------------------------

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

-- Files and thumbnails with the rows that name their contents; contents go with a sweep. Rows are
-- taken in the order of their ids, so that two deletions can't wait for each other.
create function sluice.remove_journal_files(ids text[]) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    paths text[];
    removed bigint;
begin
    perform from sluice.journal_file f where f.file_id = any (ids) order by f.file_id for update;
    select array_agg(p.path order by p.path) into paths
    from (
        select f.path from sluice.journal_file f where f.file_id = any (ids)
        union all
        select t.path from sluice.journal_thumbnail t where t.file_id = any (ids)
    ) p;
    delete from sluice.journal_thumbnail t where t.file_id = any (ids);
    delete from sluice.journal_file f where f.file_id = any (ids);
    get diagnostics removed = row_count;
    delete from sluice.media_file m where m.path = any (paths);
    return removed;
end
$$;
comment on function sluice.remove_journal_files is 'How many files there were.';

-- Keeps the newest thumbnails of a file.
create function sluice.trim_journal_thumbnails(file text, kept integer) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    paths text[];
begin
    with dropped as (
        delete from sluice.journal_thumbnail d
        where (d.file_id, d.width) in (
            select t.file_id, t.width from sluice.journal_thumbnail t where t.file_id = file
            order by t.made_at desc, t.width offset kept)
        returning d.path
    )
    select array_agg(path) into paths from dropped;
    delete from sluice.media_file m where m.path = any (paths);
end
$$;
comment on function sluice.trim_journal_thumbnails is 'Removes all but so many, the oldest first.';

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

-- Storing ---------------------------------------------------------------------------------------

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
