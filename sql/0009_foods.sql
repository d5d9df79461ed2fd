-- Foods: what the parser of meal logs knows about energy and nutrients.
--
-- The table of foods stands in the text between the two dollar quotes at the end, and only there:
-- this migration reads it, and so do the parser's tests and benchmark. A line is a food:
--
--   name|synonyms|type|kcal|protein|carbohydrate|fat|fiber|sugar|density|units
--
-- Grams per 100 g; fiber or sugar empty: not known. Density in grams a millilitre, empty: 1. Units
-- are portions, unit=grams; the first is what the bare name means. "with" is the portion of what is
-- added to something else, "splash" that of what is added to a drink.
--
-- All of it are typical values, rounded, as any table of foods or label has them; `sluice foods
-- import` puts those of USDA FoodData Central beside them.

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

-- Trigrams make a search by a part of a name quick. pg_trgm is a trusted extension: who may create
-- in the database may create it. Where that is not so, or its files are missing, the search is a
-- scan of the table; nothing else depends on it, for the parser matches in memory.
do $$
declare
    home text;
begin
    begin
        create extension if not exists pg_trgm with schema sluice;
    exception when insufficient_privilege or undefined_file or feature_not_supported
        or invalid_schema_name or undefined_object then
        raise notice 'pg_trgm is not available: searches for foods will scan the table';
    end;
    select n.nspname into home
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm';
    if home is not null then
        execute format(
            'create index food_terms on sluice.food '
            'using gin (sluice.food_terms(name, synonyms) %I.gin_trgm_ops)', home);
        execute format(
            'create index user_food_terms on sluice.user_food '
            'using gin (sluice.food_terms(name, synonyms) %I.gin_trgm_ops)', home);
    end if;
