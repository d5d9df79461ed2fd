-- What the apps have of their users, for analysts: captures and what is made of them, meals, the
-- journal and its files. One row an item, with the user's id. And what users take back.

-- What users take back.
--
-- A capture that is deleted keeps its row, without its contents: a form of it that comes back from a
-- spool later was received before it was deleted, and so changes nothing (see sluice.capture). A client
-- that sends it again has it back.
alter table sluice.capture add column deleted_at timestamptz;
comment on column sluice.capture.deleted_at is
    'When its user deleted it: URLs and transcription are gone. Null: it is there.';

create function sluice.revive_capture() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    new.deleted_at := null;
    return new;
end
$$;
comment on function sluice.revive_capture is 'A capture that is sent again is there again.';
create trigger revive_capture before update of captured_at on sluice.capture
for each row when (old.deleted_at is not null and new.revision > old.revision)
execute function sluice.revive_capture();

-- What is made of them follows by the job that analyses captures.
create function sluice.delete_captures(owner text, keys text[]) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    deleted text[];
    files text[];
begin
    perform from sluice.app_user u where u.user_id = owner for no key update;
    select array_agg(g.capture_id order by g.capture_id) into deleted
    from (
        select c.capture_id from sluice.capture c
        where c.user_id = owner and c.capture_id = any (keys) and c.deleted_at is null
        order by c.capture_id
        for update
    ) g;
    if deleted is null then
        return 0;
    end if;
    select array_agg(distinct f.path) into files
    from sluice.capture c
    cross join lateral (values
        (sluice.media_path(c.photo_url)), (sluice.media_path(c.audio_url))) f (path)
    where c.capture_id = any (deleted) and f.path is not null;
    update sluice.capture c set
        photo_url = null, audio_url = null, transcription = null, revision = c.revision + 1,
        received_at = greatest(c.received_at, clock_timestamp()), deleted_at = clock_timestamp()
    where c.capture_id = any (deleted);
    delete from sluice.capture_analysis a where a.capture_id = any (deleted);
    delete from sluice.undelivered u
    where u.user_id = owner and u.topic = 'memory'
        and u.subject in (select md5(d)::uuid from unnest(deleted) d);
    -- The sweeper removes contents that no row names.
    delete from sluice.media_file m
    where m.path = any (files) and m.user_id = owner
        and not exists (
            select from sluice.capture o
            where o.user_id = owner
                and m.path in (sluice.media_path(o.photo_url), sluice.media_path(o.audio_url)));
    perform sluice.enqueue_job(
        'capture.analyse', d, json_build_object('user', owner, 'capture', d)::text)
    from unnest(deleted) d;
    return cardinality(deleted);
end
$$;
comment on function sluice.delete_captures is
    'Deletes captures of a user by their keys, with files that only these name. Returns how many.';

-- Views for analysts.

create view analytics.app_user as
select u.user_id, u.time_zone, u.profile, u.created_at, u.initialized_at
from sluice.app_user u;
comment on view analytics.app_user is 'Users of the apps, with their time zones.';
comment on column analytics.app_user.user_id is 'The user, as the app names it.';
comment on column analytics.app_user.time_zone is 'Its days and hours are those of this zone.';
comment on column analytics.app_user.profile is
    'What the app knows of the user, as JSON; null until it was given.';
comment on column analytics.app_user.created_at is 'When the server first heard of the user.';
comment on column analytics.app_user.initialized_at is 'When the profile was given; null if never.';

create view analytics.capture as
select c.user_id, c.capture_id, c.captured_at, c.transcription, c.photo_url, c.audio_url,
    c.revision, c.received_at
from sluice.capture c
where c.deleted_at is null;
comment on view analytics.capture is 'Memory captures, as the app sent them.';
comment on column analytics.capture.user_id is 'The user, as the app names it.';
comment on column analytics.capture.capture_id is
    'The app''s id of it; with a tilde and a hash where another user''s capture has that id.';
comment on column analytics.capture.captured_at is 'The capture''s own time.';
comment on column analytics.capture.transcription is 'What was said; null if nothing came.';
comment on column analytics.capture.photo_url is 'Null without a photo.';
comment on column analytics.capture.audio_url is 'Null without a recording.';
comment on column analytics.capture.revision is
    '1, and one more each time that it came differently.';
comment on column analytics.capture.received_at is 'When this form of it was received.';

