-- More foods, in the form of migration 9: dishes of more kitchens, what is weighed before it is
-- cooked, and what only a brand is said of.

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
dry pasta|uncooked pasta, raw pasta, dried pasta, dry spaghetti, uncooked spaghetti, dry noodles, dry penne, dry macaroni|food|360|13|73|1.6|3.2|2.7||serving=85 cup=100 handful=50
dry rice|uncooked rice, raw rice, dry basmati rice, dry white rice, dry jasmine rice|food|358|7|79|0.6|1.3|0.1||serving=60 cup=185 tbsp=12
dry lentils|uncooked lentils, raw lentils, dried lentils|food|352|24.6|63|1.1|10.7|2||serving=60 cup=192 tbsp=12
dry couscous|uncooked couscous, raw couscous, dry bulgur|food|372|12.8|77|0.7|5|0||serving=60 cup=173 tbsp=11
dry quinoa|uncooked quinoa, raw quinoa|food|368|14.1|64|6.1|7|2.8||serving=50 cup=170 tbsp=11
dry oatmeal|dry porridge, uncooked oatmeal, raw oatmeal|food|379|13.2|67.7|6.5|10.1|1||serving=40 cup=81 tbsp=6
ready meal|frozen dinner, frozen meal, microwave meal, tv dinner, microwave dinner, meal prep box|food|115|6.5|14|3.8|1.5|2.5||serving=300 piece=300 tray=300 box=300 packet=300 pack=300
sausage mcmuffin with egg|sausage egg mcmuffin, sausage muffin with egg|food|290|12.5|17.5|19|1|1.5||piece=165
egg mayonnaise|egg mayo, egg mayonnaise filling|food|235|10|1|21.5|0|0.8||serving=70 tbsp=20 scoop=60
egg mayonnaise sandwich|egg mayo sandwich, egg and cress sandwich, sandwich with egg mayo, egg mayo roll|food|240|9.5|21|13|1.5|2||piece=170 half=85
acai|acai puree, acai pulp, frozen acai|food|75|1|6|5.3|2.5|2||bowl=200 packet=100 serving=100 cup=200
flavored crisps|salt and vinegar crisps, salt and vinegar chips, cheese and onion crisps, sour cream and onion chips, sour cream and chive crisps, prawn cocktail crisps, ready salted crisps, barbecue chips|food|525|6|52|32|4.5|2.5||bag=30 packet=30 pack=30 serving=30 handful=20 large=60
gummy vitamins|vitamin gummies, gummy vitamin|food|250|0|60|0|0|55||piece=2.5 tablet=1
tofu scramble|scrambled tofu|food|130|13|4|7.5|1.5|1||serving=150 cup=200
banana split|ice cream sundae, sundae, knickerbocker glory|food|190|2.8|29|7.5|0.9|24||serving=250 bowl=250 piece=250
peach melba|peaches and cream|food|120|1.5|18|5|1|17||serving=200
idli|idlis, idly|food|146|4.5|30|0.6|1.5|0.3||piece=40 serving=120
dosa|plain dosa, dosas, uttapam|food|168|3.9|29|3.7|1|0.5||piece=97 large=150
masala dosa|potato dosa|food|165|3.5|25|5.5|1.8|1||piece=180
sambar|sambhar, rasam|food|65|3|10|1.5|2.5|2||serving=150 bowl=200 cup=240
coconut chutney||food|250|3.5|10|22|5|4||tbsp=15 serving=30
poha|upma, flattened rice|food|130|2.6|23|3|1.2|1||serving=180 bowl=200 plate=220 cup=160
paratha|aloo paratha, parathas|food|300|6.5|41|12|4|2||piece=90 small=60
puri|poori, bhatura|food|350|7|46|15|3|1||piece=30
pakora|bhaji, onion bhaji, pakoras, bhajis|food|270|7|24|16|4|4||piece=30 serving=120
raita|cucumber raita|food|60|3|5|3|0.4|4||serving=60 tbsp=15 bowl=150
chole|chole bhature, rajma, rajma masala|food|140|6|18|5|5|3||serving=220 bowl=250 cup=240
papadum|poppadom, papad|food|370|22|52|6|12|2||piece=10
gulab jamun|rasgulla, jalebi, ladoo, laddu, barfi|food|320|6|50|11|0.5|40||piece=40
kheer|payasam|food|140|4|22|4.5|0.3|17||serving=150 bowl=180
jollof rice||food|150|3.2|25|4.2|1.2|2||serving=250 plate=350 cup=200
fufu|ugali, pap, eba, nsima, pounded yam|food|140|1.6|33|0.3|1.8|0.5||serving=240 cup=240 ball=200
egusi soup|groundnut stew, peanut stew|food|170|9|7|12|2|2||serving=250 bowl=300
suya|biltong|food|270|38|4|11|1|1||serving=80 stick=40 piece=20 handful=30
injera||food|166|5|34|0.7|2.5|0.5||piece=120
doro wat|tibs, ethiopian stew|food|150|13|6|8.5|1.5|2||serving=220 cup=240
tagine|lamb tagine, chicken tagine|food|130|9|10|6|2|5||serving=300 bowl=300
harira||food|75|4|10|2|2|2||bowl=300 serving=300 cup=240
tabouleh|fattoush|food|110|2|11|7|2|2||serving=150 bowl=200 cup=150
baba ganoush|baba ghanoush, moutabal|food|145|3|8|11|4|4||tbsp=15 serving=50 cup=240
labneh|lebneh|food|155|7|5|12|0|4||tbsp=20 serving=60
dolma|stuffed grape leaves, stuffed vine leaves, dolmades, sarma|food|160|3|19|8|2.5|2||piece=25 serving=125
kofta|kofte, kafta, cevapi|food|240|17|5|17|0.8|1||piece=50 serving=150
borek|burek, spanakopita, cheese pie, gozleme|food|290|9|27|16|1.5|2||piece=130 slice=130
manakish|lahmacun, za'atar bread, pide|food|270|9|38|9|2.5|2||piece=150
halva|halwa|food|470|12|50|26|4|40||piece=30 slice=40
souffle|cheese souffle|food|200|10|9|14|0.3|3||serving=120
borscht|beet soup|food|45|1.7|7|1.3|1.3|4||bowl=350 serving=300 cup=245
goulash soup|hungarian soup|food|70|5|5|3.2|1|2||bowl=350 serving=300
blini|blinis, syrniki|food|210|7|27|8|1|5||piece=40 serving=120
pelmeni|vareniki, manti|food|220|10|25|9|1|1||serving=220 bowl=250 piece=12
spaetzle|dumpling noodles, knodel|food|160|6|26|3.5|1.3|1||serving=200 cup=160
cabbage roll|stuffed cabbage, golabki|food|105|6|9|5|1.5|3||piece=150 serving=250
currywurst|bockwurst|food|260|11|7|21|0.5|5||piece=170 serving=200
bruschetta|crostini|food|200|5|26|8.5|1.8|3||piece=40 slice=50 serving=120
arancini|arancino, croquette, croquettes|food|220|6|25|11|1.2|1||piece=70 serving=140
focaccia||food|290|8|44|9|2.2|2||slice=60 piece=80
antipasto|charcuterie, charcuterie board, cheese board, cheese platter|food|330|19|5|26|0.6|2||serving=120 plate=200
minestra|ribollita, pasta e fagioli|food|80|4|12|2|2.5|2||bowl=350 serving=300
cannelloni|manicotti|food|150|8|14|7|1|3||serving=280 piece=90
tortilla espanola|spanish omelette, potato omelette|food|155|6|11|10|1.2|1||slice=120 piece=120 serving=150
patatas bravas|tapas|food|160|2.5|21|7.5|2.2|2||serving=180 plate=250
gazpacho andaluz|salmorejo|food|70|1.5|6|4.5|1|3||bowl=250 serving=250
croque monsieur|croque madame|food|260|14|19|14|1|3||piece=180
coq au vin|beef bourguignon, boeuf bourguignon, pot au feu|food|140|14|5|6.5|0.8|2||serving=300 bowl=300
cassoulet||food|150|9|12|7.5|3.5|2||serving=350 bowl=350
tartiflette|gratin, potato gratin, scalloped potatoes, dauphinoise potatoes|food|160|5|14|9.5|1.3|2||serving=200 slice=180 cup=240
raclette|fondue, cheese fondue|food|320|20|6|24|0.3|1||serving=200
nasi goreng|mee goreng|food|170|6|23|6|1.2|2||serving=300 plate=350 bowl=300
rendang|beef rendang|food|195|17|5|12|1.2|3||serving=200 cup=220
gado gado|gado-gado|food|140|7|10|8.5|3|4||serving=280 plate=300
adobo|chicken adobo|food|170|17|3|10|0.2|1||serving=220 cup=220
sinigang|tinola|food|60|6|3|2.6|0.8|1||bowl=350 serving=350
pancit||food|150|6|21|4.5|1.5|1||serving=250 plate=300 cup=160
lumpia||food|250|9|22|14|1.4|1||piece=35 serving=140
banh mi|vietnamese sandwich|food|225|11|29|7|1.8|4||piece=240 half=120
bun cha|bun bo hue, vermicelli bowl|food|110|7|14|3|1|3||bowl=450 serving=450
gyudon|donburi, katsudon, oyakodon, chirashi|food|150|7|20|4.5|0.8|3||bowl=450 serving=450
onigiri|rice ball, kimbap, gimbap, musubi|food|170|4|33|2|0.6|1||piece=110 roll=250
okonomiyaki|takoyaki|food|170|8|17|8|1.2|3||piece=300 serving=250
yakitori|yakisoba|food|180|14|8|9|0.5|4||serving=200 stick=40 piece=40
natto||food|212|17.7|14.4|11|5.4|4.9||packet=45 pack=45 serving=45
mochi|daifuku|food|235|3.5|52|1|0.8|25||piece=45
miso ramen|tonkotsu ramen, shoyu ramen|food|95|5|10|3.8|0.6|1||bowl=600 serving=600
tteokbokki|rice cakes in sauce|food|165|3.5|33|2|1|6||serving=250 bowl=300
japchae|glass noodles|food|145|4|23|4|1.2|5||serving=200 plate=250 cup=160
kimchi stew|kimchi jjigae, sundubu, soft tofu stew|food|60|5|4|2.8|1.2|2||bowl=400 serving=400
char siu|barbecued pork, peking duck|food|260|22|12|14|0.2|11||serving=120 slice=20
hot and sour soup|egg drop soup, wonton soup|food|45|3|5|1.6|0.4|1||bowl=350 serving=300 cup=240
scallion pancake|jianbing|food|290|6|36|13|1.5|1||piece=110 slice=40
fried tofu|tofu puffs, crispy tofu, agedashi tofu|food|270|18|9|19|3|2||serving=100 piece=25 cup=120
scotch egg||food|255|12|14|17|1|1||piece=120
pork belly||food|400|18|0|36|0|0||serving=120 slice=40 piece=120
gammon|gammon steak|food|170|23|0.5|8.5|0|0.5||steak=200 serving=150 slice=60 piece=200
lamb shank|lamb stew|food|200|22|2|11|0.3|1||piece=300 serving=250
venison|bison, elk|food|160|30|0|3.5|0|0||serving=120 steak=150
rabbit|veal|food|175|29|0|6|0|0||serving=120
chicken kiev|chicken cordon bleu|food|255|16|12|16|0.8|1||piece=150 serving=150
jerk chicken|tandoori chicken, peri peri chicken, piri piri chicken, chicken tikka|food|175|25|3|7|0.4|2||serving=180 leg=120 piece=120 quarter=220 half=400 breast=170
quarter chicken|half chicken, whole chicken|food|205|26|0|11|0|0||quarter=170 half=350 whole=800 piece=170 serving=170
herring|pickled herring, kipper|food|215|18|6|13|0|5||fillet=80 piece=30 serving=80
swordfish|catfish, monkfish, plaice, sole|food|140|23|0|5|0|0||fillet=140 steak=150 piece=140 serving=140
fish taco bowl|fish stew, bouillabaisse, cioppino|food|85|10|4|3|0.8|2||bowl=350 serving=350
bubble and squeak|colcannon|food|110|2.5|14|5|2.2|2||serving=180 cup=200
toad in the hole||food|240|10|18|14|1|2||serving=220
lentil salad|chickpea salad, three bean salad|food|140|6|16|6|5|2||serving=180 bowl=220 cup=180
waldorf salad|nicoise salad, tuna nicoise|food|130|8|6|8.5|1.8|3||serving=300 bowl=320 plate=320
egg fried noodles|singapore noodles|food|160|6|22|5.5|1.5|1||serving=280 plate=320
grilled vegetables skewer|vegetable kebab|food|70|2|8|3.5|2.5|4||piece=90 stick=90
sweet potato mash|mashed sweet potato|food|100|1.6|20|1.5|2.8|7||serving=180 cup=250 scoop=75
sweetcorn soup||food|80|2.5|11|3|1|3||bowl=350 serving=300
beef noodle soup|beef soup, oxtail soup|food|70|5.5|7|2.2|0.5|1||bowl=500 serving=450
fruit smoothie bowl|pitaya bowl|food|105|2|20|2.2|3.5|13||bowl=350 serving=350
energy gel|energy chew, energy chews|food|260|0|64|0|0|30||piece=40 packet=40
protein cookie|protein ball, energy ball, bliss ball|food|400|16|42|18|6|16||piece=45 ball=25
protein yogurt|high protein yogurt, protein pudding|food|75|10|6|1|0.3|5||pot=200 container=200 tub=200 serving=200
licorice|liquorice|food|340|2|80|1|0.5|50||piece=8 stick=12 handful=35 bag=60
mint|mints, breath mint, cough drop|food|380|0|96|0.5|0|90||piece=2 packet=20
rocky road|tray bake, flapjack bar, oat bar square|food|450|5|58|22|2.5|34||piece=60 square=60 slice=60
panettone|stollen|food|360|7|54|13|2|27||slice=70
pretzel bun|pretzel roll|food|280|9|52|4|2|3||piece=80
croissant sandwich|breakfast croissant|food|290|12|22|17|1|4||piece=150
hot cross bun|fruit bun, raisin bread, cinnamon toast|food|290|8|52|5.5|2.8|17||piece=70 slice=32
oat cookie bar|granola square|food|440|7|60|19|4|24||piece=40
ricotta pancake|protein pancakes, protein pancake|food|185|15|18|5.5|2|4||piece=50 serving=150
mulligatawny|curry soup|food|70|3.5|8|2.8|1|2||bowl=350 serving=300
oxtail|curry goat, goat curry|food|200|21|4|11|0.6|1||serving=220 plate=300
rice and peas|callaloo|food|145|4|24|3.5|2.5|0.8||serving=220 cup=200
ackee and saltfish|saltfish|food|160|13|4|10.5|1.5|1||serving=200
pernil|carnitas, barbacoa|food|220|23|1.5|13.5|0.3|1||serving=130 cup=140
mint sauce|mint jelly, horseradish, horseradish sauce, apple sauce relish|food|90|1|20|0.3|1|17||tbsp=15 tsp=5 serving=15
elote|street corn, esquites|food|150|4|18|8|2|5||piece=160 ear=160 cup=180
flauta|taquito, taquitos, flautas|food|270|10|25|14.5|2.5|1||piece=40 serving=120
feijoada|black bean stew|food|135|9|10|6.5|4|1||serving=300 bowl=300 cup=240
pao de queijo|cheese bread|food|330|7|38|17|0.8|1||piece=30 large=60
lomo saltado|bistec|food|150|11|12|6.5|1.3|2||serving=300 plate=350
alfajor|dulce de leche|food|400|5|58|16.5|0.8|38||piece=50 tbsp=20
kvass|ayran, doogh|drink|30|1|4.5|1|0|4|1.02|glass=250 bottle=330 cup=240
yerba mate|mate, rooibos tea, rooibos|drink|1|0|0.2|0|0|0||cup=240 mug=300
golden milk|turmeric latte|drink|60|2.8|6|2.6|0.3|5|1.02|cup=250 mug=300
soju|makgeolli|drink|120|0|2|0|0|1||shot=50 bottle=360 glass=100
electrolyte water|electrolytes, vitamin water|drink|12|0|3|0|0|3||bottle=500 glass=250
flavored water|la croix water, sparkling flavored water|water|0|0|0|0|0|0||can=355 bottle=500 glass=250
$foods$, E'\n') as line
    where line <> ''
) as lines
on conflict (lower(name)) where source = 'typical' do nothing;
