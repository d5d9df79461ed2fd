-- Foods: what the parser of meal logs knows about energy and nutrients.
--
-- The typical foods are in foods.tsv, in the format of `sluice foods print`; its text takes the place
-- of the variable below. All of them are typical values, rounded, as any table of foods or label has
-- them; `sluice foods import` puts those of USDA FoodData Central beside them.

create function sluice.food_terms(name text, synonyms text[]) returns text
    language sql immutable strict parallel safe
    return lower(name || ' ' || array_to_string(synonyms, ' '));
comment on function sluice.food_terms(text, text[]) is
    'All words that a food is called by, lower-cased: what the trigram index is on.';

create table sluice.food (
    food_id uuid not null primary key default gen_random_uuid(),
    name text not null check (length(name) between 1 and 200),
    synonyms text[] not null default '{}',
    food_type text not null check (food_type in ('food', 'drink', 'water')),
    energy_kcal double precision not null check (energy_kcal between 0 and 1000),
    protein_g double precision not null check (protein_g between 0 and 100),
    carbs_g double precision not null check (carbs_g between 0 and 100),
    fat_g double precision not null check (fat_g between 0 and 100),
    fiber_g double precision check (fiber_g between 0 and 100),
    sugar_g double precision check (sugar_g between 0 and 100),
    density double precision not null default 1 check (density > 0 and density < 20),
    unit_names text[] not null default '{}',
    unit_grams double precision[] not null default '{}',
    source text not null default 'typical' check (source in ('typical', 'fdc')),
    fdc_id bigint unique,
    updated_at timestamptz not null default now(),
    check (cardinality(unit_names) = cardinality(unit_grams)),
    check ((source = 'fdc') = (fdc_id is not null))
);
create unique index food_name on sluice.food (lower(name)) where source = 'typical';
comment on table sluice.food is
    'Foods that everybody knows. Rows with source typical are typical values, not measurements.';
comment on column sluice.food.food_id is
    'For source typical made from the name: the same in every database.';
comment on column sluice.food.name is 'What it is called in answers.';
comment on column sluice.food.synonyms is 'Other names, spellings and usual preparations.';
comment on column sluice.food.food_type is 'food, drink or water.';
comment on column sluice.food.energy_kcal is 'Kilocalories in 100 g.';
comment on column sluice.food.protein_g is 'Grams in 100 g.';
comment on column sluice.food.carbs_g is 'Grams in 100 g, fiber included.';
comment on column sluice.food.fat_g is 'Grams in 100 g.';
comment on column sluice.food.fiber_g is 'Grams in 100 g; null: not known.';
comment on column sluice.food.sugar_g is 'Grams in 100 g; null: not known.';
comment on column sluice.food.density is 'Grams a millilitre.';
comment on column sluice.food.unit_names is
    'Household units, singular; the first is the portion that the bare name means.';
comment on column sluice.food.unit_grams is 'Grams of one of each of unit_names.';
comment on column sluice.food.source is 'typical: this table''s own; fdc: USDA FoodData Central.';
comment on column sluice.food.fdc_id is 'Its number in FoodData Central; null for typical.';
comment on column sluice.food.updated_at is 'When the row was last written.';

create table sluice.user_food (
    user_food_id uuid not null primary key default gen_random_uuid(),
    user_id text not null,
    name text not null check (length(name) between 1 and 200),
    synonyms text[] not null default '{}',
    food_type text not null default 'food' check (food_type in ('food', 'drink', 'water')),
    energy_kcal double precision not null check (energy_kcal between 0 and 1000),
    protein_g double precision not null check (protein_g between 0 and 100),
    carbs_g double precision not null check (carbs_g between 0 and 100),
    fat_g double precision not null check (fat_g between 0 and 100),
    fiber_g double precision check (fiber_g between 0 and 100),
    sugar_g double precision check (sugar_g between 0 and 100),
    density double precision not null default 1 check (density > 0 and density < 20),
    unit_names text[] not null default '{}',
    unit_grams double precision[] not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check (cardinality(unit_names) = cardinality(unit_grams))
);
create unique index user_food_name on sluice.user_food (user_id, lower(name));
comment on table sluice.user_food is
    'Foods that one user has entered. Where one has the name of a row of food, it wins.';
comment on column sluice.user_food.user_food_id is 'What user_food_id of an item names.';
comment on column sluice.user_food.user_id is 'Whose it is; nobody else sees it.';
comment on column sluice.user_food.name is 'Unique for a user, whatever the case.';
comment on column sluice.user_food.synonyms is 'Other names for it.';
comment on column sluice.user_food.food_type is 'food, drink or water.';
comment on column sluice.user_food.energy_kcal is 'Kilocalories in 100 g.';
comment on column sluice.user_food.protein_g is 'Grams in 100 g.';
comment on column sluice.user_food.carbs_g is 'Grams in 100 g, fiber included.';
comment on column sluice.user_food.fat_g is 'Grams in 100 g.';
comment on column sluice.user_food.fiber_g is 'Grams in 100 g; null: not known.';
comment on column sluice.user_food.sugar_g is 'Grams in 100 g; null: not known.';
comment on column sluice.user_food.density is 'Grams a millilitre.';
comment on column sluice.user_food.unit_names is
    'Household units, singular; the first is the portion that the bare name means.';
comment on column sluice.user_food.unit_grams is 'Grams of one of each of unit_names.';
comment on column sluice.user_food.created_at is 'When the user entered it.';
comment on column sluice.user_food.updated_at is 'When the user last changed it.';