create view analytics.capture_analysis as
select a.user_id, a.capture_id, a.captured_at, a.analysis->>'imageSummary' as image_summary,
    a.analysis->>'mood' as mood, a.analysis->>'location' as location,
    a.analysis->>'keyMoment' as key_moment, a.analysis->'themes' as themes,
    a.analysis->'mentionedNames' as mentioned_names, a.analysis->'detectedFaces' as detected_faces,
    a.analyser, a.error, a.analysed_at
from sluice.capture_analysis a;
comment on view analytics.capture_analysis is 'What the analyser made of each capture.';
comment on column analytics.capture_analysis.user_id is 'The user, as the app names it.';
comment on column analytics.capture_analysis.capture_id is 'The capture.';
comment on column analytics.capture_analysis.captured_at is
    'The capture''s time when it was analysed.';
comment on column analytics.capture_analysis.image_summary is 'What the photo shows.';
comment on column analytics.capture_analysis.mood is 'The user''s mood, as a word.';
comment on column analytics.capture_analysis.location is 'Where it was, in words; null if unknown.';
comment on column analytics.capture_analysis.key_moment is 'The sentence that says most.';
comment on column analytics.capture_analysis.themes is 'What it is about, as a JSON list.';
comment on column analytics.capture_analysis.mentioned_names is 'Who is named, as a JSON list.';
comment on column analytics.capture_analysis.detected_faces is
    'Faces of the photo, as a JSON list.';
comment on column analytics.capture_analysis.analyser is 'Who made it: local or gemini.';
comment on column analytics.capture_analysis.error is
    'Why it is only a fallback; null for a real analysis.';
comment on column analytics.capture_analysis.analysed_at is 'When it was made.';

create view analytics.contact as
select c.user_id, c.name, c.relationship, c.notes, c.best_face_photo_url, c.first_seen,
    c.last_seen, c.mention_count
from sluice.contact c;
comment on view analytics.contact is 'People in users'' captures, one row a name.';
comment on column analytics.contact.user_id is 'The user, as the app names it.';
comment on column analytics.contact.name is 'The person''s name.';
comment on column analytics.contact.relationship is 'To the user; null if unknown.';
comment on column analytics.contact.notes is 'What is known of the person; null if nothing.';
comment on column analytics.contact.best_face_photo_url is
    'The photo that shows the face most surely; null if none.';
comment on column analytics.contact.first_seen is 'Time of the earliest capture with this person.';
comment on column analytics.contact.last_seen is 'Time of the latest.';
comment on column analytics.contact.mention_count is 'How many captures name this person.';

create view analytics.hour_summary as
select h.user_id, h.hour as time, h.time_zone, h.captures, h.content, h.condensed_at
from sluice.hour_summary h;
comment on view analytics.hour_summary is 'Users'' hours, condensed from their captures.';
comment on column analytics.hour_summary.user_id is 'The user, as the app names it.';
comment on column analytics.hour_summary.time is 'The hour''s beginning.';
comment on column analytics.hour_summary.time_zone is 'The zone whose hour it is.';
comment on column analytics.hour_summary.captures is 'How many captures it is made of.';
comment on column analytics.hour_summary.content is 'The condensed hour, as JSON.';
comment on column analytics.hour_summary.condensed_at is 'When it was made.';

create view analytics.day_summary as
select s.user_id, s.date as day, s.time_zone, s.is_final, s.content->>'summary' as summary,
    s.content->>'mood' as mood, (s.content->>'totalCaptures')::integer as captures,
    s.content->'themes' as themes, s.content->'timeline' as timeline, s.content, s.updated_at
from sluice.day_summary s;
comment on view analytics.day_summary is 'Users'' days, as their app shows them.';
comment on column analytics.day_summary.user_id is 'The user, as the app names it.';
comment on column analytics.day_summary.day is 'The day in the user''s time zone.';
comment on column analytics.day_summary.time_zone is 'The zone whose day it is.';
comment on column analytics.day_summary.is_final is 'The day was over when it was made.';
comment on column analytics.day_summary.summary is 'The day in a few sentences.';
comment on column analytics.day_summary.mood is 'The day''s mood, as a word.';
comment on column analytics.day_summary.captures is 'How many captures it is made of.';
comment on column analytics.day_summary.themes is 'What it was about, as a JSON list.';
comment on column analytics.day_summary.timeline is 'What happened when, as a JSON list.';
comment on column analytics.day_summary.content is 'All of it, as JSON.';
comment on column analytics.day_summary.updated_at is 'When it was made.';

