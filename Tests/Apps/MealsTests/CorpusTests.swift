import Meals
import Testing

/// How well the parser reads meals by people who had not seen it: the test prints the scores and
/// compares them with the scores it once reached. Also the grammar of food that was not eaten, one
/// sentence for each rule.
struct CorpusTests {
    private static let foods = (try? FoodFiles.foods()) ?? []
    private let parser = LocalMealParser(foods: FoodIndex(Self.foods))

    /// `Corpora/open.json` may be looked at; other files beside it are measured in the same way.
    @Test func `meals that the parser was not written for are read well`() throws {
        for (name, meals) in try FoodFiles.corpora() {
            let score = GoldenScore(of: parser, on: meals, foods: Self.foods, loosely: true)
            print("corpus \(name): \(score)")
            for remark in score.remarks { print("  \(remark)") }
            let isOpen = name == "open"
            #expect(score.precision >= (isOpen ? 0.92 : 0.85), "\(name)")
            #expect(score.recall >= (isOpen ? 0.97 : 0.88), "\(name)")
            #expect(score.medianCalorieError <= (isOpen ? 0.1 : 0.15), "\(name)")
            #expect(score.falselySure <= (isOpen ? 8 : 20), "\(name)")
        }
    }

    /// The bounds are what was reached, so that a change that reads some kind worse is seen. The
    /// goal for `kept`, which nobody looks at, is an error of 8 % in the median and 40 % at the 90th
    /// percentile, 3 sure items of 100 that are off by a quarter, which is nearly reached, and no
    /// sure meal that must be doubtful.
    @Test(arguments: [
        ("open", 0.02, 0.3, 3.0, 0), ("later", 0.06, 0.4, 3.0, 0), ("kept", 0.03, 0.4, 4.0, 0),
    ])
    func `sentences of the kinds that were misread are read well or with doubt`(
        half: String, medianMax: Double, p90Max: Double, falselySureMax: Double, carefreeMax: Int
    ) throws {
        let score = KindScore(of: parser, on: try FoodFiles.kinds(half))
        print("kinds \(half): \(score)")
        if half != "kept" { for remark in score.remarks { print("  \(remark)") } }
        #expect(KindScore.quantile(0.5, of: score.calorieErrors) <= medianMax)
        #expect(KindScore.quantile(0.9, of: score.calorieErrors) <= p90Max)
        #expect(score.falselySurePercent <= falselySureMax)
        #expect(score.carefree <= carefreeMax)
        // A reader that doubts everything has not read well.
        #expect(Double(score.sureItems) >= 0.6 * Double(score.items))
    }

    @Test(arguments: [
        // Unknown food, and more than a person eats.
        "200 g zorbulin with 1 apple", "a 400 kcal flumadiddle", "grolsham stew, one bowl",
        "3 kg watermelon", "300 g butter and 1 apple", "1 kg peanut butter",
        // A container of unknown size.
        "tuna in sunflower oil, one can", "a tub of tzatziki", "an apple and a jar of olives",
        // A dish that no table has, an amount without its food, more than one food or kind.
        "2 cheese and onion pasties", "3 mini chocolate eggs", "2 eggs and 2 rashers",
        "two bites of a 200 g burger", "100 g chips", "a burger", "several tacos",
    ])
    func `a meal with an implausible item is doubted, and so is the item`(text: String) throws {
        let meal = try parser.parse(text)
        #expect(meal.items.contains { $0.confidence ?? 1 < 0.5 })
        let confidence = try #require(meal.confidence)
        #expect(confidence < 0.5)
    }

    @Test(
        arguments: [
            ("3 peanut butter cups", 324), ("a can of Pepsi Zero", 0),
            ("1 (28 ounce) can tomatoes", 143),
            ("half a thick slice of bread", 48), ("a G&T and a pear", 268),
            ("rice made with milk, a pear", 379), ("a couple of beers", 305),
            ("frittata with 4 eggs", 480), ("3-egg omelet", 282),
            ("tuna salad with tuna, 100 g", 187),
            ("sandwich with 2 slices of bread", 432),
            ("2 eggs, milk chocolate with a glass of milk", 526),
            ("a few beers", 458), ("three very thick slices of rye bread", 322),
            ("apple - pear - plum", 226), ("an apple, 100 g orzo", 253), ("a quarter pounder", 497),
            ("toast with butter (10 g butter)", 147), ("an apple (one medium apple)", 95),
            ("scrambled eggs, 2 eggs, on 1 slice of toast", 257), ("omelette of 3 eggs", 282),
            ("two cans of sardines, 120 g each", 499), ("half a ripe medium mango", 62),
            ("half a thick, buttered slice of bread", 48), ("a couple of 30 g cookies", 288),
            ("two eggs on a bed of spinach, half an avocado", 259), ("2 quarters of an apple", 47),
            ("beef tacos with cheese, 3 of them", 627), ("beans, 200 g of baked beans", 188),
            ("100 g reduced-fat cheddar", 210), ("100 g light gouda", 233), ("half a cuppa", 7),
        ])
    func `a word belongs to its food, and counts once`(text: String, calories: Int) throws {
        let meal = try parser.parse(text)
        #expect(abs(meal.totals.calories - calories) <= 2, "\(meal.totals.calories)")
    }

