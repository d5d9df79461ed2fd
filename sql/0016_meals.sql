-- Meal logs: what people ate, and the conversations about it.
--
-- Whoever locks rows of several of these tables in one transaction takes them in this order, and
-- within a table by key: meal_log, meal_log_item, undelivered, job.

-- Logs ------------------------------------------------------------------------------------------

create table sluice.meal_log (
    meal_log_id uuid not null primary key,
    user_id text collate "C" not null check (length(user_id) between 1 and 128),
    consultation_id uuid,
    raw_input text check (length(raw_input) between 1 and 1000),
    meal_type text not null check (meal_type in ('breakfast', 'lunch', 'dinner', 'snack')),
    status text not null check (status in ('pending', 'processing', 'completed', 'failed')),
    logged_at timestamptz not null,
    total_calories integer,
    total_protein_g double precision,
    total_carbs_g double precision,
    total_fat_g double precision,
    total_fiber_g double precision,
    total_sugar_g double precision,
    confidence_score double precision check (confidence_score between 0 and 1),
    error_code text,
    error_message text,
    suggestions text[] not null default '{}',
    processing_started_at timestamptz,
    processing_completed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((status = 'completed') = (total_calories is not null)),
    check ((status = 'failed') = (error_code is not null))
) with (fillfactor = 80);
create index meal_log_user_time on sluice.meal_log (user_id, logged_at desc, meal_log_id);
comment on table sluice.meal_log is 'Meals that people wrote down.';
comment on column sluice.meal_log.meal_log_id is 'Made by the server before the log is stored.';
comment on column sluice.meal_log.user_id is 'Whose meal it is.';
comment on column sluice.meal_log.consultation_id is
    'The consultation in which it was said; null for what came over HTTP.';
comment on column sluice.meal_log.raw_input is 'As written; null when only items were entered.';
comment on column sluice.meal_log.meal_type is 'breakfast, lunch, dinner or snack.';
comment on column sluice.meal_log.status is
    'pending, processing, completed, failed. Only a log in processing takes a parser''s result.';
comment on column sluice.meal_log.logged_at is 'When it was eaten.';
comment on column sluice.meal_log.total_calories is
    'Kilocalories, the sum of the items; null until completed.';
comment on column sluice.meal_log.total_protein_g is 'Sum of the items.';
comment on column sluice.meal_log.total_carbs_g is 'Sum of the items.';
comment on column sluice.meal_log.total_fat_g is 'Sum of the items.';
comment on column sluice.meal_log.total_fiber_g is
    'Sum of the items that have it; null if none has.';
comment on column sluice.meal_log.total_sugar_g is
    'Sum of the items that have it; null if none has.';
comment on column sluice.meal_log.confidence_score is
    '0 to 1, how well the parser understood it; null when a person entered the items.';
comment on column sluice.meal_log.error_code is 'Why it failed, for programs; null if it did not.';
comment on column sluice.meal_log.error_message is 'Why it failed, for people.';
comment on column sluice.meal_log.suggestions is 'What could be written instead, when it failed.';
comment on column sluice.meal_log.processing_started_at is
    'When the run of the parser began that ended with a result.';
comment on column sluice.meal_log.processing_completed_at is 'When that run ended.';
comment on column sluice.meal_log.created_at is 'When the server took it, by the server''s clock.';
comment on column sluice.meal_log.updated_at is 'When its result came or it was last edited.';

create table sluice.meal_log_item (
    meal_log_id uuid not null references sluice.meal_log on delete cascade,
    order_index integer not null check (order_index >= 0),
    item_id uuid not null,
    food_id uuid,
    user_food_id uuid,
    food_name text not null check (length(food_name) between 1 and 200),
    food_type text not null check (food_type in ('food', 'drink', 'water')),
    quantity double precision not null check (quantity > 0),
    unit text not null check (length(unit) between 1 and 50),
    grams double precision,
    calories integer not null check (calories >= 0),
    protein_g double precision not null check (protein_g >= 0),
    carbs_g double precision not null check (carbs_g >= 0),
    fat_g double precision not null check (fat_g >= 0),
    fiber_g double precision check (fiber_g >= 0),
    sugar_g double precision check (sugar_g >= 0),
    confidence_score double precision check (confidence_score between 0 and 1),
    parsing_notes text,
    created_at timestamptz not null,
    primary key (meal_log_id, order_index)
);
comment on table sluice.meal_log_item is 'The foods of meals.';
comment on column sluice.meal_log_item.meal_log_id is 'The meal it is part of.';
comment on column sluice.meal_log_item.order_index is 'Place in the meal, from 0.';
comment on column sluice.meal_log_item.item_id is 'What clients call it.';
comment on column sluice.meal_log_item.food_id is
    'The row of food that the figures come from. Foods may go; what was eaten stays.';