create view analytics.meal as
select m.user_id, m.meal_log_id as meal_id, m.logged_at, m.meal_type, m.status, m.raw_input,
    m.total_calories as calories, m.total_protein_g as protein_g, m.total_carbs_g as carbs_g,
    m.total_fat_g as fat_g, m.total_fiber_g as fiber_g, m.total_sugar_g as sugar_g,
    m.confidence_score, m.error_code, m.created_at, m.updated_at
from sluice.meal_log m;
comment on view analytics.meal is 'Meals that users wrote down, with the sums of their items.';
comment on column analytics.meal.user_id is 'The user, as the app names it.';
comment on column analytics.meal.meal_id is 'The app''s id of it.';
comment on column analytics.meal.logged_at is 'When it was eaten.';
comment on column analytics.meal.meal_type is 'breakfast, lunch, dinner or snack.';
comment on column analytics.meal.status is 'processing, completed or failed.';
comment on column analytics.meal.raw_input is
    'As the user wrote it; null when only items were entered.';
comment on column analytics.meal.calories is 'Kilocalories; null until completed.';
comment on column analytics.meal.protein_g is 'Grams, the sum of the items.';
comment on column analytics.meal.carbs_g is 'Grams, fiber included.';
comment on column analytics.meal.fat_g is 'Grams, the sum of the items.';
comment on column analytics.meal.fiber_g is 'Grams of the items that have it; null if none has.';
comment on column analytics.meal.sugar_g is 'Grams of the items that have it; null if none has.';
comment on column analytics.meal.confidence_score is
    '0 to 1, how well the parser understood it; null when a person entered the items.';
comment on column analytics.meal.error_code is 'Why it failed; null if it did not.';
comment on column analytics.meal.created_at is 'When the server took it.';
comment on column analytics.meal.updated_at is 'When its result came or it was last edited.';

create view analytics.meal_item as
select m.user_id, i.meal_log_id as meal_id, i.order_index, m.logged_at, i.food_name, i.food_type,
    i.quantity, i.unit, i.grams, i.calories, i.protein_g, i.carbs_g, i.fat_g, i.fiber_g, i.sugar_g,
    i.confidence_score
from sluice.meal_log_item i
join sluice.meal_log m using (meal_log_id);
comment on view analytics.meal_item is 'The foods and drinks of meals.';
comment on column analytics.meal_item.user_id is 'The user, as the app names it.';
comment on column analytics.meal_item.meal_id is 'The meal it is part of.';
comment on column analytics.meal_item.order_index is 'Its place in the meal, from 0.';
comment on column analytics.meal_item.logged_at is 'When the meal was eaten.';
comment on column analytics.meal_item.food_name is 'As it is shown.';
comment on column analytics.meal_item.food_type is 'food, drink or water.';
comment on column analytics.meal_item.quantity is 'How many of unit.';
comment on column analytics.meal_item.unit is 'g, slices, large eggs, …';
comment on column analytics.meal_item.grams is
    'What that weighs; null for items that a person entered.';
comment on column analytics.meal_item.calories is 'Kilocalories.';
comment on column analytics.meal_item.protein_g is 'Grams.';
comment on column analytics.meal_item.carbs_g is 'Grams, fiber included.';
comment on column analytics.meal_item.fat_g is 'Grams.';
comment on column analytics.meal_item.fiber_g is 'Grams; null if not known.';
comment on column analytics.meal_item.sugar_g is 'Grams; null if not known.';
comment on column analytics.meal_item.confidence_score is '0 to 1; null when a person entered it.';

create view analytics.mood as
select m.user_id, m.mood_id, m.created_at, m.mood, m.intensity, m.note, m.reason, m.tags,
    m.interests, m.voice_note_duration
from sluice.mood m;
comment on view analytics.mood is 'How users felt, in their journal.';
comment on column analytics.mood.user_id is 'The user, as the app names it.';
comment on column analytics.mood.mood_id is 'The app''s id of it.';
comment on column analytics.mood.created_at is 'When the user felt so, by the app''s clock.';
comment on column analytics.mood.mood is 'The user''s word for it.';
comment on column analytics.mood.intensity is '1 to 10; null without.';
comment on column analytics.mood.note is 'Null without.';
comment on column analytics.mood.reason is 'Null without.';
comment on column analytics.mood.tags is 'As sent.';
comment on column analytics.mood.interests is 'As sent.';
comment on column analytics.mood.voice_note_duration is 'Seconds; null without a voice note.';

create view analytics.memory as
select k.user_id, k.keepsake_id as memory_id, k.created_at, k.title, k.description, k.location,
    k.tags