-- The first two lines are the title and the names of the columns.
insert into sluice.food (
    food_id, name, synonyms, food_type, energy_kcal, protein_g, carbs_g, fat_g, fiber_g, sugar_g,
    density, unit_names, unit_grams)
select
    md5('sluice.food/' || f[1])::uuid,
    f[1],
    array_remove(string_to_array(f[2], ', '), ''),
    f[3],
    f[4]::double precision,
    f[5]::double precision,
    f[6]::double precision,
    f[7]::double precision,
    nullif(f[8], '')::double precision,
    nullif(f[9], '')::double precision,
    coalesce(nullif(f[10], '')::double precision, 1),
    array(
        select split_part(u, '=', 1)
        from unnest(string_to_array(f[11], ' ')) with ordinality as p (u, place) order by place),
    array(
        select split_part(u, '=', 2)::double precision
        from unnest(string_to_array(f[11], ' ')) with ordinality as p (u, place) order by place)
from (
    select string_to_array(line, E'\t') as f
    from string_to_table(:'foods', E'\n') with ordinality as t (line, place)
    where place > 2 and line <> ''
) as lines;

-- Nodes keep everybody's foods in memory; each run of a parser looks here whether they are the same
-- still.
create table sluice.food_version (
    is_only boolean not null primary key default true check (is_only),
    version bigint not null
);
comment on table sluice.food_version is 'One row.';
comment on column sluice.food_version.is_only is 'So that there is one row.';
comment on column sluice.food_version.version is
    'One more with each statement that writes to food.';
insert into sluice.food_version (version) values (1);

create function sluice.note_food_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    update sluice.food_version set version = version + 1;
    return null;
end
$$;
comment on function sluice.note_food_change is 'Trigger of food.';
create trigger food_change after insert or update or delete or truncate on sluice.food
    for each statement execute function sluice.note_food_change();

-- Trigrams make a search by a part of a name quick; nothing else depends on them, for the parser
-- matches in memory. They are looked for again each time this is called, so that an operator whose role
-- may not create extensions can do it later: as a superuser `create extension pg_trgm`, then
-- `select sluice.use_trigrams()`. pg_trgm is a trusted extension: `grant create on database … to …`
-- lets the role do all of it by itself.
create function sluice.use_trigrams() returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    home text;
begin
    if not exists (select from pg_extension e where e.extname = 'pg_trgm') then
        begin
            create extension pg_trgm with schema sluice;
        exception when insufficient_privilege or undefined_file or feature_not_supported
            or invalid_schema_name or undefined_object then
            null;
        end;
    end if;
    select n.nspname into home
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm';
    if home is null then
        raise notice 'pg_trgm is not available: foods are found by parts of their names only. '
            'Create the extension as a superuser, then: select sluice.use_trigrams()';
        create or replace function sluice.food_likeness(query text, terms text) returns real
        language sql immutable parallel safe
        return (case when position(query in terms) > 0
            then length(query)::real / greatest(length(terms), 1) else 0 end)::real;
        create or replace function sluice.search_foods(query text, count integer)
        returns setof sluice.food
        language sql stable
        set search_path = pg_catalog
        as $sql$
            select f.* from sluice.food f
            where position(query in sluice.food_terms(f.name, f.synonyms)) > 0
            order by sluice.food_likeness(query, lower(f.name)) desc, f.source <> 'typical',
                f.name, f.food_id
            limit count
        $sql$;
        return false;
    end if;
    if to_regclass('sluice.food_terms') is null then
        execute format(
            'create index food_terms on sluice.food '
            'using gin (sluice.food_terms(name, synonyms) %I.gin_trgm_ops)', home);
    end if;
    if to_regclass('sluice.user_food_terms') is null then
        execute format(
            'create index user_food_terms on sluice.user_food '
            'using gin (sluice.food_terms(name, synonyms) %I.gin_trgm_ops)', home);
    end if;
    -- Loads it: before that its settings are nobody's, and may not be given to a function.
    execute format('select %I.show_limit()', home);
    execute format($create$
        create or replace function sluice.food_likeness(query text, terms text) returns real
        language sql immutable parallel safe
        return greatest(
            %1$I.word_similarity(query, terms),
            case when position(query in terms) > 0 then 0.7::real else 0::real end)
        $create$, home);
    execute format($create$
        create or replace function sluice.search_foods(query text, count integer)
        returns setof sluice.food
        language sql stable
        set search_path = pg_catalog
        set pg_trgm.word_similarity_threshold = 0.45
        as $sql$
            select f.* from sluice.food f
            where sluice.food_terms(f.name, f.synonyms) operator(%1$I.%%>) query
                or sluice.food_terms(f.name, f.synonyms)
                    like '%%' || regexp_replace(query, '([\\%%_])', '\\\1', 'g') || '%%'
            order by sluice.food_likeness(query, sluice.food_terms(f.name, f.synonyms))
                    + %1$I.similarity(query, lower(f.name)) desc,
                f.source <> 'typical', f.name, f.food_id
            limit count
        $sql$
        $create$, home);
    return true;
end
$$;
comment on function sluice.use_trigrams is
    'Indexes foods by trigrams and searches by them, if pg_trgm is there or can be created.';
do $$ begin perform sluice.use_trigrams(); end $$;
comment on function sluice.food_likeness is
    'How well a lower-cased search fits what a food is called by, from 0 on.';
comment on function sluice.search_foods is
    'Everybody''s foods that a lower-cased search may mean, the likeliest first.';