comment on column sluice.meal_log_item.user_food_id is
    'The row of user_food that the figures come from.';
comment on column sluice.meal_log_item.food_name is 'As it is shown.';
comment on column sluice.meal_log_item.food_type is 'food, drink or water.';
comment on column sluice.meal_log_item.quantity is 'How many of unit.';
comment on column sluice.meal_log_item.unit is 'g, slices, large eggs, …';
comment on column sluice.meal_log_item.grams is
    'What that weighs; null for items that a person entered.';
comment on column sluice.meal_log_item.calories is 'Kilocalories.';
comment on column sluice.meal_log_item.protein_g is 'Grams.';
comment on column sluice.meal_log_item.carbs_g is 'Grams, fiber included.';
comment on column sluice.meal_log_item.fat_g is 'Grams.';
comment on column sluice.meal_log_item.fiber_g is 'Grams; null: not known.';
comment on column sluice.meal_log_item.sugar_g is 'Grams; null: not known.';
comment on column sluice.meal_log_item.confidence_score is
    '0 to 1; null when a person entered it.';
comment on column sluice.meal_log_item.parsing_notes is 'What the parser had to assume.';
comment on column sluice.meal_log_item.created_at is 'When it was parsed or entered.';

create table sluice.deleted_meal_log (
    meal_log_id uuid not null primary key,
    user_id text collate "C" not null,
    deleted_at timestamptz not null default now()
);
create index deleted_meal_log_time on sluice.deleted_meal_log (deleted_at);
comment on table sluice.deleted_meal_log is
    'Logs that their users have deleted, so that a copy that is still in a node''s spool does not '
    'bring them back. Kept for 30 days.';
comment on column sluice.deleted_meal_log.meal_log_id is 'As it was in meal_log.';
comment on column sluice.deleted_meal_log.user_id is 'Whose it was.';
comment on column sluice.deleted_meal_log.deleted_at is 'When.';

-- Consultations ---------------------------------------------------------------------------------

