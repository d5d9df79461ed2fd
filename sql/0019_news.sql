-- Whatever a user is to be told waits until a socket of the user has had it.
--
-- Meals' results did; the news that a capture has been looked at went to those who were there, and
-- was lost to all others. Captures' news have a topic of their own, memory: a binary that does not
-- know it tells its sockets nothing, and the row waits for one that does.

create function sluice.tell_user(topic text, user_id text, subject uuid, frame text) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    row_id bigint;
begin
    insert into sluice.undelivered (topic, user_id, subject, payload) values ($1, $2, $3, $4)
    returning id into row_id;
    perform sluice.post_notice($1, $2, row_id || E' -\n' || $4);
end
$$;
comment on function sluice.tell_user is
    'Has a user told something once, when the transaction commits: all sockets that are there, or '
    'else the next. The notice is the number of the undelivered row, a dash, a line break and the '
    'frame.';
comment on column sluice.undelivered.topic is 'Whose business it is: meal, memory.';
comment on column sluice.undelivered.subject is
    'What it is about: a log''s id, or a UUID made of a capture''s. What changes it deletes the row.';
comment on column sluice.notice.topic is 'Whose business it is: meal, memory.';

create or replace function sluice.finish_meal_log(
    log uuid, result_status text, total jsonb, confidence double precision, code text, message text,
    advice text[], started_at timestamptz, completed_at timestamptz, items jsonb, frame text
) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    owner text;
begin
    update sluice.meal_log l set
        status = result_status,
        total_calories = (total->>'calories')::integer,
        total_protein_g = (total->>'protein')::double precision,
        total_carbs_g = (total->>'carbs')::double precision,
        total_fat_g = (total->>'fat')::double precision,
        total_fiber_g = (total->>'fiber')::double precision,
        total_sugar_g = (total->>'sugar')::double precision,
        confidence_score = confidence, error_code = code, error_message = message,
        suggestions = advice, processing_started_at = started_at,
        processing_completed_at = completed_at, updated_at = completed_at
    where l.meal_log_id = log and l.status = 'processing'
    returning l.user_id into owner;
    if not found then
        return false;
    end if;
    if items is not null then
        perform sluice.insert_meal_items(log, completed_at, items);
    end if;
    perform sluice.tell_user('meal', owner, log, frame);
    return true;
end
$$;
comment on function sluice.finish_meal_log is
    'Writes a parser''s result. False: the log does not wait for a result any more.';