    @Test(
        arguments: [
            // Denied, wished for, or eaten by somebody else.
            ("Didn't have any bread, just tomato soup", ["tomato soup"]),
            ("I didn't eat anything but a banana", ["banana"]),
            ("no breakfast, just coffee", ["coffee"]),
            ("I skipped breakfast but had a banana around ten", ["banana"]),
            ("I didn't skip breakfast, had eggs", ["egg"]),
            ("Skipped the bread, two eggs", ["egg"]),
            ("Skipped dinner", []), ("Wanted pizza but ate an apple", ["apple"]),
            ("Wanted crisps, had carrots instead", ["carrot"]),
            ("I wanted to eat the cake", []),
            ("my wife had the steak, I had the salmon", ["salmon"]),
            ("Anna ate the fries and I ate an apple", ["apple"]),
            ("almost had a donut, had an apple", ["apple"]),
            ("could have eaten a burger but had soup", ["vegetable soup"]),
            // Instead of.
            ("rice instead of fries", ["white rice"]),
            ("instead of fries I had rice", ["white rice"]),
            ("cheeseburger, not fries", ["cheeseburger"]),
            ("swapped the fries for an apple", ["apple"]),
            // References to food named before.
            ("burger and fries, didn't eat the fries", ["hamburger"]),
            ("Made a chocolate cake but didn't try any", []),
            ("I ordered the ribs but ended up eating just the coleslaw", ["coleslaw"]),
            ("bought a bagel and ate it", ["bagel"]),
            ("Bought eggs, milk and bread at the supermarket", []),
            (
                "chicken sandwich and fries, wait no, it was an apple",
                ["chicken sandwich", "apple"]
            ),
            ("a banana, sorry, an apple", ["apple"]),
            // Ingredient lists.
            ("protein shake: 1 scoop whey, 300 ml milk", ["protein powder", "whole milk"]),
            ("omelette made with 3 eggs and 30 g cheddar", ["egg", "cheddar cheese"]),
            ("oatmeal made with water", ["oatmeal"]),
            // Brands.
            ("a lean cuisine", ["ready meal"]), ("KFC", ["fried chicken"]),
            ("a latte at starbucks", ["latte"]),
        ] as [(String, [String])])
    func `food that was not eaten is not logged, and food that was is`(
        text: String, expected: [String]
    ) throws {
        let found = (try? parser.parse(text).foods.map { $0?.name ?? "?" }) ?? []
        #expect(found == expected)
    }

    @Test(
        arguments: [
            ("250 kcal protein bar", 250, 68.0), ("two protein bars, 200 kcal each", 400, 120),
            ("150 g rice (200 kcal)", 200, 150), ("burger and fries, 900 calories", 900, nil),
            ("lunch was about 600 calories: chicken wrap and an apple", 600, nil),
            ("a 400 kcal flumadiddle", 400, nil),
            ("one bar of dark chocolate", 590, 100), ("2 eggs, actually 1 egg", 72, 50),
            ("2 eggs, no wait 3", 215, 150), ("a slice of toast, then later another one", 151, 52),
            ("ate half a pizza", 931, 350), ("pizza, ate half of it", 931, 350),
            ("Shared a pizza with Anna", 931, 350), ("a pizza, left half", 931, 350),
            ("half a bag of doritos, the 200 g bag", 489, 100),
            ("I ate 2 of the 6 cookies", 154, 32),
            ("100 g dry pasta", 360, 100), ("a bite of steak", 49, 20),
        ] as [(String, Int, Double?)])
    func `stated calories, parts and corrections are used`(
        text: String, calories: Int, grams: Double?
    ) throws {
        let meal = try parser.parse(text)
        #expect(abs(meal.totals.calories - calories) <= 2, "\(meal.totals.calories)")
        if let grams {
            #expect(meal.items.count == 1)
            #expect(abs((meal.items[0].grams ?? 0) - grams) < 0.5)
        }
    }

    @Test(arguments: [
        ("Shared a pizza with Anna", 0.5), ("couldn't finish my burrito", 0.5), ("KFC", 0.65),
        ("rice", 0.8), ("a few bites of cake", 0.65),
    ])
    func `a guess has low confidence`(text: String, atMost: Double) throws {
        #expect(try parser.parse(text).items[0].confidence ?? 1 <= atMost)
    }
}
