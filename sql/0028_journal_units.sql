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

create function sluice.note_deleted_journal_entry() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.deleted_journal_entry d
    where d.entry_id in (
        select e.entry_id from sluice.deleted_journal_entry e
        where e.deleted_at < now() - interval '30 days'
        order by e.deleted_at limit 100 for update skip locked);
    insert into sluice.deleted_journal_entry (entry_id, user_id)
    values (to_jsonb(old)->>tg_argv[0], old.user_id)
    on conflict do nothing;
    return null;
end
$$;
comment on function sluice.note_deleted_journal_entry is
    'Remembers a deleted entry; the argument is the column with its id. Removes up to 100 old rows.';

create trigger note_deleted after delete on sluice.upload
    for each row execute function sluice.note_deleted_journal_entry('upload_id');
create trigger note_deleted after delete on sluice.mood
    for each row execute function sluice.note_deleted_journal_entry('mood_id');
create trigger note_deleted after delete on sluice.keepsake
    for each row execute function sluice.note_deleted_journal_entry('keepsake_id');
create trigger note_deleted after delete on sluice.calendar_entry
    for each row execute function sluice.note_deleted_journal_entry('entry_id');
create trigger note_deleted after delete on sluice.journal_file
    for each row when (old.kind = 'profile_picture')
    execute function sluice.note_deleted_journal_entry('file_id');

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
) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    file record;
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
            file.width, file.height, file.duration, received_at);
    end loop;
end
$$;
comment on function sluice.store_journal_files is
    'Stores the rows of an entry''s files; entry_id is null for a profile picture.';

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
        select p.payload::jsonb as body, p.place, p.late,
            date_trunc('milliseconds', p.received) as received
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
        created := coalesce(sluice.from_microseconds(entry.created), sent.received);
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
                    sent.received)
                on conflict do nothing;
            when 'keepsake' then
                insert into sluice.keepsake (
                    keepsake_id, user_id, title, description, location, tags, created_at,
                    received_at)
                values (
                    entry.id, entry."user", entry.title, entry.description, entry.location,
                    entry.tags, created, sent.received)
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
                -- The same lock as deletions: replacing a picture deletes a file. A picture that
                -- arrives late does not replace a newer one.
                perform pg_advisory_xact_lock(hashtextextended('journal ' || entry."user", 0));
                perform
                where not exists (
                        select from sluice.journal_file f where f.file_id = entry.id)
                    and not exists (
                        select from sluice.deleted_journal_entry d where d.entry_id = entry.id)
                    and not (sent.late and exists (
                        select from sluice.profile_picture p
                        where p.user_id = entry."user" and p.updated_at > sent.received));
        end case;
        if found then
            perform sluice.store_journal_files(
                entry.kind, case when entry.kind <> 'profile_picture' then entry.id end,
                entry."user", entry.files, sent.received);
            if entry.kind = 'profile_picture' then
                perform sluice.set_profile_picture(entry."user", entry.id);
            end if;
            result := 'stored';
        end if;
        return next;
    end loop;
end
$$;
comment on function sluice.store_journal_entries is
    'Stores journal entries with their files. For each: stored; or same (it is or was there, or a '
    'newer profile picture is, and nothing was changed).';
