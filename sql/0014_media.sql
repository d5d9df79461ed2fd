-- Uploaded files. Their bytes are in the media store; a path names an object there, and paths with the
-- same content share one.

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
    'Whose it is; null when it was uploaded without a user''s token and no capture names it yet.';
comment on column sluice.media_file.stored_at is 'When this content came to this path.';

create function sluice.store_media_file(
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
comment on function sluice.store_media_file is
    'Names an object by a path; again: replaces. Returns the object that is named now, the one given '
    'or an older one with the same content; null when the path is another user''s.';

-- Objects of rejected journal entries stay, so that these can be requeued.
create function sluice.media_objects_named(objects text[]) returns setof text
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
