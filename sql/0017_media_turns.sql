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