from sluice.keepsake k;
comment on view analytics.memory is 'What users want to remember, in their journal.';
comment on column analytics.memory.user_id is 'The user, as the app names it.';
comment on column analytics.memory.memory_id is 'The app''s id of it.';
comment on column analytics.memory.created_at is 'When it was, by the app''s clock.';
comment on column analytics.memory.title is 'Never blank.';
comment on column analytics.memory.description is 'Null without.';
comment on column analytics.memory.location is 'In the user''s words; null without.';
comment on column analytics.memory.tags is 'As sent.';

create view analytics.calendar_event as
select e.user_id, e.entry_id as calendar_event_id, e.starts_at, e.title, e.description, e.location,
    e.tags, e.created_at
from sluice.calendar_entry e;
comment on view analytics.calendar_event is
    'What is in users'' calendars; the readings of devices are in event.';
comment on column analytics.calendar_event.user_id is 'The user, as the app names it.';
comment on column analytics.calendar_event.calendar_event_id is 'The app''s id of it.';
comment on column analytics.calendar_event.starts_at is 'When it begins.';
comment on column analytics.calendar_event.title is 'Never blank.';
comment on column analytics.calendar_event.description is 'Null without.';
comment on column analytics.calendar_event.location is 'In the user''s words; null without.';
comment on column analytics.calendar_event.tags is 'As sent.';
comment on column analytics.calendar_event.created_at is 'When the server received it.';

create view analytics.file as
select m.user_id, m.path, m.content_type, m.bytes, m.stored_at, f.name, f.kind, f.record_id,
    u.category, u.title, f.is_voice_note, f.width, f.height, f.duration,
    encode(m.digest, 'hex') as sha256
from sluice.media_file m
left join sluice.journal_file f on f.path = m.path
left join sluice.upload u on u.upload_id = f.record_id and f.kind = 'upload'
where not exists (select from sluice.journal_thumbnail t where t.path = m.path);
comment on view analytics.file is
    'Files that users uploaded; their contents are in the media store.';
comment on column analytics.file.user_id is
    'Whose it is; null while no capture names a file that came without a user''s token.';
comment on column analytics.file.path is 'What URLs name, below /media/.';
comment on column analytics.file.content_type is 'What the bytes are.';
comment on column analytics.file.bytes is 'Its size.';
comment on column analytics.file.stored_at is 'When it was stored.';
comment on column analytics.file.name is 'As the app called it; null for files of captures.';
comment on column analytics.file.kind is
    'upload, mood, keepsake (a memory), calendar_entry or profile_picture; null for files of '
    'captures.';
comment on column analytics.file.record_id is
    'The mood, memory or calendar event that it belongs to; null without.';
comment on column analytics.file.category is 'As the app sent it, of an upload; null without.';
comment on column analytics.file.title is 'Of the upload; null without.';
comment on column analytics.file.is_voice_note is 'It is the voice note of a mood.';
comment on column analytics.file.width is 'Pixels; null where the file does not tell.';
comment on column analytics.file.height is 'Pixels; null where the file does not tell.';
comment on column analytics.file.duration is
    'Seconds of sound or film; null where the file does not tell.';
comment on column analytics.file.sha256 is 'Of the content, in hexadecimal.';

-- Metrics: names that somebody gave, and codes that devices sent. From the sums of the last 30 days,
-- which are a hundredth of the readings.
create view analytics.metric as
select code, m.name, m.unit, coalesce(v.devices, 0) as devices,
    coalesce(v.readings, 0) as readings, v.last_seen
from sluice.metric m
full join (
    select h.code, count(distinct h.device_id) as devices, sum(h.readings)::bigint as readings,
        max(h.hour + h.last_minute * interval '1 minute') as last_seen
    from sluice.vital_hours h
    where h.hour >= now() - interval '30 days'
    group by h.code
) v using (code);
comment on view analytics.metric is 'What the codes of measurements mean, and who sends them.';
comment on column analytics.metric.code is 'As devices name it.';
comment on column analytics.metric.name is
    'Its name; null for a code nobody has named: see sluice metric name.';
comment on column analytics.metric.unit is
    'Unit of its values; null as name, and empty for a metric that a device named.';
comment on column analytics.metric.devices is 'How many devices measured it in the last 30 days.';
comment on column analytics.metric.readings is 'How many measurements that were.';
comment on column analytics.metric.last_seen is
    'The minute of the newest of them; null without any.';
