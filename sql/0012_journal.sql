-- The journal: what users write down with pictures. "Memory" and "event" of the apps are keepsake and
-- calendar_entry here: a memory is a capture elsewhere, and an event a reading.
--
-- A record, the rows of its files and those of sluice.media_file are one transaction. Whoever
-- deletes takes the record first, then files by their ids.

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
comment on column sluice.upload.created_at is 'When it was stored.';

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
comment on column sluice.calendar_entry.created_at is 'When it was stored.';

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

-- A user has one picture: the one before goes in the same transaction. Callers take turns.
create function sluice.set_profile_picture(owner text, file text) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    former text;
begin
    insert into sluice.profile_picture as p (user_id, file_id) values (owner, file)
    on conflict (user_id) do nothing;
    if found then
        return;
    end if;
    select p.file_id into former from sluice.profile_picture p where p.user_id = owner for update;
    if not found then
        -- It was deleted just now.
        insert into sluice.profile_picture (user_id, file_id) values (owner, file);
        return;
    end if;
    update sluice.profile_picture p set file_id = file, updated_at = now() where p.user_id = owner;
    perform sluice.remove_journal_files(array[former]);
end
$$;
comment on function sluice.set_profile_picture is
    'Makes a file the user''s picture and removes the file that was it.';