end
$$;

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
    select string_to_array(line, '|') as f
    from string_to_table($foods$
egg|eggs, whole egg, hen egg, raw egg|food|143|12.6|0.7|9.5|0|0.4||large=50 small=38 medium=44 piece=50 cup=243
fried egg|fried eggs, egg sunny side up, sunny side up egg, egg over easy, over easy egg, pan fried egg|food|196|13.6|0.8|14.8|0|0.4||large=46 small=36 medium=40 piece=46
boiled egg|hard boiled egg, soft boiled egg, hardboiled egg, cooked egg|food|155|12.6|1.1|10.6|0|1.1||large=50 small=37 medium=44 piece=50 cup=136
poached egg||food|143|12.5|0.7|9.5|0|0.4||large=50 small=38 medium=44 piece=50
scrambled eggs|scrambled egg, egg scramble|food|149|10|1.6|11|0|1.4||serving=122 large=61 small=46 medium=54 piece=61 egg=61 cup=220
omelette|omelet, egg omelette, plain omelette|food|154|10.6|0.6|11.7|0|0.3||serving=122 piece=122 egg=61 small=90 large=183
cheese omelette|cheese omelet, omelette with cheese, omelet with cheese|food|190|13|1.2|14.5|0|0.6||serving=150 piece=150 egg=70
vegetable omelette|veggie omelette, veggie omelet, spinach omelette, mushroom omelette|food|128|8.9|2.5|9.1|0.6|1.4||serving=165 piece=165 egg=75
egg white|egg whites, liquid egg whites|food|52|10.9|0.7|0.2|0|0.7||large=33 piece=33 cup=243 tbsp=15
egg yolk|yolk|food|322|15.9|3.6|26.5|0|0.6||large=17 piece=17
deviled egg|devilled egg, deviled eggs|food|201|11.5|1.2|16.2|0|1||piece=31
egg salad||food|250|9.5|1.5|22.5|0|1.2||serving=120 cup=220 scoop=60
whole milk|milk, full fat milk, cow milk, full cream milk, dairy milk, vitamin d milk|drink|61|3.2|4.8|3.3|0|5.1|1.03|cup=244 glass=250 with=120 splash=30 carton=250
2% milk|reduced fat milk, semi skimmed milk, two percent milk, 2% low fat milk|drink|50|3.3|4.8|2|0|4.9|1.03|cup=244 glass=250 with=120 splash=30 carton=250
1% milk|low fat milk, lowfat milk, one percent milk|drink|42|3.4|5|1|0|5|1.03|cup=244 glass=250 with=120 splash=30 carton=250
skim milk|skimmed milk, fat free milk, nonfat milk, non fat milk|drink|34|3.4|5|0.1|0|5|1.03|cup=245 glass=250 with=120 splash=30 carton=250
chocolate milk||drink|83|3.2|10.3|3.4|0.8|9.5|1.03|cup=250 glass=250 carton=250 bottle=400
almond milk|unsweetened almond milk|drink|15|0.6|0.6|1.2|0.2|0||cup=240 glass=250 with=120 splash=30
soy milk|soya milk, soymilk|drink|43|2.6|4.9|1.5|0.2|3.7|1.03|cup=244 glass=250 with=120 splash=30
oat milk|oatmilk|drink|50|1.3|7|2|0.8|3.3|1.03|cup=240 glass=250 with=120 splash=30
coconut milk|canned coconut milk|food|197|2|2.8|21|0|1.5||cup=226 can=400 tbsp=15 splash=15
rice milk||drink|47|0.3|9.2|1|0.3|5.3|1.03|cup=240 glass=250 with=120 splash=30
buttermilk||drink|40|3.3|4.8|0.9|0|4.8|1.03|cup=245 glass=250
kefir|plain kefir|drink|55|3.6|4.8|2.4|0|4.6|1.03|cup=243 glass=250 bottle=250
heavy cream|cream, whipping cream, heavy whipping cream, double cream|food|340|2.8|2.8|36|0|2.9||tbsp=15 cup=238 splash=15
half and half|coffee creamer, creamer, coffee cream, light cream|food|131|3.1|4.3|11.5|0|4.1||tbsp=15 cup=242 splash=15 packet=15 tsp=5
whipped cream|whip cream, cool whip|food|257|3.2|12.5|22.2|0|8||serving=15 tbsp=4 cup=60 splash=15
sour cream||food|198|2.4|4.6|19.4|0|3.5||tbsp=12 cup=230 scoop=30
creme fraiche||food|292|2.4|2.8|30|0|2.8||tbsp=15 cup=230
condensed milk|sweetened condensed milk|food|321|7.9|54.4|8.7|0|54.4||tbsp=19 cup=306
evaporated milk||food|134|6.8|10|7.6|0|10||tbsp=16 cup=252
plain yogurt|yogurt, yoghurt, natural yogurt, whole milk yogurt|food|61|3.5|4.7|3.3|0|4.7|1.03|serving=170 cup=245 bowl=245 container=170 tub=170 tbsp=15 pot=125
greek yogurt|plain greek yogurt, greek yoghurt, nonfat greek yogurt, 0% greek yogurt, fat free greek yogurt|food|73|10|3.9|1.9|0|3.3||container=170 cup=245 bowl=245 tub=170 tbsp=15 pot=170 serving=170
full fat greek yogurt|whole milk greek yogurt|food|97|9|4|5|0|4||container=170 cup=245 bowl=245 tbsp=15
fruit yogurt|strawberry yogurt, flavored yogurt, flavoured yogurt, blueberry yogurt, peach yogurt, vanilla yogurt, low fat fruit yogurt, yogurt cup|food|95|4.2|17|1.3|0|16||container=170 cup=245 bowl=245 pot=125 serving=170
skyr||food|63|11|4|0.2|0|4||container=170 cup=245 pot=150
frozen yogurt|froyo|food|127|3|22|3.6|0|20||serving=120 cup=174 scoop=70 bowl=174
cottage cheese|lowfat cottage cheese|food|98|11.1|3.4|4.3|0|2.7||serving=113 cup=226 bowl=226 scoop=60 tbsp=14
cheddar cheese|cheese, cheddar, sharp cheddar, shredded cheese, grated cheese, block cheese|food|403|22.9|3.1|33.3|0|0.5||slice=28 cup=113 cube=17 tbsp=7 handful=28 piece=28 stick=28
american cheese|processed cheese, cheese slice, kraft singles, cheese single|food|307|16.1|8.8|23.1|0|6.8||slice=21 piece=21
mozzarella|mozzarella cheese, fresh mozzarella|food|280|22.2|2.2|20.3|0|1||slice=28 cup=112 ball=125 piece=28
string cheese|cheese stick, cheese string|food|300|24|2|21.5|0|1||stick=28 piece=28
parmesan|parmesan cheese, parmigiano, grated parmesan|food|420|28.4|13.9|27.8|0|0.1||tbsp=5 cup=100 slice=10
swiss cheese|emmental, gruyere|food|393|27|1.4|31|0|0||slice=28 cup=108
feta|feta cheese, crumbled feta|food|265|14.2|3.9|21.5|0|0.4||serving=28 cup=150 cube=17 slice=28 tbsp=9
goat cheese|chevre|food|364|21.6|0.1|29.8|0|0.1||serving=28 tbsp=14 slice=28
brie|brie cheese, camembert|food|334|20.8|0.5|27.7|0|0.5||slice=28 wedge=28 piece=28
blue cheese|gorgonzola, roquefort|food|353|21.4|2.3|28.7|0|0.5||serving=28 cup=135 tbsp=9
ricotta|ricotta cheese|food|174|11.3|3|13|0|0.3||cup=246 tbsp=15 scoop=60
cream cheese|philadelphia|food|342|6.2|4.1|34.2|0|3.2||tbsp=15 cup=232 packet=28 tsp=5
gouda|gouda cheese, edam|food|356|24.9|2.2|27.4|0|2.2||slice=28
provolone|provolone cheese|food|351|25.6|2.1|26.6|0|0.6||slice=28
halloumi|halloumi cheese, grilled halloumi|food|321|22|2|25|0|2||slice=30 serving=80
paneer||food|321|19|3.5|25|0|2.5||cube=17 serving=100 cup=130
butter|salted butter, unsalted butter|food|717|0.9|0.1|81.1|0|0.1||tbsp=14 tsp=5 pat=5 stick=113 cup=227 with=10 knob=10
ghee|clarified butter|food|876|0.3|0|99.5|0|0||tbsp=13 tsp=4.5
margarine|vegan butter|food|717|0.2|0.7|80.7|0|0||tbsp=14 tsp=5 with=10
ice cream|vanilla ice cream, chocolate ice cream, strawberry ice cream|food|207|3.5|23.6|11|0.7|21.2|0.55|scoop=66 cup=132 bowl=132 cone=80 pint=264 serving=66
ice cream cone|sugar cone ice cream|food|230|3.8|29|11|0.8|22||piece=90
ice cream sandwich||food|237|4|36|9|1|20||piece=63
gelato|italian ice cream|food|186|3.8|25|8|0.5|22||scoop=75 cup=150
sorbet|sherbet|food|138|0.6|33|0.9|0.8|25||scoop=75 cup=150
popsicle|ice lolly, ice pop|food|79|0|19|0.2|0|14||piece=59
chicken breast|chicken, grilled chicken, baked chicken, grilled chicken breast, roast chicken breast, cooked chicken, chicken fillet, shredded chicken, boneless skinless chicken breast, poached chicken|food|165|31|0|3.6|0|0||breast=172 piece=172 slice=30 cup=140 fillet=120 strip=30 serving=120 small=120 medium=150 large=200 with=120
chicken thigh|chicken thighs, roast chicken thigh|food|209|26|0|10.9|0|0||thigh=80 piece=80 serving=100 cup=140
chicken drumstick|drumstick, chicken leg|food|172|28.3|0|5.7|0|0||drumstick=60 piece=60 leg=110
chicken wing|chicken wings, wings, hot wings, buffalo wings|food|254|23|2|17|0|0||serving=150 wing=30 piece=30
roast chicken|rotisserie chicken|food|190|26|0|9.5|0|0||serving=140 quarter=190 slice=30 cup=140 piece=100 leg=110 breast=160 whole=900
fried chicken|kfc chicken, crispy chicken|food|260|22|9|15|0.4|0||piece=130 serving=180 drumstick=75 thigh=120 breast=170 wing=45
chicken nugget|popcorn chicken, chicken nuggets, nuggets, mcnuggets|food|296|15|16|19.5|1|0.5||serving=96 piece=16 nugget=16
chicken tender|chicken tenders, chicken strips, chicken fingers, chicken strip, breaded chicken|food|271|18|17|15|1|0.5||serving=135 piece=45 strip=45
chicken sausage||food|172|17|3|10|0|1||link=85 piece=85
ground chicken|chicken mince, minced chicken|food|189|23|0|10.9|0|0||serving=113 cup=150
chicken salad||food|220|14|3|17|0.5|1.5||serving=120 cup=200 scoop=60 bowl=250
turkey breast|turkey, roast turkey, sliced turkey, roasted turkey|food|135|30|0|0.7|0|0||serving=85 slice=28 cup=140 piece=85
deli turkey|turkey slices, turkey deli meat, lunch meat, turkey cold cuts|food|104|17|4|2|0|3||slice=28 serving=56
ground turkey|turkey mince, minced turkey, lean ground turkey|food|203|27.4|0|10.4|0|0||serving=113 cup=150 patty=113
turkey bacon||food|226|17|3|16|0|2||serving=30 slice=15 strip=15 piece=15 rasher=15
turkey burger|turkey patty|food|207|24|3|11|0.3|0.5||piece=150 patty=113
turkey sausage||food|196|19|2|12|0|1||link=57 patty=40 piece=57
duck|roast duck, duck breast|food|260|20|0|19.5|0|0||serving=120 breast=150 leg=120
beef steak|steak, sirloin, sirloin steak, grilled steak, rump steak, fillet steak, filet mignon, new york strip, flank steak, skirt steak|food|243|27|0|14.5|0|0||steak=200 piece=200 serving=170 small=150 medium=200 large=280 slice=40 strip=25
ribeye steak|ribeye, rib eye steak, rib eye|food|291|24|0|22|0|0||steak=250 piece=250 serving=200
ground beef|minced beef, beef mince, mince, hamburger meat, lean ground beef, cooked ground beef|food|254|26|0|16.5|0|0||serving=113 cup=140 patty=113
beef patty|hamburger patty, burger patty|food|254|25|0|17|0|0||patty=113 piece=113
roast beef|beef, roasted beef, beef roast|food|190|28|0|8|0|0||serving=115 slice=28 cup=140 piece=85
pot roast|beef brisket, brisket|food|240|28|0|14|0|0||serving=150 slice=60 cup=140
beef jerky|jerky|food|410|33|11|26|1.8|9||serving=28 piece=20 stick=20 bag=80 strip=20
corned beef|pastrami|food|220|20|1|15|0|0.5||slice=28 serving=85
meatball|meatballs, beef meatballs|food|235|16|8|15|0.8|1.5||serving=113 piece=28 ball=28
meatloaf|meat loaf|food|210|16|9|12|0.6|3||slice=130 serving=130
beef stew|stew|food|95|8|7|4|1.2|2||serving=300 bowl=350 cup=245
pork chop|grilled pork chop, pork|food|231|26|0|14|0|0||piece=145 chop=145 serving=120 slice=60
pork tenderloin|pork loin, pork fillet|food|147|26|0|4|0|0||serving=113 slice=40
pulled pork|bbq pulled pork|food|195|18|10|9|0.3|8||serving=120 cup=180
ribs|pork ribs, spare ribs, bbq ribs, baby back ribs, rib|food|300|22|6|21|0.2|5||serving=200 piece=50 rack=500 rib=50
bacon|bacon strips, streaky bacon, bacon rasher, crispy bacon|food|541|37|1.4|42|0|0||serving=16 slice=8 strip=8 rasher=20 piece=8
canadian bacon|back bacon|food|146|20|1.5|6.5|0|1||slice=28 piece=28 rasher=28
ham|sliced ham, cooked ham, deli ham, honey ham|food|145|21|1.5|5.5|0|0.5||slice=28 serving=85 cup=140 piece=28
prosciutto|parma ham|food|195|28|0|9|0|0||serving=30 slice=12 piece=12
salami|genoa salami|food|378|22|1.5|31|0|0.5||serving=30 slice=10 piece=10
pepperoni||food|494|23|1|44|0|0||slice=2 piece=2 serving=28
sausage|pork sausage, breakfast sausage, sausage link, sausages, bangers|food|320|17|2|27|0|1||link=50 piece=50 patty=40 serving=75 slice=12 large=85 small=28
bratwurst|brat|food|297|13|3|26|0|1||link=85 piece=85
chorizo||food|455|24|2|38|0|0||link=60 slice=8 serving=50 piece=60
hot dog sausage|frankfurter, wiener, frank|food|290|10|4|26|0|2||piece=50 link=50
lamb chop|lamb, roast lamb, lamb chops, leg of lamb|food|258|25.5|0|16.5|0|0||piece=85 chop=85 serving=120 slice=40
liver|beef liver, chicken liver|food|175|26|4|5|0|0||slice=80 serving=100
salmon|salmon fillet, grilled salmon, baked salmon, cooked salmon, atlantic salmon|food|206|22|0|12.4|0|0||fillet=170 piece=170 serving=150 slice=40 small=120 medium=170 large=220
smoked salmon|lox|food|117|18.3|0|4.3|0|0||serving=57 slice=20 piece=20
tuna|canned tuna, tuna in water, tuna fish|food|116|25.5|0|0.8|0|0||can=120 cup=154 serving=85 packet=74
tuna steak|ahi tuna, seared tuna, grilled tuna|food|184|30|0|6.3|0|0||steak=150 piece=150 serving=150
tuna salad||food|187|16|9.4|9.3|0|3||serving=120 cup=205 scoop=60
cod|baked cod, cod fillet, white fish, fish, haddock, fish fillet, pollock, baked fish, grilled fish|food|105|23|0|0.9|0|0||fillet=150 piece=150 serving=150
tilapia|tilapia fillet|food|128|26|0|2.7|0|0||fillet=110 piece=110 serving=110
halibut|sea bass, snapper, mahi mahi|food|117|22.5|0|2.5|0|0||fillet=150 piece=150 serving=150
trout|rainbow trout|food|168|24|0|7.4|0|0||fillet=120 piece=120 serving=140
mackerel||food|262|24|0|17.8|0|0||fillet=90 piece=90 can=110
sardine|sardines, canned sardines|food|208|24.6|0|11.5|0|0||can=92 piece=12 serving=92
anchovy|anchovies|food|210|29|0|9.7|0|0||piece=4 fillet=4 can=45
shrimp|prawn, prawns, grilled shrimp, shrimps, king prawns|food|99|24|0.2|0.3|0|0||serving=85 piece=12 cup=145 large=12 jumbo=20 small=5 medium=8
crab|crab meat|food|97|19|0|1.5|0|0||serving=85 cup=135 leg=134
lobster||food|89|19|0|0.9|0|0||serving=145 tail=120 piece=145 cup=145
scallop|scallops, seared scallops|food|111|20.5|5.4|0.8|0|0||serving=85 piece=15
mussel|mussels, clam, clams|food|160|23|7|4.3|0|0||serving=100 piece=8 cup=150 bowl=200
oyster|oysters|food|81|9|5|2.3|0|0||serving=84 piece=14
calamari|fried calamari, squid|food|175|18|7.8|7.5|0|0||serving=120 ring=10 piece=10 cup=120
fish stick|fish sticks, fish fingers, fish finger|food|249|12|22|13|1.4|1.5||serving=112 piece=28 stick=28
fried fish|battered fish, breaded fish|food|232|15|17|12|0.5|0||fillet=120 piece=120 serving=120
fish cake|crab cake, fishcake|food|200|15|11|11|0.7|1||piece=80 small=60
tofu|firm tofu, bean curd, silken tofu, extra firm tofu|food|144|15|3.5|8.7|1.5|0.6||serving=100 cup=250 block=350 slice=60 cube=15 piece=60
tempeh||food|192|20.3|7.6|10.8||||serving=85 slice=30 cup=166
seitan||food|140|25|6|2|0.6|0||serving=85
veggie burger|veggie patty, vegetable burger, plant based burger, beyond burger, impossible burger, black bean burger|food|200|17|12|10|4|1.5||patty=100 piece=100
edamame|edamame beans, soybeans, soy beans|food|121|12|8.9|5.2|5.2|2.2||serving=100 cup=155 bowl=155 handful=40
white bread|bread, white toast bread, sandwich bread|food|266|8.9|49|3.3|2.7|5.3||slice=28 piece=28 loaf=450 large=35 small=22
whole wheat bread|wholemeal bread, brown bread, wheat bread, whole grain bread, wholegrain bread, multigrain bread, wholewheat bread, granary bread|food|252|12.5|43|3.5|6|4.4||slice=32 piece=32 loaf=600
sourdough bread|sourdough|food|272|10.8|52|2.4|2.2|4.6||slice=45 piece=45 loaf=600
rye bread|pumpernickel, rye|food|258|8.5|48|3.3|5.8|3.9||slice=32 piece=32
toast|white toast, toasted bread, soldiers, toast soldiers|food|290|9.5|54|3.8|3|5.9||slice=26 piece=26
whole wheat toast|wholemeal toast, brown toast, wheat toast, whole grain toast, wholegrain toast, multigrain toast|food|272|13|46|3.8|6.5|4.9||slice=29 piece=29
sourdough toast||food|295|11.5|56|2.7|2.5|5||slice=42 piece=42
rye toast||food|284|9.4|53|3.6|6.2|4.2||slice=29 piece=29
buttered toast||food|360|8|45|17|2.5|5||slice=32 piece=32
avocado toast|avo toast, smashed avocado toast|food|205|5|22|11|5|2||slice=95 piece=95 serving=95
french toast||food|229|7.7|25|10.8|1.2|7||serving=130 slice=65 piece=65
garlic bread|garlic toast|food|350|8.4|42|16.6|2.5|2||slice=40 piece=40 serving=80
banana bread||food|326|4.3|54.6|10.5|1.1|30||slice=60 piece=60
cornbread|corn bread|food|330|6.6|54|9.6|2.2|18||piece=60 slice=60 square=60
pita|pita bread, pitta, pitta bread, flatbread|food|275|9.1|55.7|1.2|2.2|1.3||piece=60 small=28 large=60 half=30 slice=30
naan|naan bread, garlic naan|food|291|9.6|50|5.7|2.2|3.5||piece=90 half=45 slice=45
chapati|roti|food|297|9.6|46|9|7|2.7||piece=45
flour tortilla|tortilla, wheat tortilla, wrap bread|food|304|8|50|8|3|3.6||piece=45 small=30 medium=45 large=70
corn tortilla|corn tortillas|food|218|5.7|44.6|2.9|6.3|0.9||piece=26 small=20
bagel|plain bagel, everything bagel, sesame bagel, blueberry bagel, cinnamon raisin bagel|food|264|10.6|52.4|1.3|2.2|5.7||piece=100 small=70 medium=100 large=130 mini=26 half=50
bagel with cream cheese|cream cheese bagel, bagel and cream cheese|food|276|8.9|43|8|1.9|5.5||piece=130
english muffin|english muffins|food|227|8.9|44|1.7|3.5|3.5||piece=57 half=29
bun|hamburger bun, burger bun, hot dog bun, bread roll, dinner roll, roll|food|279|9.8|50|4|2|6||piece=45 roll=40 small=28 large=60
baguette|french bread, ciabatta|food|272|10.8|56|2.4|2.4|4.6||slice=40 piece=60 loaf=250 half=125 inch=20
croissant|butter croissant, plain croissant|food|406|8.2|45.8|21|2.6|11.3||piece=57 small=42 large=67 mini=28
chocolate croissant|pain au chocolat|food|420|7.5|45|24|2.8|15||piece=70
brioche||food|370|9|46|17|1.5|10||slice=40 piece=60 bun=60
biscuit|buttermilk biscuit, american biscuit|food|353|7|45|16.5|1.5|4||piece=60 small=35 large=80
scone||food|362|7|49|15|1.8|14||piece=80
muffin|blueberry muffin, chocolate chip muffin, banana muffin, bran muffin|food|375|5|53|16|1.5|28||piece=113 small=66 medium=113 large=139 mini=17
cinnamon roll|cinnamon bun|food|372|6|51|16.5|2|23||piece=85 large=120 roll=85
danish|danish pastry, cheese danish, pastry|food|374|8|37|22|1|15||piece=71
doughnut|donut, glazed donut, donuts, glazed doughnut|food|420|5.5|49|23|1.6|22||piece=60 hole=14
chocolate donut|chocolate doughnut, chocolate glazed donut|food|437|5|51|24.5|2|27||piece=65
waffle|waffles, frozen waffle, belgian waffle|food|291|7.9|33|14|1.5|5||piece=75 small=35 large=120 serving=75
pancake|pancakes, plain pancake, buttermilk pancake, flapjack|food|227|6.4|28|9.7|1|6||serving=114 piece=38 small=22 medium=38 large=77 stack=114
blueberry pancake|blueberry pancakes, chocolate chip pancake|food|235|6|31|9.5|1.2|9||serving=120 piece=40 small=24 large=80
crepe|crepes|food|224|7.4|25|10.5|0.8|7||piece=60 serving=120
cracker|crackers, saltines, saltine, ritz cracker, water cracker|food|460|8|66|18|2.5|6||serving=20 piece=3.5 handful=20 packet=20 cup=60
graham cracker|digestive biscuit, graham crackers|food|430|6.7|77|10|3.4|25||piece=14 sheet=14 serving=28
rice cake|rice cakes, plain rice cake|food|387|8.2|81.5|2.8|4.2|0.9||piece=9
pretzel|pretzels, pretzel sticks|food|381|10|80|2.6|3|2.8||serving=28 piece=3 cup=45 handful=28 bag=40 stick=1
soft pretzel||food|338|8.2|69|3.1|1.7|0.3||piece=115 large=143 small=62
breadstick|bread stick, grissini|food|412|12|68|9.5|3|1.3||piece=10 stick=10 large=40
crouton|croutons|food|407|11.9|73.5|6.6|5.1|0||serving=15 cup=30 handful=10
stuffing|bread stuffing|food|177|3.2|22|8.6|2.9|2||serving=100 cup=140
oatmeal|porridge, cooked oatmeal, oats porridge, cooked oats, instant oatmeal, hot oatmeal, oatmeal porridge|food|71|2.5|12|1.5|1.7|0.3||bowl=234 cup=234 serving=234 packet=160
oats|rolled oats, dry oats, raw oats, uncooked oats, steel cut oats|food|379|13.2|67.7|6.5|10.1|1||serving=40 cup=81 tbsp=6 bowl=60 handful=25
overnight oats||food|126|5.5|18|3.6|2.6|7||serving=250 cup=240 bowl=280 jar=280
granola||food|471|13.7|54|21|7|20||serving=50 cup=90 bowl=60 handful=30 tbsp=8
muesli||food|370|9.7|66|6|8|17||serving=50 cup=85 bowl=60
cereal|breakfast cereal, corn flakes, cornflakes, corn flake, bran flakes, special k|food|370|7.5|84|1|4|9||serving=40 cup=30 bowl=40 box=350
cheerios|cheerio, honey nut cheerios, oat cereal|food|375|12|73|6.7|9.5|15||serving=35 cup=30 bowl=40
frosted flakes|sugary cereal, froot loops, lucky charms, cinnamon toast crunch|food|385|4.5|88|2.5|3|35||serving=40 cup=35 bowl=45
raisin bran||food|325|7.5|78|1.7|11|31||cup=59 bowl=65
rice krispies|puffed rice, rice crispies|food|384|6.8|85|1.6|0.6|11||cup=28 bowl=35
shredded wheat|weetabix, wheat biscuit cereal|food|350|11.5|72|2|11|2.5||piece=19 biscuit=19 cup=49 bowl=49 serving=49
grits|cream of wheat, semolina porridge|food|65|1.5|14|0.5|0.7|0.1||cup=242 bowl=242
polenta||food|80|1.9|17|0.5|1|0.3||serving=200 cup=240 bowl=240
white rice|rice, steamed rice, boiled rice, cooked rice, jasmine rice, basmati rice, sticky rice, plain rice, pilau rice|food|130|2.7|28.2|0.3|0.4|0.1||serving=158 cup=158 bowl=200 plate=200 scoop=80 tbsp=12
brown rice|wholegrain rice, cooked brown rice|food|112|2.6|23.5|0.9|1.8|0.4||serving=150 cup=195 bowl=200 scoop=80 tbsp=12
wild rice||food|101|4|21.3|0.3|1.8|0.7||serving=150 cup=164
fried rice|egg fried rice, chicken fried rice, vegetable fried rice, shrimp fried rice|food|163|4.8|25|4.8|1.1|1||serving=250 cup=170 bowl=280 plate=300
risotto|mushroom risotto|food|150|3.8|21|5.5|0.8|1||serving=280 cup=200 bowl=280 plate=300
rice pudding||food|122|3.3|19|3.6|0.3|13||serving=150 cup=200 bowl=200 pot=150
quinoa|cooked quinoa|food|120|4.4|21.3|1.9|2.8|0.9||serving=150 cup=185 bowl=185 scoop=80
couscous||food|112|3.8|23.2|0.2|1.4|0.1||serving=157 cup=157 bowl=200
bulgur|bulgur wheat|food|83|3.1|18.6|0.2|4.5|0.1||serving=150 cup=182
barley|pearl barley, farro|food|123|2.3|28.2|0.4|3.8|0.3||serving=157 cup=157
pasta|spaghetti, cooked pasta, penne, fettuccine, linguine, macaroni, fusilli, plain pasta, noodle pasta, rigatoni|food|158|5.8|30.9|0.9|1.8|0.6||serving=200 cup=140 bowl=220 plate=250
whole wheat pasta|wholemeal pasta, whole wheat spaghetti, wholewheat pasta|food|149|6|30|1.7|3.9|0.7||serving=200 cup=140 bowl=220 plate=250
spaghetti bolognese|spaghetti with meat sauce, pasta bolognese, spag bol, pasta with meat sauce, bolognese, spaghetti and meat sauce|food|132|6.8|15|4.9|1.5|2.6||serving=350 bowl=350 plate=350 cup=248
spaghetti and meatballs|spaghetti with meatballs, spaghetti meatballs|food|138|6.8|14.5|5.7|1.6|3||serving=350 bowl=350 plate=350 cup=248
pasta with tomato sauce|spaghetti with tomato sauce, pasta marinara, spaghetti marinara, pasta pomodoro, pasta with marinara, pasta with marinara sauce, spaghetti with marinara|food|110|3.7|19.5|2|1.9|3.2||serving=320 bowl=320 plate=320 cup=248
carbonara|spaghetti carbonara, pasta carbonara|food|195|8.5|20|9|1|1||serving=300 bowl=300 plate=300 cup=220
fettuccine alfredo|alfredo pasta, pasta alfredo, chicken alfredo|food|185|6.5|17|10|1|1.2||serving=320 bowl=320 plate=320 cup=230
pesto pasta|pasta with pesto, pasta pesto|food|215|6.5|24|10.5|1.7|1||serving=280 bowl=280 plate=280 cup=200
mac and cheese|macaroni and cheese, mac n cheese, macaroni cheese, kraft dinner, mac cheese|food|164|6.8|17|7.5|1|2.5||serving=250 cup=200 bowl=280 plate=300
lasagna|lasagne, beef lasagna, meat lasagna, vegetable lasagna|food|135|7.9|12.5|6|1.2|2.8||piece=250 slice=250 serving=250 square=250
ravioli|cheese ravioli, tortellini, cheese tortellini|food|170|7.5|23|5.2|1.5|1.5||serving=220 cup=180 piece=15 bowl=250 plate=250
gnocchi||food|150|3.5|32|0.8|1.8|0.6||serving=200 cup=150
pasta salad|macaroni salad|food|170|4|21|7.8|1.5|3||serving=180 cup=200 bowl=220
egg noodles|noodles, noodle, cooked noodles|food|138|4.5|25.2|2.1|1.2|0.4||serving=200 cup=160 bowl=250 plate=250
rice noodles|rice noodle, vermicelli|food|108|1.8|24|0.2|1|0||serving=200 cup=176 bowl=250
ramen|instant noodles, ramen noodles, cup noodles, instant ramen, cup noodle, noodle soup, cup of noodles|food|85|2.8|12|2.9|0.6|0.5||serving=450 bowl=500 packet=450 cup=300 pack=450
pho|beef pho, vietnamese noodle soup|food|65|4.3|8.2|1.6|0.4|0.8||serving=600 bowl=600
pad thai||food|165|7|22|5.5|1.3|6||serving=300 plate=350 cup=200 bowl=300
lo mein|chow mein, stir fried noodles, chicken chow mein, chicken lo mein|food|150|6|18.5|5.7|1.5|2||serving=280 cup=200 plate=320 bowl=280
potato|boiled potato, potatoes, boiled potatoes, new potatoes, steamed potatoes|food|87|1.9|20.1|0.1|1.8|0.9||serving=150 medium=150 small=110 large=250 piece=150 cup=156
baked potato|jacket potato|food|93|2.5|21.2|0.1|2.2|1.2||medium=173 small=138 large=299 piece=173
mashed potatoes|mashed potato, mash, potato mash|food|106|1.9|16|3.9|1.5|1.5||serving=150 cup=210 scoop=75 bowl=210 tbsp=20
roast potatoes|roasted potatoes, roast potato, potato wedges, wedges, roasted potato, home fries, breakfast potatoes|food|149|2.8|24|5|2.4|1.2||serving=150 cup=150 piece=40 wedge=25
french fries|fries, french fry, potato fries, waffle fries, curly fries, steak fries, shoestring fries|food|312|3.4|41|15|3.8|0.3||serving=117 small=71 medium=117 large=154 cup=80 handful=50 bag=117 basket=170
sweet potato fries||food|270|2.5|37|12.5|4.5|10||serving=120 small=80 large=160 cup=80
hash brown|hash browns, hashbrown|food|265|3|35|12.5|3.2|1.5||piece=60 patty=60 cup=156 serving=120
tater tots|tater tot, potato croquette|food|190|2|25|9|2.2|0.5||serving=85 piece=9 cup=120
potato salad||food|143|2.7|11.2|8.2|1.3|2||serving=150 cup=250 scoop=75
sweet potato|sweet potatoes, baked sweet potato, yam, roasted sweet potato|food|90|2|20.7|0.2|3.3|6.5||medium=130 small=80 large=180 piece=130 cup=200 serving=130
potato chips|chips, crisps, lays, pringles, potato crisps, kettle chips|food|536|7|53|35|4.8|0.4||bag=28 handful=20 serving=28 cup=25 piece=2 packet=28 large=60 small=28 can=130
tortilla chips|tortilla chip, corn chips, doritos, nacho chips|food|489|7|65|22|5|1||serving=28 handful=20 bag=28 cup=26 piece=2.5 bowl=50
popcorn|air popped popcorn, buttered popcorn, movie popcorn|food|450|9|57|22|10|0.8||serving=30 cup=9 bag=80 bowl=30 handful=6 small=60 medium=90 large=140
cheese puffs|cheetos, cheese curls|food|560|6|53|36|1.5|3||serving=28 bag=28 handful=15 cup=20
pita chips|bagel chips|food|457|12|68|15|4|2||serving=28 handful=20 bag=40 cup=35
nachos|nachos with cheese, loaded nachos|food|300|8|30|16.5|3.5|2||serving=200 plate=250
banana|bananas|food|89|1.1|22.8|0.3|2.6|12.2||medium=118 small=101 large=136 piece=118 cup=150 slice=6 half=59
apple|apples, red apple, green apple, gala apple, fuji apple, apple slices, granny smith|food|52|0.3|13.8|0.2|2.4|10.4||medium=182 small=149 large=223 piece=182 cup=125 slice=20 half=91
orange|oranges, navel orange|food|47|0.9|11.8|0.1|2.4|9.4||medium=131 small=96 large=184 piece=131 cup=180 slice=15 wedge=15 half=65
mandarin|tangerine, clementine, satsuma, mandarin orange, cutie|food|53|0.8|13.3|0.3|1.8|10.6||medium=88 small=76 large=120 piece=76 cup=195
grapefruit||food|42|0.8|10.7|0.1|1.6|6.9||medium=246 half=123 piece=246 small=200 large=300 cup=230
lemon|lemon slice, lemon wedge|food|29|1.1|9.3|0.3|2.8|2.5||slice=8 medium=58 wedge=8 piece=58 splash=5 squeeze=5 small=45 large=84
lime|lime wedge|food|30|0.7|10.5|0.2|2.8|1.7||slice=8 medium=67 wedge=8 piece=67 squeeze=5
strawberry|strawberries, fresh strawberries|food|32|0.7|7.7|0.3|2|4.9||serving=150 cup=150 piece=12 small=7 medium=12 large=18 handful=60 bowl=150 with=75
blueberry|blueberries, fresh blueberries|food|57|0.7|14.5|0.3|2.4|10||serving=100 cup=148 piece=1.4 handful=40 bowl=148 tbsp=9 with=50
raspberry|raspberries|food|52|1.2|11.9|0.7|6.5|4.4||serving=100 cup=123 piece=4 handful=40 with=50
blackberry|blackberries|food|43|1.4|9.6|0.5|5.3|4.9||serving=100 cup=144 piece=5 handful=40 with=50
mixed berries|berries, berry, berry mix, frozen berries|food|48|0.9|11.5|0.4|4|7||serving=100 cup=140 handful=40 bowl=140 with=60
grape|grapes, red grapes, green grapes|food|69|0.7|18.1|0.2|0.9|15.5||serving=120 cup=151 piece=5 handful=50 bunch=150 bowl=151
watermelon|watermelon slice|food|30|0.6|7.6|0.2|0.4|6.2||serving=280 cup=152 slice=286 wedge=286 piece=286 cube=10 bowl=200 whole=4500
cantaloupe|melon, honeydew, honeydew melon, rockmelon|food|34|0.8|8.2|0.2|0.9|7.9||serving=160 cup=160 slice=69 wedge=69 half=270
pineapple|pineapple chunks, fresh pineapple|food|50|0.5|13.1|0.1|1.4|9.9||serving=165 cup=165 slice=84 ring=84 piece=84 chunk=20
mango|mangoes, mangos|food|60|0.8|15|0.4|1.6|13.7||piece=207 cup=165 medium=207 slice=20 half=104 small=150 large=300
peach|peaches, nectarine|food|42|0.9|10.1|0.3|1.5|8.4||medium=150 small=130 large=175 piece=150 cup=154 slice=15 can=410 half=75
pear|pears|food|57|0.4|15.2|0.1|3.1|9.8||medium=178 small=148 large=230 piece=178 cup=140 slice=20 half=89
plum|plums|food|46|0.7|11.4|0.3|1.4|9.9||piece=66 medium=66 cup=165 small=50 large=85
apricot|apricots|food|48|1.4|11.1|0.4|2|9.2||piece=35 cup=155
cherry|cherries, sweet cherries|food|63|1.1|16|0.2|2.1|12.8||serving=100 cup=138 piece=8 handful=50 bowl=138
kiwi|kiwis, kiwifruit, kiwi fruit|food|61|1.1|14.7|0.5|3|9||piece=69 medium=69 cup=180 small=60 large=90 slice=10
pomegranate|pomegranate seeds|food|83|1.7|18.7|1.2|4|13.7||serving=87 cup=174 piece=282 half=87 tbsp=11
papaya||food|43|0.5|10.8|0.3|1.7|7.8||cup=145 small=157 piece=157 slice=50
fig|figs, fresh fig|food|74|0.8|19.2|0.3|2.9|16.3||piece=50 medium=50
date|dates, medjool date, medjool dates|food|277|1.8|75|0.2|6.7|66.5||piece=24 cup=147
raisins|raisin, sultanas, currants|food|299|3.1|79.2|0.5|3.7|59.2||serving=40 tbsp=9 box=43 cup=145 handful=30 with=20
dried apricot|dried apricots|food|241|3.4|62.6|0.5|7.3|53.4||serving=40 piece=8 cup=130 handful=40
dried cranberries|craisins, dried cranberry|food|325|0.2|82|1.4|5.7|65||serving=40 tbsp=8 cup=120 handful=30 with=20
prune|prunes|food|240|2.2|63.9|0.4|7.1|38.1||serving=40 piece=10 cup=174
dried mango|dried fruit, dried fruit mix|food|319|2.4|78|1.2|2.4|66||serving=40 piece=15 handful=35 cup=120 bag=85
coconut|shredded coconut, coconut flakes|food|354|3.3|15.2|33.5|9|6.2||tbsp=5 cup=80 piece=45
fruit salad|mixed fruit, fruit, fruit cup, fresh fruit, fruit bowl|food|50|0.7|12.5|0.2|1.8|9.5||serving=160 cup=160 bowl=200 piece=140 pot=140
applesauce|apple sauce|food|50|0.2|12|0.1|1.2|9.8||serving=113 cup=244 pouch=90 tbsp=15
acai bowl|smoothie bowl|food|110|2|20|3|3|13||serving=350 bowl=350
avocado|avocados, avo, hass avocado|food|160|2|8.5|14.7|6.7|0.7||half=68 piece=136 medium=136 small=100 large=170 slice=15 cup=150 quarter=34 tbsp=15 with=50
guacamole|guac|food|155|2|8.5|14|6|0.8||serving=60 tbsp=15 cup=240 scoop=50
broccoli|steamed broccoli, broccoli florets|food|35|2.4|7.2|0.4|3.3|1.4||serving=100 cup=156 floret=11 head=350 stalk=150 bowl=156 spear=30
cauliflower|steamed cauliflower, roasted cauliflower|food|25|1.9|5|0.3|2|1.9||serving=100 cup=107 floret=13 head=575
cauliflower rice||food|25|2|4.5|0.3|2|2||serving=107 cup=107 bowl=160
carrot|carrots, baby carrots, raw carrot, carrot sticks, baby carrot, cooked carrots|food|41|0.9|9.6|0.2|2.8|4.7||serving=80 medium=61 small=50 large=72 piece=61 cup=122 stick=8 handful=60 baby=10
spinach|baby spinach, raw spinach, fresh spinach|food|23|2.9|3.6|0.4|2.2|0.4||cup=30 handful=30 serving=60 bag=170 leaf=10 bowl=60
cooked spinach|sauteed spinach, creamed spinach, steamed spinach|food|36|3|3.8|1.5|2.4|0.4||serving=120 cup=180 side=120
kale|kale salad, raw kale|food|35|2.9|4.4|1.5|4.1|1||cup=21 handful=20 serving=67 leaf=20 bowl=67
lettuce|romaine, iceberg lettuce, romaine lettuce, salad leaves|food|15|1.4|2.9|0.2|1.3|0.8||leaf=10 cup=47 serving=50 handful=25 head=500 slice=10 piece=10 bowl=90
mixed greens|salad greens, spring mix, arugula, rocket, greens, leafy greens|food|20|2|3.3|0.3|2|1||cup=30 handful=30 serving=60 bowl=85
cabbage|steamed cabbage, red cabbage|food|25|1.3|5.8|0.1|2.5|3.2||serving=100 cup=89 leaf=23 wedge=90
sauerkraut|kimchi|food|19|0.9|4.3|0.1|2.9|1.8||serving=70 cup=142 tbsp=15
brussels sprouts|brussel sprout, roasted brussels sprouts, sprouts|food|43|3.4|9|0.3|3.8|2.2||serving=100 cup=88 piece=19
green beans|string beans, green bean, french beans, haricots verts|food|35|1.9|7.9|0.3|3.2|3.6||serving=100 cup=125 handful=50
peas|green peas, garden peas, pea|food|81|5.4|14.5|0.4|5.5|5.7||serving=80 cup=160 tbsp=10
snow peas|sugar snap peas, snap peas, mangetout|food|42|2.8|7.5|0.2|2.6|4||serving=80 cup=98 handful=40 piece=3
corn|sweet corn, sweetcorn, corn on the cob, corn cob, corn kernels|food|96|3.4|21|1.5|2.4|4.5||ear=103 cup=154 serving=100 piece=103 cob=103 can=250 tbsp=10
tomato|tomatoes, sliced tomato, roma tomato, tomato slices|food|18|0.9|3.9|0.2|1.2|2.6||medium=123 small=91 large=182 slice=20 piece=123 cup=180 half=62 wedge=31
cherry tomato|cherry tomatoes, grape tomato, grape tomatoes|food|18|0.9|3.9|0.2|1.2|2.6||serving=85 cup=149 piece=17 handful=85
sun dried tomato|sundried tomatoes|food|258|14|56|3|12|37||piece=2 tbsp=7 cup=54 serving=10
canned tomatoes|chopped tomatoes, tinned tomatoes, diced tomatoes|food|20|1|4.2|0.2|1.2|2.8||can=400 cup=240 serving=120
cucumber|cucumbers, cucumber slices|food|15|0.7|3.6|0.1|0.5|1.7||serving=52 cup=104 slice=7 piece=300 half=150 medium=300 small=160 stick=8
pickle|pickles, dill pickle, gherkin, pickle spear|food|12|0.5|2.4|0.3|1|1.1||spear=35 piece=65 slice=7 small=37 large=135
bell pepper|red pepper, green pepper, yellow pepper, capsicum, peppers, pepper strips, sweet pepper|food|28|1|6.2|0.3|2|4||serving=60 medium=119 small=74 large=164 piece=119 cup=149 slice=10 strip=7 half=60 ring=10
jalapeno|chili pepper, chilli, hot pepper|food|29|0.9|6.5|0.4|2.8|4.1||piece=14 slice=2
onion|onions, red onion, white onion, chopped onion, sliced onion|food|40|1.1|9.3|0.1|1.7|4.2||serving=40 medium=110 small=70 large=150 slice=14 cup=160 piece=110 tbsp=10 ring=6 with=20
green onion|scallion, spring onion, scallions, chives|food|32|1.8|7.3|0.2|2.6|2.3||piece=15 tbsp=6 cup=100 stalk=15
onion rings|onion ring|food|400|5|40|24|2.5|5||serving=85 piece=10 ring=10
garlic|garlic clove|food|149|6.4|33|0.5|2.1|1||clove=3 tsp=3 tbsp=9 piece=3
ginger|ginger root|food|80|1.8|17.8|0.8|2|1.7||tsp=2 slice=2 tbsp=6 piece=10
mushroom|mushrooms, button mushrooms, sauteed mushrooms, portobello mushroom|food|28|3|4.5|0.5|1.2|2||serving=50 cup=96 piece=18 slice=4 handful=50 medium=18 large=85 portobello=85 small=10
zucchini|courgette, courgettes|food|17|1.2|3.1|0.3|1|2.5||medium=196 small=118 large=323 cup=124 serving=120 piece=196 slice=10
zucchini noodles|zoodles|food|19|1.2|3.3|0.3|1|2.5||serving=200 cup=113 bowl=200
eggplant|aubergine, grilled eggplant|food|35|0.8|8.7|0.2|2.5|3.2||serving=100 cup=99 slice=30 piece=458 medium=458
asparagus|asparagus spears, grilled asparagus|food|22|2.4|4.1|0.2|2|1.3||serving=90 spear=15 cup=180 piece=15 bunch=250
celery|celery stick, celery sticks, celery stalk|food|16|0.7|3|0.2|1.6|1.3||serving=60 stalk=40 stick=17 cup=101 piece=40
beet|beets, beetroot, roasted beets|food|44|1.7|10|0.2|2|8||serving=85 cup=136 piece=82 slice=15 medium=82
radish|radishes|food|16|0.7|3.4|0.1|1.6|1.9||piece=4.5 cup=116 serving=50
leek|leeks|food|61|1.5|14|0.3|1.8|3.9||piece=89 cup=89 medium=89
pumpkin|butternut squash, squash, roasted squash, roasted pumpkin|food|40|1|10.5|0.1|3.2|2||serving=150 cup=205 slice=80
spaghetti squash||food|31|0.6|7|0.6|1.5|2.8||serving=155 cup=155
artichoke|artichoke heart, artichoke hearts|food|53|2.9|12|0.3|5.7|1||medium=120 piece=120 heart=20 serving=80 cup=168
okra||food|33|1.9|7.5|0.2|3.2|1.5||serving=80 cup=100
bok choy|pak choi|food|13|1.5|2.2|0.2|1|1.2||serving=100 cup=70 head=150
seaweed|nori, seaweed snack|food|306|30|48|4||||sheet=3 serving=5 pack=5 piece=1
mixed vegetables|vegetables, steamed vegetables, veggies, frozen vegetables, vegetable medley, veg, vegetable|food|65|3|13|0.3|4.2|3||serving=100 cup=150 bowl=150 side=100
roasted vegetables|grilled vegetables, roast vegetables, roasted veggies, grilled veggies|food|80|2|11|3.5|3|5||serving=150 cup=150 bowl=200
stir fried vegetables|vegetable stir fry, stir fry vegetables, veggie stir fry|food|75|2.5|9|3.4|2.8|4||serving=200 cup=150 bowl=250 plate=250
olive|olives, black olives, green olives, kalamata olives|food|130|0.9|5|12.5|3|0||serving=20 piece=4 cup=135 handful=25 tbsp=8 large=6
capers||food|23|2.4|4.9|0.9|3.2|0.4||tbsp=9 tsp=3
black beans|black bean|food|132|8.9|23.7|0.5|8.7|0.3||serving=86 cup=172 can=250 tbsp=12 scoop=60
kidney beans|red beans, kidney bean, beans, pinto beans, white beans, navy beans, cannellini beans, butter beans|food|127|8.7|22.8|0.5|6.4|0.3||serving=89 cup=177 can=250 tbsp=12 scoop=60
baked beans|beans in tomato sauce, heinz beans|food|94|4.8|21|0.4|4|8||serving=130 cup=254 can=415 tbsp=16
refried beans||food|92|5.4|15|1.2|5|0.5||serving=120 cup=238 can=454 scoop=60
chickpeas|chickpea, garbanzo beans, garbanzos|food|164|8.9|27.4|2.6|7.6|4.8||serving=82 cup=164 can=240 tbsp=10 handful=30
lentils|lentil, cooked lentils, red lentils, green lentils|food|116|9|20.1|0.4|7.9|1.8||serving=99 cup=198 bowl=198 can=240
dal|dhal, daal, lentil curry, lentil dal|food|105|5.6|13.5|3.3|3.8|1.5||serving=200 cup=200 bowl=250
hummus|houmous|food|177|7.5|17|9.5|5.5|0.5||serving=30 tbsp=15 cup=246 scoop=30 tub=200
falafel|falafels|food|333|13.3|31.8|17.8|4.9|2||serving=68 piece=17 ball=17
lentil soup||food|60|3.8|9|1.1|2.5|1.2||serving=248 bowl=350 cup=248 can=400
chicken soup|chicken noodle soup, chicken broth soup, chicken and noodle soup|food|38|2.8|3.9|1.2|0.4|0.4||serving=300 bowl=350 cup=241 can=400 mug=300
tomato soup|cream of tomato soup|food|45|1.1|8.5|1.1|0.8|5.2||serving=300 bowl=350 cup=248 can=400 mug=300
vegetable soup|minestrone, minestrone soup, soup, veggie soup|food|40|1.5|7|0.9|1.3|2||serving=300 bowl=350 cup=241 can=400 mug=300
cream of mushroom soup|mushroom soup|food|55|1.2|5|3.6|0.3|0.7||serving=300 bowl=350 cup=248 can=400
clam chowder|chowder, corn chowder|food|75|3.5|7.5|3.5|0.6|1.5||serving=300 bowl=350 cup=248 can=400
miso soup||food|21|1.4|2.5|0.7|0.5|0.8||serving=240 bowl=240 cup=240
pumpkin soup|butternut squash soup, squash soup, carrot soup|food|50|0.9|7.5|2|1.3|3||serving=300 bowl=350 cup=245 mug=300
pea soup|split pea soup|food|70|4.2|11|1.1|2.2|1.5||serving=300 bowl=350 cup=248 can=400
french onion soup|onion soup|food|60|3|5.5|2.9|0.6|2||serving=300 bowl=350 cup=245
potato soup|leek and potato soup, potato leek soup|food|65|1.6|9|2.6|0.9|1.5||serving=300 bowl=350 cup=245
broth|chicken broth, bone broth, beef broth, bouillon, stock|food|9|1.2|0.6|0.2|0|0.3||cup=240 mug=300 bowl=300
chili|chili con carne, chilli con carne, beef chili, turkey chili, bean chili|food|107|7.5|9.5|4.4|2.9|2||serving=300 bowl=350 cup=253 can=400
gazpacho||food|35|0.8|4.5|1.6|0.8|3||bowl=300 cup=244
pizza|cheese pizza, margherita pizza, pizza margherita, plain pizza|food|266|11.4|33.3|9.7|2.3|3.6||serving=214 slice=107 piece=107 small=350 medium=600 large=900 personal=250 whole=700
pepperoni pizza|pizza with pepperoni, sausage pizza, meat pizza|food|285|12|32|12|2.2|3.5||serving=222 slice=111 piece=111 small=380 medium=650 large=950 personal=260 whole=750
vegetable pizza|veggie pizza, vegetarian pizza, mushroom pizza|food|240|10|31|8.5|2.6|3.8||serving=240 slice=120 piece=120 small=380 medium=650 large=950 whole=750
hawaiian pizza|ham and pineapple pizza|food|250|11|31|9|2|5||serving=236 slice=118 piece=118 whole=800
calzone|stromboli|food|265|11|31|10.5|1.8|3||piece=250 half=125
hamburger|burger, beef burger|food|254|13.3|30|9.2|1.3|5||piece=150 small=105 large=220
cheeseburger|burger with cheese, hamburger with cheese, bacon cheeseburger|food|263|13.5|27|11.8|1.2|5||piece=165 small=119 large=230
double cheeseburger|double burger|food|270|15|22|13.5|1.1|4.5||piece=200
big mac||food|257|12|20|15|1.5|4||piece=219
whopper||food|243|10.3|18.2|14.8|1|4||piece=270
quarter pounder|quarter pounder with cheese|food|260|15|21|13|1|5||piece=200
chicken sandwich|crispy chicken sandwich, fried chicken sandwich, chicken burger, mcchicken, zinger burger, spicy chicken sandwich|food|250|13.5|24.5|10.8|1.3|4||piece=180
grilled chicken sandwich|grilled chicken burger|food|190|17|20|4.5|1.4|4.5||piece=200
hot dog|hotdog, hot dogs, hot dog with bun, chili dog|food|290|10.5|22|17.5|1|3.5||piece=98
corn dog|corndog|food|250|8|28|12|1.5|7||piece=90
sandwich|deli sandwich|food|240|11|27|9.5|1.8|3.5||piece=180 half=90
ham sandwich||food|230|13|26|8|1.6|3.5||piece=150 half=75
ham and cheese sandwich|ham cheese sandwich, ham and cheese toastie, ham and cheese panini|food|260|14|24|12|1.4|3.5||piece=165 half=82
turkey sandwich|turkey and cheese sandwich, turkey cheese sandwich, turkey club|food|205|13|23|7|1.6|3.5||piece=180 half=90
tuna sandwich|tuna salad sandwich, tuna melt, tuna fish sandwich|food|235|13|22|10.5|1.4|3||piece=180 half=90
egg sandwich|egg salad sandwich, fried egg sandwich|food|245|10|23|12.5|1.2|3||piece=160 half=80
breakfast sandwich|egg mcmuffin, sausage egg and cheese, bacon egg and cheese, bacon egg and cheese sandwich, egg and cheese sandwich, sausage mcmuffin, sausage egg and cheese sandwich, bacon egg cheese, egg muffin|food|245|13|20|12.5|1.1|3||piece=150
blt|blt sandwich, bacon lettuce and tomato sandwich, bacon lettuce tomato sandwich|food|240|9.5|22|12.5|1.6|3.5||piece=165 half=82
bacon sandwich|bacon roll, bacon butty|food|310|14|29|15|1.5|3||piece=120
club sandwich||food|225|13|20|10.5|1.3|3||piece=250 half=125
grilled cheese sandwich|grilled cheese, cheese toastie, toasted cheese sandwich, cheese sandwich|food|340|12.5|28|20|1.4|4||piece=120 half=60
peanut butter and jelly sandwich|pb&j, pbj, pb and j, peanut butter and jam sandwich, peanut butter jelly sandwich, pb&j sandwich, pb and j sandwich, peanut butter and jelly, pbj sandwich|food|350|11|46|14.5|3.6|18||piece=105 half=52
peanut butter sandwich|peanut butter toast|food|370|14|38|19|4.2|7||piece=90 slice=45 half=45
steak sandwich|philly cheesesteak, cheesesteak, roast beef sandwich, french dip|food|230|14|21|10|1.2|3||piece=230 half=115 inch=38
pulled pork sandwich|bbq sandwich|food|225|13|25|8|1|10||piece=210
sub sandwich|sub, hoagie, italian sub, subway sandwich, turkey sub|food|205|10.5|24|7.5|1.6|3.5||piece=230 inch=38 footlong=460 half=115
meatball sub|meatball sandwich|food|225|10.5|24|9.5|2|5||piece=280 inch=47 footlong=560
veggie sandwich|vegetable sandwich, vegetarian sandwich|food|190|7|26|6.5|3|4||piece=190 half=95
gyro|doner kebab, doner, shawarma, chicken shawarma, kebab|food|220|12|19|10.5|1.4|2.5||piece=350 wrap=350 plate=400
wrap|chicken wrap, chicken caesar wrap, turkey wrap, veggie wrap, tuna wrap, grilled chicken wrap|food|220|12.5|21|9.5|1.6|2||piece=220 half=110
burrito|beef burrito, bean burrito, chicken burrito, steak burrito, bean and cheese burrito, chimichanga|food|200|9|24|7.5|3|1.5||piece=280 small=180 large=450 half=140
breakfast burrito|egg burrito|food|225|10|20|11.5|1.5|1.5||piece=220
burrito bowl|chicken burrito bowl, chipotle bowl, taco bowl, rice bowl, chicken bowl, poke bowl, buddha bowl, grain bowl|food|145|9|15|5.5|3|1.5||serving=500 bowl=500 piece=500
taco|tacos, beef taco, chicken taco, fish taco, hard shell taco, soft taco, shrimp taco, carnitas taco|food|220|10|18|12|2.8|1.5||piece=95 small=70 large=130
quesadilla|cheese quesadilla, chicken quesadilla|food|275|13|24|14|1.8|1.5||piece=180 half=90 slice=45 wedge=45 serving=180
enchilada|enchiladas, chicken enchilada, cheese enchilada|food|165|8.5|14.5|8|2.2|2||serving=300 piece=150
fajita|fajitas, chicken fajita, chicken fajitas, steak fajitas|food|160|10|15|6.5|1.8|2||serving=260 piece=130
tamale|tamales|food|175|6|19|8.5|2.5|1||piece=140
empanada|samosa, samosas|food|300|8|31|16|2|2||piece=85
fish and chips|fish n chips|food|225|10|23|10.5|2|0.5||serving=400 plate=400
chicken and rice|rice and chicken, chicken with rice, chicken rice|food|140|11|16|3.2|0.6|0.4||serving=350 bowl=350 plate=350 cup=200
rice and beans|beans and rice, red beans and rice|food|125|4.5|22.5|1.8|3.8|0.5||serving=250 cup=200 bowl=300 plate=350
shepherd's pie|shepherds pie, cottage pie|food|115|6.5|10.5|5.2|1.3|1.5||serving=300 cup=240 piece=300 slice=250
chicken pot pie|pot pie, chicken pie, meat pie, steak pie|food|223|7.5|20|12.5|1|2||piece=250 slice=200 serving=250
quiche|quiche lorraine, spinach quiche|food|255|9.5|15.5|17.5|0.7|2||slice=150 piece=150 whole=900
casserole|tuna casserole, green bean casserole, chicken casserole|food|135|7|12|6.5|1.2|2||serving=250 cup=230 bowl=280
chicken curry|curry, thai curry, chicken korma, green curry, red curry, beef curry, lamb curry, vindaloo|food|135|10.5|6.5|7.5|1.5|2.5||serving=250 cup=240 bowl=300 plate=350
chicken tikka masala|tikka masala, butter chicken|food|150|11.5|6.5|8.8|1.2|3.5||serving=250 cup=240 bowl=300 plate=350
vegetable curry|veggie curry, chickpea curry, chana masala, palak paneer, saag paneer|food|115|4|12|5.8|3.5|3.5||serving=250 cup=240 bowl=300
biryani|chicken biryani, pilaf, rice pilaf|food|165|7.5|21|5.5|1|1||serving=300 cup=200 plate=350 bowl=300
stir fry|chicken stir fry, beef stir fry, chicken vegetable stir fry, tofu stir fry, shrimp stir fry|food|115|10.5|7|5|1.7|3||serving=280 cup=200 bowl=300 plate=350
orange chicken|general tso's chicken, general tso chicken, sweet and sour chicken, sesame chicken, kung pao chicken, sweet and sour pork|food|235|13|21|11|0.8|11||serving=230 cup=180 plate=300
teriyaki chicken|chicken teriyaki, beef teriyaki|food|160|18|9|5|0.2|7.5||serving=200 cup=180 bowl=350
beef and broccoli|broccoli beef, beef with broccoli|food|125|11|7|6|1.4|3||serving=250 cup=200 plate=300
spring roll|egg roll, spring rolls, egg rolls|food|220|6|25|10.5|2|2.5||piece=64 roll=64
summer roll|rice paper roll, fresh spring roll|food|110|5|17|2.5|1.2|2.5||piece=85 roll=85
dumpling|dumplings, potsticker, potstickers, gyoza, dim sum, wonton, momo, pierogi|food|200|8.5|26|6.8|1.4|1.5||serving=132 piece=22
sushi roll|sushi, california roll, spicy tuna roll, salmon roll, maki, avocado roll|food|150|5.5|26|2.8|1.2|3||roll=180 piece=25 serving=180
nigiri|salmon nigiri, sushi nigiri|food|145|7.5|22|2.8|0.4|3||serving=140 piece=35
sashimi|salmon sashimi, tuna sashimi|food|145|22|0.5|6|0|0||serving=110 piece=28 slice=28
tempura|shrimp tempura, vegetable tempura|food|240|10|21|13|1|1||serving=125 piece=25
paella|jambalaya|food|150|8.5|18|4.8|0.9|1.2||serving=300 cup=200 plate=350
goulash|beef stroganoff, stroganoff|food|140|9|10|7.2|0.8|2||serving=300 cup=240 bowl=300 plate=350
ratatouille||food|60|1.2|6.5|3.5|2.2|4||serving=200 cup=200
moussaka|eggplant parmesan|food|150|7.5|9|9.5|2|4||serving=250 piece=250 slice=200
chicken parmesan|chicken parm, chicken schnitzel, schnitzel, chicken cutlet|food|215|18|11|11|0.9|2||piece=180 serving=200
garden salad|salad, green salad, side salad, mixed salad, house salad, tossed salad|food|25|1.4|4.5|0.4|1.8|2.4||serving=150 bowl=200 cup=80 side=100 plate=200 small=100 large=300
caesar salad|cesar salad|food|150|6|7.5|11|1.6|1.5||serving=200 bowl=230 side=120 plate=250 small=120 large=350
chicken caesar salad|caesar salad with chicken, grilled chicken caesar salad|food|140|12|6|7.8|1.3|1.2||serving=300 bowl=320 plate=320 small=200 large=420
greek salad||food|95|3|5|7.2|1.6|3||serving=200 bowl=250 cup=120 plate=250
cobb salad|chef salad|food|130|10|4|8.5|1.6|2||serving=300 bowl=350 plate=350
chicken salad bowl|grilled chicken salad, salad with chicken, salad with grilled chicken|food|95|11|4.5|3.8|1.5|2||serving=280 bowl=300 plate=300
taco salad|southwest salad|food|145|7|11|8.2|2.4|2||serving=300 bowl=350
caprese salad|caprese|food|155|9|3.5|11.8|0.8|2.3||serving=200 plate=200 bowl=200
coleslaw|slaw|food|150|1|13|10.5|1.8|10||serving=100 cup=120 scoop=60
quinoa salad|couscous salad, tabbouleh, bean salad|food|140|4|18|5.8|2.8|2||serving=170 cup=170 bowl=220
olive oil|extra virgin olive oil|food|884|0|0|100|0|0|0.92|tbsp=13.5 tsp=4.5 cup=216 drizzle=7 splash=5 with=7
vegetable oil|oil, canola oil, sunflower oil, rapeseed oil, cooking oil, avocado oil, sesame oil|food|884|0|0|100|0|0|0.92|tbsp=13.6 tsp=4.5 cup=218 drizzle=7 splash=5 with=7
coconut oil||food|892|0|0|99|0|0|0.92|tbsp=13.6 tsp=4.5
mayonnaise|mayo, hellmanns, aioli|food|680|1|0.6|75|0|0.6||tbsp=14 tsp=5 packet=12 cup=220
light mayonnaise|light mayo, low fat mayo|food|238|0.4|9|22|0|4||tbsp=15 tsp=5
ketchup|tomato ketchup, catsup|food|101|1|27.4|0.1|0.3|21.3||tbsp=17 tsp=6 packet=9
mustard|dijon mustard, yellow mustard|food|60|3.7|5.8|3.3|4|0.9||tsp=5 tbsp=15 packet=5
honey mustard||food|330|1|30|23|0.5|24||tbsp=15 packet=28
barbecue sauce|bbq sauce|food|172|0.8|41|0.6|0.9|33||tbsp=17 packet=28
hot sauce|tabasco, sriracha, sriracha sauce, buffalo sauce, chili sauce|food|30|1|5|0.6|0.8|3||tsp=5 tbsp=15 dash=1
soy sauce|tamari|food|53|8.1|4.9|0.6|0.8|0.4||tbsp=16 tsp=5 packet=9 splash=5
teriyaki sauce|hoisin sauce|food|89|5.9|15.6|0|0.1|14||tbsp=18
salsa|pico de gallo|food|29|1.5|6.7|0.2|1.9|4||serving=32 tbsp=16 cup=259 scoop=30
tomato sauce|marinara, marinara sauce, pasta sauce, spaghetti sauce, pizza sauce|food|50|1.4|8|1.5|1.8|5.5||serving=125 cup=250 tbsp=16 ladle=125
tomato paste||food|82|4.3|18.9|0.5|4.1|12.2||tbsp=16 can=170
alfredo sauce|cheese sauce, white sauce, bechamel|food|180|4.5|7|15|0.3|2||serving=60 tbsp=16 cup=250
pesto|pesto sauce|food|460|5|6|46|1.5|1.5||serving=30 tbsp=16 tsp=5
gravy|brown gravy|food|53|1.7|5|2.9|0.2|0.3||serving=60 tbsp=15 cup=233 ladle=60
tahini||food|595|17|21|54|9.3|0.5||tbsp=15 tsp=5
tzatziki||food|90|3.5|5|6.2|0.4|3.5||serving=30 tbsp=15 cup=240
queso|nacho cheese, queso dip, cheese dip|food|190|7|8|14.5|0.3|3||serving=60 tbsp=17 cup=250
cranberry sauce||food|159|0.9|40|0.2|1.1|32||serving=35 tbsp=17 slice=57
maple syrup|syrup, pancake syrup|food|262|0|67|0.1|0|60|1.32|serving=40 tbsp=20 tsp=7 cup=315 drizzle=15
agave syrup|agave, agave nectar, corn syrup, golden syrup|food|310|0.1|76|0.5|0.2|68|1.3|tbsp=21 tsp=7
chocolate syrup||food|279|2.1|65|1.1|2.6|50|1.3|tbsp=19 drizzle=15 pump=15
honey|raw honey|food|304|0.3|82.4|0|0.2|82.1|1.42|tbsp=21 tsp=7 drizzle=10 packet=14 with=14 splash=14
jam|jelly, strawberry jam, preserves, marmalade, grape jelly, fruit spread|food|265|0.4|67|0.1|1|48||tbsp=20 tsp=7 packet=14
sugar|white sugar, brown sugar, cane sugar|food|387|0|100|0|0|100||tsp=4 tbsp=12.5 cup=200 cube=4 packet=4 lump=4 spoon=4 spoonful=4
sweetener|stevia, splenda, artificial sweetener|food|0|0|0|0|0|0||packet=1 tsp=1 drop=0.1 tablet=0.1
salt||food|0|0|0|0|0|0||pinch=0.4 tsp=6 dash=0.4
black pepper|ground pepper|food|251|10.4|64|3.3|25|0.6||pinch=0.2 tsp=2.3 dash=0.2
cinnamon|ground cinnamon|food|247|4|80.6|1.2|53.1|2.2||tsp=2.6 pinch=0.3 dash=0.3 tbsp=8
vinegar|balsamic vinegar, apple cider vinegar, balsamic|food|50|0.2|10|0|0|9||tbsp=15 tsp=5 splash=5 drizzle=7
flour|all purpose flour, wheat flour|food|364|10.3|76.3|1|2.7|0.3||cup=125 tbsp=8
almond flour|almond meal|food|571|21|21|50|11|4||cup=96 tbsp=6
cocoa powder|cacao powder|food|228|19.6|57.9|13.7|37|1.8||tbsp=5 tsp=2
ranch dressing|ranch, salad dressing, dressing, creamy dressing, blue cheese dressing, thousand island dressing|food|430|1.3|6|45|0.1|4.7||serving=30 tbsp=15 packet=43 cup=240
italian dressing|vinaigrette, balsamic vinaigrette, oil and vinegar, balsamic dressing|food|240|0.4|12|21|0.1|10||serving=30 tbsp=15 packet=43
caesar dressing||food|540|2.2|3.3|58|0.5|2.8||serving=30 tbsp=15
almonds|almond, raw almonds, roasted almonds|food|579|21.2|21.6|49.9|12.5|4.4||handful=28 serving=28 piece=1.2 cup=143 tbsp=9 bag=40 with=15
peanuts|peanut, roasted peanuts, salted peanuts|food|585|24|21|49.7|8|4.2||handful=28 serving=28 piece=1 cup=146 bag=40 packet=50
cashews|cashew, cashew nuts|food|553|18.2|30.2|43.8|3.3|5.9||handful=28 serving=28 piece=1.6 cup=137 bag=40 with=15
walnuts|walnut, walnut halves|food|654|15.2|13.7|65.2|6.7|2.6||handful=28 serving=28 piece=4 half=2 cup=117 tbsp=7 with=15
pistachios|pistachio, pistachio nuts|food|560|20.2|27.2|45.3|10.6|7.7||handful=28 serving=28 piece=0.7 cup=123
pecans|pecan, pecan halves|food|691|9.2|13.9|72|9.6|4||handful=28 serving=28 piece=3 half=1.5 cup=109 with=15
hazelnuts|hazelnut|food|628|15|16.7|60.8|9.7|4.3||handful=28 serving=28 piece=1.4 cup=135 with=15
macadamia nuts|macadamia, macadamias|food|718|7.9|13.8|75.8|8.6|4.6||handful=28 serving=28 piece=2.6 cup=134
brazil nuts|brazil nut|food|659|14.3|11.7|67.1|7.5|2.3||piece=5 handful=28 serving=28
mixed nuts|nuts, nut mix, nut|food|607|20|21|54|7|4.5||handful=28 serving=28 cup=137 bag=40 packet=40 with=15
trail mix||food|462|13.8|45|29.4|5|30||handful=35 cup=150 serving=40 bag=50 tbsp=9
chia seeds|chia|food|486|16.5|42.1|30.7|34.4|0||tbsp=12 tsp=4 serving=28
chia pudding||food|130|4|12|7.5|7|5||serving=200 cup=240 bowl=240 jar=240
flax seeds|flaxseed, ground flax, flax, linseed|food|534|18.3|28.9|42.2|27.3|1.6||tbsp=7 tsp=2.5
pumpkin seeds|pepitas|food|559|30.2|10.7|49|6|1.4||tbsp=9 handful=28 cup=129 serving=28
sunflower seeds||food|584|20.8|20|51.5|8.6|2.6||tbsp=9 handful=28 cup=140 serving=28
sesame seeds|hemp seeds, hemp hearts|food|570|20|18|50|9|0.5||tbsp=9 tsp=3
peanut butter|crunchy peanut butter, smooth peanut butter, pb|food|588|25|20|50|6|9||tbsp=16 tsp=5 cup=258 scoop=32 spoon=16 spoonful=16 with=16
almond butter|cashew butter, nut butter|food|614|21|18.8|55.5|10.3|4.4||tbsp=16 tsp=5 scoop=32 spoon=16 spoonful=16
nutella|chocolate spread, hazelnut spread, chocolate hazelnut spread|food|541|6|58|31|3.4|56||tbsp=18 tsp=6 spoon=18
protein powder|whey protein, whey, whey powder, vegan protein powder|food|400|78|8|6|1|4||scoop=31 serving=31 tbsp=8
protein shake|protein drink, whey shake, chocolate protein shake, premier protein|drink|62|9.5|3.2|1.2|0.5|1.2||bottle=330 serving=330 glass=330 cup=250 carton=330 scoop=330
protein bar|quest bar, chocolate protein bar|food|370|33|38|12|10|6||bar=60 piece=60
granola bar|cereal bar, muesli bar, oat bar, nature valley bar, kind bar, breakfast bar|food|450|8|65|18|5|28||bar=35 piece=35
energy bar|clif bar, larabar|food|380|13|63|9|6|31||bar=68 piece=68
dark chocolate|70% dark chocolate, 85% dark chocolate, 70% chocolate|food|590|7.8|46|43|11|24||square=10 bar=100 piece=10 serving=28 row=25
milk chocolate|chocolate, chocolate bar, cadbury, hershey bar|food|535|7.7|59|30|3.4|52||bar=43 square=7 piece=7 serving=28 row=25
white chocolate||food|539|5.9|59|32|0.2|59||square=7 bar=43 serving=28 piece=7
chocolate chips|chocolate chip|food|480|4.2|63|27|5.9|55||tbsp=14 cup=170 handful=28
candy bar|snickers, mars bar, twix, kit kat, milky way, snickers bar, kitkat, reese's|food|490|7|62|24|2|50||bar=50 piece=50 mini=9
m&ms|m&m, smarties|food|492|4.3|71|21|2.8|64||serving=48 bag=48 packet=48 handful=30 piece=0.9
gummy bears|gummies, gummy candy, jelly beans, candy, sweets, skittles, haribo|food|343|4|82|0.3|0.2|58||serving=40 piece=2.5 handful=35 bag=60 packet=50
hard candy|lollipop|food|394|0|98|0.2|0|63||piece=6
marshmallow|marshmallows|food|318|1.8|81|0.2|0.1|58||piece=7 cup=50
caramel|toffee, fudge|food|400|3.5|75|9.5|0|65||piece=10
chewing gum|gum, sugar free gum|food|268|0|75|0.3|2|0||piece=2 stick=2
cookie|chocolate chip cookie, cookies, chocolate chip cookies, sugar cookie|food|480|5.1|65|23|2|35||serving=32 piece=16 small=10 medium=16 large=45
oatmeal cookie|oatmeal raisin cookie|food|440|6|68|17|3|35||piece=18 large=45
oreo|oreos, sandwich cookie, cream cookie|food|472|5.2|71|19.6|3|41||serving=34 piece=11.5
shortbread|butter cookie, shortbread cookie|food|505|6|62|26|1.8|22||piece=14
digestive|tea biscuit, rich tea biscuit|food|470|7|65|21|3.5|17||piece=15
brownie|brownies, chocolate brownie|food|440|5|58|22|2.2|38||piece=56 square=56 small=35 large=85
chocolate cake|birthday cake, cake, chocolate fudge cake|food|380|4.7|52|17.5|1.8|36||slice=95 piece=95 small=60 large=130 whole=1140
carrot cake||food|410|4.2|49|22.5|1.4|35||slice=110 piece=110
sponge cake|pound cake, angel food cake, vanilla cake, coffee cake, lemon cake|food|350|5.3|55|12|0.8|34||slice=65 piece=65
cheesecake|new york cheesecake|food|321|5.5|25.5|22.5|0.4|21.8||slice=125 piece=125 whole=1500
cupcake|cupcakes|food|390|3.8|56|17|0.9|41||piece=65 mini=20
apple pie|pie, cherry pie, blueberry pie, fruit pie|food|245|2.2|35|11.5|1.4|16||slice=125 piece=125 whole=1000
pumpkin pie||food|225|4.2|30|10|1.6|16||slice=130 piece=130 whole=1040
pecan pie||food|412|4.9|52|22|2|29||slice=122 piece=122
tiramisu||food|290|5|30|16.5|0.6|20||slice=120 piece=120 serving=120
pudding|chocolate pudding, vanilla pudding, custard, pudding cup|food|125|2.8|20|3.8|0.4|15||cup=240 serving=110 pot=110 bowl=200
creme brulee|flan, panna cotta|food|240|4.2|23|14.5|0|21||serving=120 piece=120
chocolate mousse|mousse|food|225|4.1|16|16|0.6|15||serving=100 cup=202 bowl=150
jello|gelatin, jell-o, jelly dessert|food|62|1.2|14|0|0|13.5||serving=120 cup=240
apple crisp|apple crumble, fruit crumble, peach cobbler, cobbler|food|185|1.8|32|6|1.6|20||serving=180 cup=240 bowl=200
baklava||food|430|6.5|45|26|2.5|20||piece=50
macaron|macaroon|food|440|7|57|21|3|50||piece=20
churro|churros|food|400|4.5|45|22.5|1.5|14||piece=45
rice krispie treat|rice crispy treat|food|405|3|80|9|0.3|33||bar=22 piece=22 square=22
water|tap water, still water, mineral water, sparkling water, soda water, seltzer, ice water, lemon water, bottled water, club soda, la croix|water|0|0|0|0|0|0||glass=250 cup=240 bottle=500 can=355 liter=1000 mug=300
coffee|black coffee, brewed coffee, filter coffee, drip coffee, iced coffee, decaf coffee, decaf, hot coffee, instant coffee, cold brew, americano|drink|1|0.1|0|0|0|0||cup=240 mug=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591 glass=300 pot=700
espresso||drink|9|0.1|1.7|0.2|0|0||shot=30 cup=30 single=30 double=60
latte|caffe latte, cafe latte, coffee latte, iced latte, flat white, cafe au lait|drink|56|3|4.5|3|0|4.4||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591 mug=300 glass=300
skinny latte|nonfat latte, skim latte|drink|33|3.3|4.8|0.1|0|4.6||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591
oat milk latte|oat latte, oatmilk latte|drink|52|1.1|7.2|2.1|0.6|3||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591
almond milk latte|almond latte|drink|26|0.7|2.6|1.4|0.2|1.9||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591
vanilla latte|caramel latte, pumpkin spice latte, flavored latte, mocha latte|drink|72|2.5|10.5|2.2|0|9.8||cup=355 small=240 medium=355 large=475 tall=355 grande=473 venti=591
cappuccino|capuccino, macchiato, cortado|drink|40|2.1|3.3|2|0|3||cup=240 small=180 medium=240 large=355 tall=355 grande=473 venti=591 mug=300
mocha|cafe mocha, caffe mocha|drink|82|2.9|10.4|3.4|0.5|9||cup=355 small=240 medium=355 large=475 tall=355 grande=473 venti=591
frappuccino|frappe, iced mocha|drink|92|1.2|15.5|3|0|14.5||cup=473 small=355 medium=473 large=591 tall=355 grande=473 venti=591
tea|black tea, green tea, herbal tea, earl grey, chamomile tea, peppermint tea, mint tea, english breakfast tea|drink|1|0|0.2|0|0|0||cup=240 mug=300 glass=240 pot=700 small=240 medium=355 large=475
iced tea|sweet tea, ice tea, lemon iced tea, peach iced tea|drink|30|0|7.6|0|0|7.5||glass=250 cup=240 bottle=500 can=355 small=350 medium=475 large=650
unsweetened iced tea|unsweetened tea, unsweet tea|drink|1|0|0.2|0|0|0||glass=250 cup=240 bottle=500 can=355
chai latte|chai, chai tea, chai tea latte, masala chai, milk tea|drink|70|2.4|11|2.1|0|10.3||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591 mug=300
matcha latte|matcha, green tea latte|drink|62|3|7.5|2.3|0.3|6.8||cup=355 small=240 medium=355 large=475 tall=355 grande=473 venti=591
bubble tea|boba, boba tea, boba milk tea|drink|75|0.7|15.5|1.2|0|10.5||cup=475 medium=475 large=650 small=350
hot chocolate|hot cocoa, cocoa|drink|77|3.5|10.7|2.3|1|9.7||cup=250 mug=300 small=240 medium=355 large=475
orange juice|oj, fresh orange juice, 100% orange juice, freshly squeezed orange juice|drink|45|0.7|10.4|0.2|0.2|8.4|1.04|glass=250 cup=248 bottle=450 carton=250 small=180 large=350 box=200
apple juice|apple cider|drink|46|0.1|11.3|0.1|0.2|9.6|1.04|glass=250 cup=248 bottle=300 carton=200 box=200
grape juice|cranberry juice, cranberry cocktail, pineapple juice, mango juice, fruit juice, juice, pomegranate juice|drink|57|0.3|14|0.1|0.2|13|1.04|glass=250 cup=250 bottle=300 carton=200 box=200
grapefruit juice||drink|39|0.5|9.2|0.1|0.1|9|1.03|glass=250 cup=247
tomato juice|v8, vegetable juice, carrot juice|drink|25|0.9|5|0.2|0.6|3.8|1.03|glass=250 cup=243 can=340 bottle=350
green juice|celery juice, kale juice|drink|30|1|6|0.2|0.5|4.5|1.02|glass=300 cup=240 bottle=450
lemon juice|lime juice|food|22|0.4|6.9|0.2|0.3|2.5||tbsp=15 tsp=5 squeeze=5 splash=5 cup=244
lemonade|fruit punch, limeade|drink|42|0.1|10.8|0|0|10||glass=250 cup=248 bottle=500 can=355 large=650 medium=475 small=350
smoothie|fruit smoothie, strawberry banana smoothie, berry smoothie, banana smoothie, mango smoothie|drink|57|1.1|13|0.4|1.3|10.5|1.05|glass=350 cup=250 bottle=350 small=350 medium=475 large=650
green smoothie|spinach smoothie, kale smoothie|drink|48|1.3|10.5|0.5|1.6|7.5|1.05|glass=350 cup=250 bottle=350 large=650
protein smoothie|peanut butter smoothie, peanut butter banana smoothie|drink|82|6.5|9.5|2.1|1.2|6.5|1.05|glass=350 cup=250 bottle=350 large=500
milkshake|chocolate milkshake, vanilla milkshake, strawberry milkshake, milk shake, shake, vanilla shake, chocolate shake|drink|112|3.5|17.5|3.2|0.2|17|1.06|glass=300 cup=300 small=300 medium=400 large=550
cola|coke, coca cola, pepsi, soda, pop, soft drink, sprite, fanta, dr pepper, ginger ale, root beer, 7up, mountain dew, cherry coke, fizzy drink|drink|42|0|10.6|0|0|10.6|1.04|can=368 glass=250 cup=250 bottle=510 small=350 medium=550 large=800 liter=1040
diet cola|diet coke, coke zero, diet soda, pepsi max, diet pepsi, zero sugar soda, sugar free soda, coke zero sugar, diet sprite, sprite zero, zero sugar coke|drink|0|0|0.1|0|0|0||can=355 glass=250 cup=250 bottle=500 small=350 medium=530 large=770
tonic water||drink|34|0|8.8|0|0|8.8||glass=250 can=355 cup=244 bottle=500
energy drink|red bull, monster, monster energy, rockstar|drink|45|0.3|11|0|0|10.8||can=250 bottle=500 large=473 small=250
sugar free energy drink|sugar free red bull, celsius, monster ultra, zero ultra, sugar free monster|drink|5|0.3|0.8|0|0|0||can=355 small=250 large=473
sports drink|gatorade, powerade, electrolyte drink|drink|26|0|6.5|0|0|5.8||bottle=591 glass=250 cup=244
coconut water||drink|19|0.5|4|0.1|0.3|3.2||cup=240 glass=250 carton=330 can=330 bottle=330
kombucha||drink|14|0|3.2|0|0|2.8||bottle=475 glass=240 cup=240 can=330
beer|lager, ale, ipa, stout, guinness|drink|43|0.5|3.6|0|0|0||can=355 bottle=355 pint=473 glass=355 cup=355 small=250 large=500
light beer|bud light, lite beer, coors light, miller lite, michelob ultra|drink|29|0.2|1.6|0|0|0.1||can=355 bottle=355 pint=473 glass=355
non alcoholic beer|alcohol free beer|drink|25|0.3|5.5|0.1|0|2.8||can=355 bottle=355 pint=473 glass=355
hard cider|cider|drink|49|0|5.9|0|0|4.5||can=355 bottle=355 pint=473 glass=355
hard seltzer|white claw, truly|drink|28|0|0.6|0|0|0.6||can=355
red wine|wine, merlot, cabernet, pinot noir|drink|85|0.1|2.6|0|0|0.6||glass=147 bottle=750 cup=240 small=125 large=250
white wine|chardonnay, sauvignon blanc, pinot grigio, rose, rose wine|drink|82|0.1|2.6|0|0|1||glass=147 bottle=750 cup=240 small=125 large=250
champagne|prosecco, sparkling wine, mimosa|drink|80|0.1|2.5|0|0|1.5||glass=125 bottle=750
sangria|mulled wine|drink|95|0.2|10|0|0.1|8||glass=200 cup=240
vodka|whiskey, whisky, rum, gin, tequila, bourbon, scotch, brandy, liquor, spirits|drink|231|0|0|0|0|0|0.95|shot=42 glass=42 double=84
margarita|cocktail, daiquiri, cosmopolitan, mojito, pina colada|drink|150|0.1|13|0.1|0.1|12||glass=240 cup=240 serving=240
gin and tonic|vodka soda, rum and coke, vodka tonic, vodka cranberry, gin tonic|drink|76|0|7|0|0|7||glass=220 cup=220 serving=220
bloody mary||drink|50|0.6|3.6|0.1|0.4|2.8||glass=250
martini|old fashioned, negroni, manhattan, espresso martini, vodka martini, dry martini|drink|220|0|2|0|0|1.5||glass=90 serving=90
sake|port, sherry|drink|134|0.5|5|0|0|3||glass=60 cup=180
baileys|irish cream, kahlua|drink|327|3|25|13|0|20||shot=44 glass=60
lassi|mango lassi, sweet lassi|drink|75|2.4|12|1.9|0.2|11.5|1.05|glass=250 cup=250 small=200 large=350
full english breakfast|full english, english breakfast, fry up, cooked breakfast|food|190|9.5|11|12|1.8|2||plate=450 serving=450
horchata||drink|68|0.6|14|1.2|0.2|11.5|1.05|glass=300 cup=250 large=475
spices|chili flakes, red pepper flakes, paprika, oregano, basil, cumin, curry powder, chili powder, turmeric, herbs, spice, parsley, cilantro, coriander, seasoning, italian seasoning, mixed herbs, rosemary, thyme, dill|food|282|11|50|9|28|6||tsp=2 tbsp=6 pinch=0.3 dash=0.4 sprig=1
shakshuka||food|90|5|5.5|5.5|1.5|3.5||serving=300 bowl=300 plate=300 piece=300
eggs benedict|egg benedict|food|220|10.5|12|14.5|0.7|1.5||serving=260 piece=130 plate=260
bibimbap||food|125|6|17|3.5|1.4|2.2||bowl=500 serving=500
chicken katsu|katsu, chicken katsu curry, katsu curry, tonkatsu|food|205|13|20|8|1.2|2.5||serving=350 plate=400 piece=180
bulgogi|korean bbq, korean beef|food|185|16|9|9.5|0.5|7||serving=200 cup=180
udon|udon noodles, soba, soba noodles|food|115|3.6|24|0.4|1|0.5||bowl=350 serving=250 cup=150
laksa|curry noodle soup, thai curry soup, tom yum, tom kha|food|85|4|7.5|4.3|0.7|1.5||bowl=450 serving=450
satay|chicken satay, chicken skewer, kebab skewer, shish kebab, chicken kebab, beef kebab, souvlaki|food|190|22|4|9.5|0.5|2.5||piece=60 stick=60 serving=180 skewer=60
congee|rice porridge, jook|food|50|1.8|9.5|0.4|0.2|0.1||bowl=350 cup=240
bao|bao bun, pork bun, steamed bun, char siu bao|food|235|9|34|7|1.3|7||piece=90 bun=90
mapo tofu|tofu curry|food|115|8|4.5|7.5|1|1.2||cup=220 serving=250 bowl=300
spam|luncheon meat|food|315|13|3|28|0|0||slice=56 can=340 serving=56
corned beef hash|hash|food|180|9|11|11.5|1|0.5||cup=236 serving=220 can=425
kielbasa|polish sausage, smoked sausage, andouille|food|300|13|3|26|0|1.5||link=75 piece=75 slice=15 serving=75
black pudding|blood sausage, haggis|food|300|13|15|21|1|0.5||slice=35 serving=70
yorkshire pudding|popover|food|225|7.5|27|9.5|1|3||piece=30 large=80
sausage roll|pork pie, pig in a blanket, pigs in blankets|food|330|9.5|25|21.5|1.3|1.5||piece=100 roll=100 mini=30 small=40
pasty|cornish pasty, hand pie|food|270|7|27|15|1.5|1.5||piece=220
crumpet|teacake, tea cake|food|190|6|38|1|2|2||piece=55
bread pudding|sticky toffee pudding, bread and butter pudding|food|230|5|35|8|1|21||serving=150 slice=120 cup=200 bowl=200
trifle|eton mess|food|170|2.5|22|8|0.6|17||serving=150 bowl=200
lemon tart|lemon meringue pie, key lime pie, lemon pie, custard tart, tart|food|300|4|43|12.5|0.7|26||slice=115 piece=115
eclair|chocolate eclair, profiterole, cream puff|food|300|6|26|19|0.7|13||piece=85 small=35
cannoli||food|330|7.5|32|19|0.8|18||piece=80
funnel cake|fried dough, beignet|food|330|6|38|17|1.2|12||piece=90
gingerbread|gingersnap, ginger biscuit, ginger cookie|food|420|5.5|73|12|2|32||piece=12 large=50 slice=65
fig bar|fig newton, fig newtons, fig roll|food|360|3.7|71|7|4.6|46||piece=16 bar=28
goldfish crackers|cheese crackers, cheez its, cheez it, goldfish|food|490|10|62|22|2.5|1||serving=30 handful=25 cup=55 bag=42 piece=0.6
veggie straws|kale chips, vegetable chips, veggie chips|food|490|4|60|26|4|3||serving=28 bag=28 handful=15 cup=28
plantain chips|banana chips|food|520|2.3|60|31|6|15||serving=28 handful=25 bag=28 cup=50
rice crackers|rice cracker, senbei|food|400|7|83|4|1.5|2||serving=30 piece=2 handful=20
pork rinds|pork scratchings, pork crackling|food|544|61|0|31|0|0||serving=28 bag=56 handful=10
babybel|mini babybel, laughing cow, cheese wedge, cheese triangle|food|300|21|2|23.5|0|0.5||piece=21 wedge=19 mini=21
vegan cheese|dairy free cheese, cashew cheese|food|290|2|22|22|1|0||slice=20 serving=28
lychee|lychees, rambutan|food|66|0.8|16.5|0.4|1.3|15||piece=10 cup=190
dragon fruit|pitaya|food|57|0.4|13|0.4|3|9.5||piece=300 cup=180 half=150
passion fruit|passionfruit|food|97|2.2|23.4|0.7|10.4|11.2||piece=18 cup=236
guava|guavas|food|68|2.6|14.3|1|5.4|8.9||piece=55 cup=165
persimmon|sharon fruit|food|70|0.6|18.6|0.2|3.6|12.5||piece=168
rhubarb|stewed rhubarb|food|60|0.7|14|0.2|2|11||cup=240 serving=120
cranberries|fresh cranberries, cranberry|food|46|0.5|12|0.1|3.6|4.3||cup=100 handful=30
parsnip|parsnips, roast parsnips, turnip, swede, rutabaga|food|71|1.3|17|0.3|3.6|4.8||serving=80 cup=156 piece=130 medium=130
swiss chard|chard, collard greens, mustard greens, turnip greens|food|22|2|4|0.4|2.5|1||cup=175 serving=120
bean sprouts|alfalfa sprouts|food|30|3|5.9|0.2|1.8|4.1||cup=104 handful=30 serving=50
fennel|fennel bulb, endive, chicory|food|31|1.2|7.3|0.2|3.1|3.9||cup=87 piece=234 serving=80
jicama||food|38|0.7|8.8|0.1|4.9|1.8||cup=120 serving=120
lima beans|broad beans, fava beans, butterbeans|food|115|7.7|21|0.4|6.5|2.2||cup=170 serving=85
plantain|fried plantain, plantains, sweet plantains|food|210|1.3|38|7.5|3|18||serving=120 cup=150 piece=120 slice=15
yuca|cassava|food|160|1.4|38|0.3|1.8|1.7||serving=150 cup=206
arepa|pupusa, gordita|food|220|5|36|6|2.5|0.5||piece=100
tostada|tostadas|food|220|9|21|11|3|1.5||piece=110
ceviche|fish ceviche|food|75|13|4|0.8|0.5|1.5||cup=200 serving=180
pozole|menudo, tortilla soup, chicken tortilla soup|food|75|5.5|6.5|3|1.2|0.8||bowl=350 cup=245 serving=300
chilaquiles|huevos rancheros|food|165|7|15|8.5|2.5|1.8||plate=300 serving=300
sloppy joe|sloppy joes|food|200|10.5|21|8|1.4|6||piece=180
potato pancake|latke, latkes, rosti, boxty|food|215|4.5|24|11.5|2|1.5||piece=50
lemon curd||food|320|2.5|52|11|0.2|45||tbsp=20 tsp=7
marmite|vegemite|food|240|32|25|0.5|6|1.5||tsp=5
molasses|treacle, date syrup|food|290|0|74|0.1|0|70|1.4|tbsp=20 tsp=7
chutney|mango chutney, relish, sweet relish|food|200|0.7|49|0.3|1.3|42||tbsp=18 tsp=6 serving=30
coconut yogurt|dairy free yogurt, vegan yogurt, soy yogurt|food|110|1.2|11|6.8|0.7|8||serving=150 container=150 cup=245 pot=125 tub=150
cashew milk|hemp milk, pea milk, macadamia milk|drink|22|0.6|1.2|1.7|0.1|0.2||cup=240 glass=250 with=120 splash=30
aperol spritz|spritz, pimms|drink|90|0.1|10|0|0|9||glass=200
sloe gin|liqueur, limoncello, amaretto|drink|300|0|33|0|0|33||shot=44 glass=60
cheese fries|poutine, loaded fries, chili cheese fries, chili fries|food|250|7|25|13.5|2.5|0.8||serving=300 bowl=300 plate=300 basket=300
cheese dumplings|cheese curds, fried cheese, fried mozzarella sticks, mozzarella sticks|food|320|14|23|19|1|2||serving=120 piece=28 stick=28
buffalo chicken dip|spinach dip, artichoke dip, spinach artichoke dip, dip|food|220|6|6|19|1|2||tbsp=15 serving=60 cup=230
cauliflower pizza|cauliflower crust pizza, thin crust pizza, flatbread pizza|food|235|11|26|10|2.2|3.5||slice=85 piece=85 whole=500 serving=170
egg bites|egg bite, egg muffin cup, frittata|food|175|11.5|3.5|13|0.2|2||piece=60 serving=120 slice=110
$foods$, E'\n') as line
    where line <> ''
) as lines;
