-- Foods that were misread, in the form of migration 9: canned food with what it is canned in, names
-- that end in a word for a measure ("peanut butter cup"), diet foods, and British words. A row of a
-- known food replaces it.

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
tuna in oil|tuna in olive oil, tuna in sunflower oil, tuna in vegetable oil, tuna canned in oil, oil packed tuna|food|198|29|0|8.2|0|0||can=120 serving=85 cup=146
mackerel in tomato sauce|tinned mackerel in tomato sauce, mackerel fillets in tomato sauce|food|180|13|2|13.5|0.3|1.8||can=125 serving=125
canned salmon|tinned salmon, salmon in water, salmon in brine, salmon in its own juice, pink salmon|food|138|23|0|5|0|0||can=170 serving=85 cup=150
artichoke hearts in oil|marinated artichokes, marinated artichoke hearts, artichokes in oil|food|120|2|6|10|3|1||serving=50 piece=15 jar=170 cup=168
sun dried tomatoes in oil|sundried tomatoes in oil, sun dried tomatoes in olive oil|food|213|5|23|14|6|0||serving=30 piece=6 jar=180 cup=110
peaches in syrup|canned peaches, tinned peaches, pears in syrup, canned pears, tinned pears, fruit cocktail, canned fruit, tinned fruit, peach slices in syrup|food|74|0.5|19|0.1|1.3|18||can=420 cup=256 serving=125 half=80
pineapple in juice|canned pineapple, tinned pineapple, pineapple chunks in juice, pineapple rings in juice|food|60|0.4|15.7|0.1|0.8|14||can=567 cup=250 ring=47 slice=47 serving=125
peaches in juice|pears in juice, fruit cocktail in juice, mandarins in juice, tinned mandarins, canned mandarins|food|46|0.5|11.6|0|1.2|10||can=410 cup=248 serving=125 half=80
spaghetti hoops|spaghetti in tomato sauce, tinned spaghetti, canned spaghetti, alphabetti spaghetti, spaghettios|food|65|1.8|13|0.4|0.6|4.5||can=400 cup=250 serving=200
mushy peas||food|81|5.8|13.8|0.7|1.8|1.8||serving=100 can=300 tbsp=30 cup=240
peanut butter cup|peanut butter cups, reeses cup, reeses peanut butter cup, chocolate peanut butter cup|food|515|10|55|30|3.6|47||piece=21 mini=9 packet=42 pack=42
pudding cup|chocolate pudding cup, pudding pot, chocolate pot, custard pot|food|125|2.5|20|4|0.3|15||piece=110 cup=110 pot=110
jello cup|jelly pot, jelly cup, gelatin cup|food|70|0.8|16|0|0|16||piece=98 cup=98 pot=125
applesauce cup|apple sauce cup, applesauce pouch, fruit pouch, apple sauce pouch|food|50|0.2|12|0.1|1.2|10||piece=113 cup=113 pouch=90
pot noodle|cup noodles, cup noodle, noodle cup, noodle pot, instant noodle cup, ramen cup, noodles in a cup, cup ramen|food|120|3|16|5|0.8|1||piece=305 pot=305 cup=305
cup a soup|cup of soup mix, instant soup, mug soup|food|35|0.7|6|1|0.3|2||piece=220 cup=220 mug=220 sachet=220
ice cream bar|ice cream bars, choc ice, magnum, chocolate ice cream bar, klondike bar|food|310|4|27|21|1|23||piece=60 bar=60
fruit bar|fruit and oat bar, nutri grain bar, lemon bar, jam bar|food|365|3.5|70|8|3.5|40||piece=30 bar=30
egg roll|egg rolls, pork egg roll, chicken egg roll, vegetable egg roll|food|250|8|27|12|2.5|4||piece=85 roll=85 mini=25
glass noodles|cellophane noodles, mung bean noodles, bean thread noodles, sweet potato noodles|food|90|0.1|22|0.1|0.3|0||cup=190 bowl=190 serving=190
pound cake|madeira sponge, loaf cake|food|388|5.5|49|19|0.5|28||slice=50 piece=50 loaf=340
angel food cake||food|258|6|58|0.8|1.5|30||slice=50 piece=50
coffee cake|crumb cake, cinnamon coffee cake|food|400|6|50|20|1.5|25||slice=65 piece=65
pop tart|pop tarts, poptart, toaster pastry|food|390|4|70|10|1.5|34||piece=50 packet=100
taco shell|taco shells, tostada shell|food|476|6|62|22|6|1||piece=13
hollandaise|hollandaise sauce, bearnaise, bearnaise sauce|food|500|4|2|53|0.1|1||tbsp=15 serving=40 with=40 cup=240
prawn crackers|prawn cracker, shrimp chips|food|530|2.5|60|31|1.2|5||serving=30 bag=60 piece=2 handful=15
dried fig|dried figs|food|249|3.3|64|0.9|9.8|48||piece=8 cup=149 handful=40 serving=40
dried mango|dried pineapple, dried papaya|food|319|2.4|78|1.2|2.4|66||serving=40 piece=12 cup=120 handful=30
dried apple|dried apple rings, apple rings, dried pear|food|243|0.9|65|0.3|8.7|57||serving=30 piece=6 cup=86 handful=25
nut bar|kind bar, fruit and nut bar, peanut bar, almond bar|food|480|12|42|30|7|20||piece=40 bar=40
quarter pounder|quarter pounder with cheese, quarter pounder burger, quarterpounder|food|255|15|21|13|1.3|5||piece=195
cake pop|cake pops, cake ball|food|420|4|55|21|1|42||piece=40
chocolate cupcake|vanilla cupcake, cupcake with frosting, red velvet cupcake, chocolate cupcakes|food|390|4|56|17|1.5|41||piece=50 mini=20
crab cake|crab cakes|food|155|15|6|8|0.4|0.5||piece=60 small=40 large=100
potato cake|tattie scone, potato scone, potato farl|food|210|4|30|8|2|1||piece=60
oatcake|oatcakes, oat cake, oat cakes|food|440|10|60|17|8|2||piece=12
teacake|tea cake, toasted teacake, currant bun|food|290|8.5|54|4.5|2.5|17||piece=60
matzo ball|matzo balls, kneidlach|food|160|7|16|7|0.6|0.5||piece=35
rum ball|rum balls, truffle ball|food|430|4|54|22|2|40||piece=20
melon ball|melon balls|food|34|0.8|8|0.2|0.8|8||piece=10 cup=177
fruit leather|fruit roll up, fruit roll ups, fruit winder|food|370|0.1|85|3|0|50||piece=14
pizza bagel|pizza bagels, bagel bites, pizza roll, pizza rolls, pizza pocket|food|260|9|34|9.5|1.8|4||piece=20 mini=15
swiss roll|jelly roll, arctic roll, chocolate roll, cake roll|food|340|5|55|11|1|38||slice=40 piece=40
lobster roll|shrimp roll, crab roll|food|235|15|22|9.5|1|3||piece=190
jello shot|jelly shot, vodka jelly|food|120|1|12|0|0|12||piece=30 shot=30
espresso shot|espresso shots, shot of espresso|drink|2|0.1|0|0|0|0||piece=30 shot=30
ginger shot|turmeric shot, wheatgrass shot|drink|45|0.5|10|0|0|8||piece=60 shot=60
stock cube|bouillon cube, oxo cube, stock pot|food|240|12|20|13|0|3||piece=10 cube=10
sugar cube|sugar cubes, sugar lump|food|387|0|100|0|0|100||piece=4 cube=4
butter tart|treacle tart, bakewell tart, jam tart, mince pie, pecan tart|food|390|4|60|15|1.5|34||piece=60 slice=90
eccles cake|chelsea bun, bath bun, lardy cake, belgian bun|food|385|5|57|16|2|28||piece=65
hobnob|hobnobs, oat biscuit, oaty biscuit|food|478|7|63|21|4|20||piece=14 biscuit=14 pack=250 packet=250
chocolate digestive|chocolate digestives, chocolate biscuit, chocolate biscuits, chocolate hobnob, penguin bar, club biscuit|food|500|6.5|63|24|3|30||piece=17 biscuit=17
rich tea|rich tea biscuit, rich tea biscuits, malted milk biscuit, tea biscuit, marie biscuit, plain biscuit|food|453|7|71|15|2.5|19||piece=8 biscuit=8
custard cream|custard creams, bourbon biscuit, bourbon biscuits, jammie dodger, sandwich biscuit, cream biscuit, biscuits with tea, tea and biscuits|food|485|5.5|68|21|2|31||piece=13 biscuit=13
jaffa cake|jaffa cakes|food|375|4.5|70|8.5|2|52||piece=12
fairy cake|fairy cakes, bun cake, butterfly cake|food|400|5|55|18|1|34||piece=30
victoria sponge|sponge cake with jam, lemon drizzle cake, madeira cake, battenberg, coffee and walnut cake|food|390|5|51|18|1|33||slice=65 piece=65
malt loaf|soreen, fruit loaf|food|300|8|63|2.5|4|22||slice=35 piece=35
spotted dick|jam roly poly, steamed pudding, sponge pudding, treacle sponge, bread and butter pudding|food|310|4.5|46|13|1.3|24||serving=140 bowl=180 slice=120
banoffee pie|eton mess, syllabub, tiffin|food|330|3.5|38|19|1|28||slice=120 serving=120 piece=120
white pudding|haggis, hogs pudding|food|300|9|22|20|2|1||slice=35 piece=35 serving=100
sunday roast|roast dinner, sunday dinner, christmas dinner, carvery|food|140|9|11|6|2|2||serving=550 plate=550
pie and mash|pie and chips|food|215|6|25|10|2|1.5||serving=450 plate=450
ploughmans lunch|ploughmans|food|250|12|20|14|1.8|4||serving=300 plate=300
welsh rarebit|cheese on toast, grilled cheese on toast|food|350|15|27|20|1.3|2.5||slice=70 serving=140 piece=70
chip butty|chip sandwich, chip barm, chip cob, crisp sandwich, french fry sandwich|food|250|6|34|10|2.8|2||piece=180
sausage sandwich|sausage butty, sausage bap, sausage sarnie, sausage cob, sausage and egg sandwich|food|290|11|27|15|1.6|3||piece=170
cheese toastie|cheese and ham toastie, ham and cheese toastie, toastie, toasted cheese sandwich|food|300|14|27|15|1.5|3||piece=130
bread bap|bap, barm, barm cake, bread cob, bridge roll, finger roll, morning roll, soft roll, white roll, stottie|food|260|9|49|3.5|2.5|3||piece=55
salad cream|brown sauce, hp sauce, daddies sauce|food|200|1|24|11|0.8|20||tbsp=15 tsp=5 serving=15
piccalilli|branston pickle, branston, sandwich pickle, sweet pickle|food|110|0.8|26|0.3|1.1|23||tbsp=18 tsp=6 serving=20
bovril|beef tea|drink|5|0.8|0.4|0|0|0||mug=300 cup=240
orange squash|dilute juice, diluting juice, cordial, barley water, fruit squash, blackcurrant squash|drink|12|0|3|0|0|3||glass=250 cup=240
lucozade|ribena, original lucozade, isotonic drink|drink|45|0|11|0|0|11||bottle=500 carton=250 glass=250 can=330
milky tea|white tea, cuppa, builders tea, cuppa with milk|drink|6|0.4|0.5|0.3|0|0.5||cup=240 mug=300 cuppa=240
scampi|breaded scampi, scampi and chips, whitebait|food|230|11|22|11|1|1||serving=170 piece=15
battered sausage|saveloy, battered sausages|food|310|11|16|23|0.8|1||piece=100
kids crisps|hula hoops, quavers, wotsits, monster munch, twiglets, pom bears, mini cheddars, french fries crisps, pickled onion crisps|food|510|6|60|27|3|3||bag=22 packet=22 pack=22 serving=22 handful=15
boiled sweets|sweets, candyfloss, cotton candy, wine gums, wine gum, jelly babies, jelly baby, fruit pastilles, pick and mix, pick n mix|food|360|2|87|0.5|0|70||piece=6 bag=100 handful=40 packet=50
maltesers|malteser, minstrels, smarties, chocolate buttons|food|500|7|64|24|1|55||piece=2 bag=37 packet=37 handful=25
mashed swede|swede, swede mash, mashed turnip, neeps, boiled swede, rutabaga|food|35|0.9|7|0.5|2|5||serving=100 cup=220 piece=150
runner beans|mange tout, mangetout, sugar snaps, french beans, fine beans|food|30|2|6|0.2|3|3||serving=80 cup=110 handful=40
burger without bun|hamburger without bun, cheeseburger without bun, burger no bun, bunless burger, lettuce wrapped burger|food|254|25|1|17|0|0||piece=90 patty=113
sugar free jelly|sugar free jello, diet jello, no sugar jelly|food|8|1.4|0.9|0|0|0||cup=240 serving=120 bowl=240 pot=120
low fat cheddar|reduced fat cheddar, light cheddar, half fat cheddar, low fat cheese, reduced fat cheese, light cheese|food|210|28|2|10|0|0.5||slice=28 serving=28 cup=113 piece=28
light mayonnaise|low fat mayonnaise, light mayo, low fat mayo, reduced fat mayo, reduced fat mayonnaise, diet mayo|food|260|0.7|8|25|0|4||tbsp=15 tsp=5
fat free yogurt|nonfat yogurt, fat free plain yogurt, low fat yogurt, low fat plain yogurt, zero fat yogurt|food|57|5.5|7.5|0.5|0|7.5|1.03|serving=170 cup=245 pot=125 container=170 tub=170 tbsp=15 bowl=245
nonfat greek yogurt|non fat greek yogurt, fat free greek yogurt, zero fat greek yogurt, 0% greek yogurt, low fat greek yogurt|food|59|10.2|3.6|0.4|0|3.2||container=170 cup=245 bowl=245 tub=170 tbsp=15 pot=170 serving=170
low fat cottage cheese|fat free cottage cheese, reduced fat cottage cheese, light cottage cheese|food|72|12.4|2.7|1|0|2.7||serving=113 cup=226 bowl=226 scoop=60 tbsp=14
light cream cheese|low fat cream cheese, reduced fat cream cheese, lightest cream cheese|food|200|7.8|8|15|0|6||tbsp=15 cup=240 tsp=5
fat free dressing|fat free ranch, light ranch, light dressing, low fat dressing, fat free ranch dressing, fat free italian dressing, diet dressing|food|120|0.5|26|1.5|0.3|6||tbsp=16 serving=32
alcohol free beer|zero beer, beer zero, heineken zero, guinness zero, alcohol free lager, non alcoholic lager, low alcohol beer, zero alcohol beer|drink|22|0.3|4.8|0|0|2||can=330 bottle=330 pint=568 glass=330
alcohol free wine|non alcoholic wine, dealcoholised wine|drink|20|0.1|4.5|0|0|4||glass=150 bottle=750
frittata|egg frittata, vegetable frittata, spanish frittata, frittata with cheese|food|150|10.5|3|10.8|0.4|1.3||serving=160 slice=110 piece=160 egg=80
egg and cheese sandwich|egg sandwich with cheese, egg bap, fried egg sandwich, egg muffin sandwich|food|250|12|24|12|1.2|3||piece=150 half=75 egg=130
pickled egg|pickled eggs, pickled quail egg|food|150|12|1.5|10|0|1||piece=50
surf and turf|steak and prawns, steak and shrimp|food|200|25|1|10|0|0||serving=250 plate=250
rum and coke|rum and cola, cuba libre, whiskey and coke, whisky and coke, jack and coke, vodka and coke|drink|68|0|6.5|0|0|6.5||glass=240 can=250
pork scratchings||food|600|48|0.5|46|0|0.5||bag=30 packet=30 handful=15
pigs in blankets|pig in blanket|food|300|15|6|24|0.5|1||piece=30 serving=90
cauliflower cheese|broccoli cheese, leek cheese bake|food|110|6|5.5|7.5|1.2|3||serving=200 cup=240
corned beef sandwich|tuna mayo sandwich, coronation chicken sandwich, prawn mayo sandwich, sarnie|food|245|12|24|11|1.5|3||piece=170 half=85
oven baked wedges|spicy wedges, seasoned wedges, sweet potato wedges|food|170|2.5|25|7|2.8|2||serving=150 piece=25
jaffa orange|satsuma, satsumas, tangerine orange, easy peeler, easy peelers|food|50|0.8|12|0.2|1.7|9.5||piece=70 medium=70 small=55 large=90
ice pole|ice lolly stick, fruit lolly, ice pop stick, freeze pop|food|79|0|19|0.2|0|14||piece=60
mince beef|cooked mince, mince and onions, savoury mince|food|220|22|2|14|0.3|1||serving=150 cup=150
omelette|omelet, egg omelette, plain omelette, egg omelet, ham omelette, ham omelet, omelette with ham|food|154|10.6|0.6|11.7|0|0.3||serving=122 piece=122 egg=61 small=90 large=183
cheese omelette|cheese omelet, omelette with cheese, omelet with cheese, egg and cheese omelette, cheese and egg omelet|food|190|13|1.2|14.5|0|0.6||serving=150 piece=150 egg=75
scrambled eggs|scrambled egg, egg scramble, scrambled egg whites and eggs|food|149|10|1.6|11|0|1.4||serving=122 large=61 small=46 medium=54 piece=61 egg=61 cup=220
cola|coke, coca cola, pepsi, soda, pop, soft drink, sprite, fanta, dr pepper, ginger ale, root beer, 7up, mountain dew, cherry coke, fizzy drink, cream soda, orange soda, grape soda, irn bru, tango, lilt, fizzy pop|drink|42|0|10.6|0|0|10.6|1.04|can=368 glass=250 cup=250 bottle=510 small=350 medium=550 large=800 liter=1040
diet cola|diet coke, coke zero, diet soda, pepsi max, diet pepsi, zero sugar soda, sugar free soda, coke zero sugar, diet sprite, sprite zero, zero sugar coke, diet dr pepper, diet 7up, diet lemonade, diet pop, diet fizzy drink, diet tonic, coca cola zero, diet coca cola, pepsi zero, diet root beer, diet ginger ale, coke no sugar|drink|0|0|0.1|0|0|0||can=355 glass=250 cup=250 bottle=500 small=350 medium=530 large=770
tonic water|tonic, indian tonic water|drink|34|0|8.8|0|0|8.8||glass=250 can=355 cup=244 bottle=500
gin and tonic|vodka soda, vodka tonic, vodka cranberry, gin tonic, g and t, g n t, gnt, vodka and tonic, vodka lemonade, vodka and soda|drink|76|0|7|0|0|7||glass=220 cup=220 serving=220 can=250
mac and cheese|macaroni and cheese, mac n cheese, macaroni cheese, kraft dinner, mac cheese, mac n chz|food|164|6.8|17|7.5|1|2.5||serving=250 cup=200 bowl=280 plate=300
skinny latte|nonfat latte, skim latte, skinny vanilla latte, skinny iced latte|drink|33|3.3|4.8|0.1|0|4.6||cup=300 small=240 medium=355 large=475 tall=355 grande=473 venti=591
pasta|spaghetti, cooked pasta, penne, fettuccine, linguine, macaroni, fusilli, plain pasta, noodle pasta, rigatoni, bowtie pasta, bow tie pasta, bowties, farfalle, orzo, rotini, orecchiette, ziti, pasta shells, conchiglie, cavatappi, ditalini, pappardelle, tagliatelle, bucatini, linguini, angel hair, angel hair pasta, pasta bows, pasta twists|food|158|5.8|30.9|0.9|1.8|0.6||serving=200 cup=140 bowl=220 plate=250
gammon|gammon steak, gammon joint, boiled gammon|food|190|23|0.5|8.5|0|0.5||steak=200 serving=150 slice=60 piece=200 rasher=60
chicken pot pie|pot pie, chicken pie, meat pie, steak pie, steak and kidney pie|food|223|7.5|20|12.5|1|2||piece=220 slice=200 serving=250
french fries|fries, french fry, potato fries, waffle fries, curly fries, steak fries, shoestring fries, chip shop chips, portion of chips, bowl of chips, plate of chips, side of chips, cone of chips, chips and gravy, oven chips, chunky chips, triple cooked chips, hand cut chips, home made chips, fat chips, skinny fries, air fryer chips|food|312|3.4|41|15|3.8|0.3||serving=117 small=71 medium=117 large=154 cup=80 handful=50 bag=117 basket=170 portion=165
bacon sandwich|bacon roll, bacon butty, bacon sarnie, bacon bap, bacon cob, bacon barm, bacon toastie, bacon bun|food|310|14|29|15|1.5|3||piece=120
beer|lager, ale, ipa, stout, guinness, bitter, pale ale, pilsner, lager beer, draught beer, craft beer, shandy|drink|43|0.5|3.6|0|0|0||can=355 bottle=355 pint=473 glass=355 cup=355 small=250 large=500 schooner=425
bacon|bacon strips, streaky bacon, bacon rasher, crispy bacon|food|541|37|1.4|42|0|0||serving=16 slice=8 strip=8 rasher=8 piece=8
ham sandwich|ham roll, ham bap, ham cob, ham sarnie, ham baguette|food|230|13|26|8|1.6|3.5||piece=150 half=75
tuna sandwich|tuna salad sandwich, tuna melt, tuna fish sandwich, tuna roll, tuna bap, tuna sarnie, tuna mayo roll, tuna baguette|food|235|13|22|10.5|1.4|3||piece=180 half=90
cracker|crackers, saltines, saltine, ritz cracker, water cracker, cream cracker, cream crackers, jacobs crackers|food|460|8|66|18|2.5|6||serving=20 piece=3.5 handful=20 packet=20 cup=60
sardine|sardines, canned sardines, sardines in oil, sardines in olive oil, sardines in sunflower oil, sardines in tomato sauce, sardines in brine, sardines in water, pilchards, pilchards in tomato sauce, tinned sardines|food|208|24.6|0|11.5|0|0||can=92 piece=12 serving=92
anchovy|anchovies, anchovies in oil, anchovies in olive oil, anchovies in salt, anchovy fillets|food|210|29|0|9.7|0|0||piece=4 fillet=4 can=45 jar=80
mackerel|mackerel in brine, mackerel in oil, mackerel in olive oil, tinned mackerel|food|262|24|0|17.8|0|0||fillet=90 piece=90 can=110
tuna|canned tuna, tuna in water, tuna fish, tuna in brine, tuna in spring water, tinned tuna|food|116|25.5|0|0.8|0|0||can=120 cup=154 serving=85 packet=74
tea|black tea, green tea, herbal tea, earl grey, chamomile tea, peppermint tea, mint tea, english breakfast tea, black tea without milk, builders brew, cup of char, brew|drink|1|0|0.2|0|0|0||cup=240 mug=300 glass=240 pot=700 small=240 medium=355 large=475
greek yogurt|plain greek yogurt, greek yoghurt|food|73|10|3.9|1.9|0|3.3||container=170 cup=245 bowl=245 tub=170 tbsp=15 pot=170 serving=170
fish cake|fishcake|food|200|15|11|11|0.7|1||piece=80 small=60
ramen|instant noodles, ramen noodles, instant ramen, noodle soup, cup of noodles|food|85|2.8|12|2.9|0.6|0.5||serving=450 bowl=500 packet=450 cup=300 pack=450
mandarin|tangerine, clementine, mandarin orange, cutie|food|53|0.8|13.3|0.3|1.8|10.6||medium=88 small=76 large=120 piece=76 cup=195
green beans|string beans, green bean, haricots verts|food|35|1.9|7.9|0.3|3.2|3.6||serving=100 cup=125 handful=50
snow peas|sugar snap peas, snap peas|food|42|2.8|7.5|0.2|2.6|4||serving=80 cup=98 handful=40 piece=3
ham and cheese sandwich|ham cheese sandwich, ham and cheese panini|food|260|14|24|12|1.4|3.5||piece=165 half=82
egg sandwich|egg salad sandwich|food|245|10|23|12.5|1.2|3||piece=160 half=80
breakfast sandwich|egg mcmuffin, sausage egg and cheese, bacon egg and cheese, bacon egg and cheese sandwich, sausage mcmuffin, sausage egg and cheese sandwich, bacon egg cheese, egg muffin|food|245|13|20|12.5|1.1|3||piece=150
grilled cheese sandwich|grilled cheese, cheese sandwich|food|340|12.5|28|20|1.4|4||piece=120 half=60
spring roll|spring rolls|food|220|6|25|10.5|2|2.5||piece=64 roll=64
granola bar|cereal bar, muesli bar, oat bar, nature valley bar, breakfast bar|food|450|8|65|18|5|28||bar=35 piece=35
m&ms|m&m|food|492|4.3|71|21|2.8|64||serving=48 bag=48 packet=48 handful=30 piece=0.9
gummy bears|gummies, gummy candy, jelly beans, candy, skittles, haribo|food|343|4|82|0.3|0.2|58||serving=40 piece=2.5 handful=35 bag=60 packet=50
digestive||food|470|7|65|21|3.5|17||piece=15
sponge cake|vanilla cake, lemon cake|food|350|5.3|55|12|0.8|34||slice=65 piece=65
pudding|chocolate pudding, vanilla pudding, custard|food|125|2.8|20|3.8|0.4|15||cup=240 serving=110 pot=110 bowl=200
non alcoholic beer||drink|25|0.3|5.5|0.1|0|2.8||can=355 bottle=355 pint=473 glass=355
black pudding|blood sausage|food|300|13|15|21|1|0.5||slice=35 serving=70
sausage roll|pork pie, pig in a blanket|food|330|9.5|25|21.5|1.3|1.5||piece=100 roll=100 mini=30 small=40
crumpet||food|190|6|38|1|2|2||piece=55
bread pudding|sticky toffee pudding|food|230|5|35|8|1|21||serving=150 slice=120 cup=200 bowl=200
trifle||food|170|2.5|22|8|0.6|17||serving=150 bowl=200
pork rinds|pork crackling|food|544|61|0|31|0|0||serving=28 bag=56 handful=10
parsnip|parsnips, roast parsnips, turnip|food|71|1.3|17|0.3|3.6|4.8||serving=80 cup=156 piece=130 medium=130
egg bites|egg bite, egg muffin cup|food|175|11.5|3.5|13|0.2|2||piece=60 serving=120 slice=110
japchae||food|145|4|23|4|1.2|5||serving=200 plate=250 cup=160
$foods$, E'\n') as line
    where line <> ''
) as lines
on conflict (lower(name)) where source = 'typical' do update set
    synonyms = excluded.synonyms, energy_kcal = excluded.energy_kcal,
    protein_g = excluded.protein_g, carbs_g = excluded.carbs_g, fat_g = excluded.fat_g,
    fiber_g = excluded.fiber_g, sugar_g = excluded.sugar_g, density = excluded.density,
    unit_names = excluded.unit_names, unit_grams = excluded.unit_grams, updated_at = now();