create table sluice.consultation (
    consultation_id uuid not null primary key,
    user_id text collate "C" not null check (length(user_id) between 1 and 128),
    status text not null default 'active' check (status in ('active', 'closed')),
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index consultation_user on sluice.consultation (user_id, created_at);
comment on table sluice.consultation is 'Conversations whose messages are read as meals.';
comment on column sluice.consultation.consultation_id is 'Names it in the address of its socket.';
comment on column sluice.consultation.user_id is 'Whose it is; nobody else may connect to it.';
comment on column sluice.consultation.status is 'active or closed.';
comment on column sluice.consultation.created_at is 'When it was asked for.';
comment on column sluice.consultation.updated_at is 'When its status last changed.';

-- Storing ---------------------------------------------------------------------------------------

create function sluice.insert_meal_items(log uuid, made_at timestamptz, items jsonb) returns void
language sql
set search_path = pg_catalog
as $$
    insert into sluice.meal_log_item (
        meal_log_id, order_index, item_id, food_id, user_food_id, food_name, food_type, quantity,
        unit, grams, calories, protein_g, carbs_g, fat_g, fiber_g, sugar_g, confidence_score,
        parsing_notes, created_at)
    select log, order_index, item_id, food_id, user_food_id, food_name, food_type, quantity,
        unit, grams, calories, protein_g, carbs_g, fat_g, fiber_g, sugar_g, confidence_score,
        parsing_notes, made_at
    from jsonb_to_recordset(items) as i (
        order_index integer, item_id uuid, food_id uuid, user_food_id uuid, food_name text,
        food_type text, quantity double precision, unit text, grams double precision,
        calories integer, protein_g double precision, carbs_g double precision,
        fat_g double precision, fiber_g double precision, sugar_g double precision,
        confidence_score double precision, parsing_notes text)
$$;
comment on function sluice.insert_meal_items is 'Items given as an array of objects.';

-- One statement a group. Ids are new, so that rows that exist are those of a group that comes once
-- more: what stands is never changed, since an edit may have followed. Inserted in the order of the
-- ids, so that two groups can't wait for each other. A log that is brought again while its user deletes
-- it stays deleted.
create function sluice.store_meal_logs(payloads text[])
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
comment on function sluice.store_meal_logs is
    'Stores logs {id, user, at, t, type} with {text}, which are parsed by a job, or with {items, '
    'totals}. For each: stored; same (it came before, and nothing was changed); foreign (the id is '
    'another user''s: not stored).';

-- A result and the news of it. The log that was deleted or edited meanwhile is not in processing
-- any more: then nothing is written and nobody is told.
create function sluice.finish_meal_log(
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

create function sluice.drop_meal_message(log uuid, frame text) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    owner text;
    consultation uuid;
begin
    delete from sluice.meal_log l
    where l.meal_log_id = log and l.status = 'processing' and l.consultation_id is not null
    returning l.user_id, l.consultation_id into owner, consultation;
    if not found then
        return false;
    end if;
    insert into sluice.deleted_meal_log (meal_log_id, user_id) values (log, owner)
    on conflict do nothing;
    perform sluice.tell_user('meal', owner, log, frame, consultation::text);
    return true;
end
$$;
comment on function sluice.drop_meal_message is
    'A message of a consultation that is no meal: it is not logged, and the consultation''s sockets '
    'are told why.';

create function sluice.replace_meal_log(
    log uuid, owner text, new_meal_type text, new_logged_at timestamptz, total jsonb, items jsonb,
    at timestamptz
) returns text
language plpgsql
set search_path = pg_catalog
as $$
begin
    update sluice.meal_log l set
        status = 'completed',
        meal_type = coalesce(new_meal_type, l.meal_type),
        logged_at = coalesce(new_logged_at, l.logged_at),
        total_calories = (total->>'calories')::integer,
        total_protein_g = (total->>'protein')::double precision,
        total_carbs_g = (total->>'carbs')::double precision,
        total_fat_g = (total->>'fat')::double precision,
        total_fiber_g = (total->>'fiber')::double precision,
        total_sugar_g = (total->>'sugar')::double precision,
        confidence_score = null, error_code = null, error_message = null, suggestions = '{}',
        updated_at = at
    where l.meal_log_id = log and l.user_id = owner;
    if not found then
        return case when exists (select from sluice.meal_log l where l.meal_log_id = log)
            then 'foreign' else 'none' end;
    end if;
    delete from sluice.meal_log_item i where i.meal_log_id = log;
    perform sluice.insert_meal_items(log, at, items);
    delete from sluice.undelivered u where u.user_id = owner and u.subject = log;
    return 'done';
end
$$;
comment on function sluice.replace_meal_log is
    'A person''s items in the place of those that stand: done; foreign; none.';

create function sluice.delete_meal_log(log uuid, owner text) returns text
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.meal_log l where l.meal_log_id = log and l.user_id = owner;
    if not found then
        return case when exists (select from sluice.meal_log l where l.meal_log_id = log)
            then 'foreign' else 'none' end;
    end if;
    delete from sluice.undelivered u where u.user_id = owner and u.subject = log;
    delete from sluice.deleted_meal_log d
    where d.meal_log_id in (
        select o.meal_log_id from sluice.deleted_meal_log o
        where o.deleted_at < now() - interval '30 days'
        order by o.deleted_at limit 100
        for update skip locked);
    insert into sluice.deleted_meal_log (meal_log_id, user_id) values (log, owner)
    on conflict do nothing;
    return 'done';
end
$$;
comment on function sluice.delete_meal_log is 'done; foreign; none.';
