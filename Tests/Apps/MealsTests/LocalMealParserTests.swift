import Meals
import Testing

/// The parser's results for single phrases.
struct LocalMealParserTests {
    private static let foods = (try? FoodFiles.foods()) ?? []
    private static let index = FoodIndex(foods)
    private let parser = LocalMealParser(foods: Self.index)

    private func read(_ text: String) throws -> [String] {
        let meal = try parser.parse(text)
        return zip(meal.items, meal.foods).map { item, food in
            "\(food?.name ?? "?") \(item.grams.map { "\(Int($0.rounded()))" } ?? "-")"
        }
    }

    @Test(arguments: [
        ("2 eggs", ["egg 100"]), ("two eggs", ["egg 100"]), ("twenty-one almonds", ["almonds 25"]),
        ("a dozen eggs", ["egg 600"]), ("half a dozen eggs", ["egg 300"]),
        ("1/2 avocado", ["avocado 68"]), ("½ avocado", ["avocado 68"]),
        ("half an avocado", ["avocado 68"]), ("1 1/2 bananas", ["banana 177"]),
        ("1½ bananas", ["banana 177"]), ("one and a half bananas", ["banana 177"]),
        ("2 and a half cups of rice", ["white rice 395"]), ("1.5 cups rice", ["white rice 237"]),
        ("2-3 eggs", ["egg 125"]), ("2 to 3 eggs", ["egg 125"]), ("two or three eggs", ["egg 125"]),
        ("a couple of eggs", ["egg 100"]), ("a few eggs", ["egg 150"]), ("eggs x3", ["egg 150"]),
        ("3x eggs", ["egg 150"]), ("2 x 150g chicken breast", ["chicken breast 300"]),
        ("three quarters of a cup of rice", ["white rice 119"]),
        ("1,000 g potatoes", ["potato 1000"]),
        ("1,5 kg potatoes", ["potato 1500"]), ("two hundred grams of tofu", ["tofu 200"]),
        ("two hundred and fifty grams of tofu", ["tofu 250"]),
        ("one hundred twenty-five grams of tofu", ["tofu 125"]),
        ("a hundred and ten grams of tofu", ["tofu 110"]), ("2 hundred g tofu", ["tofu 200"]),
        ("a hundred grams of tofu and two eggs", ["tofu 100", "egg 100"]),
        ("999999 eggs", ["egg 20000"]),
    ])
    func `quantities of every form are understood`(text: String, expected: [String]) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("200g rice", ["white rice 200"]), ("0.5 kg rice", ["white rice 500"]),
        ("8 oz steak", ["beef steak 227"]), ("1 lb ground beef", ["ground beef 454"]),
        ("500 ml milk", ["whole milk 515"]), ("1 l water", ["water 1000"]),
        ("12 fl oz cola", ["cola 369"]), ("12 oz beer", ["beer 355"]),
        ("2 tbsp peanut butter", ["peanut butter 32"]), ("1 tsp. sugar", ["sugar 4"]),
        ("a can of coke", ["cola 368"]), ("a 12 oz can of coke", ["cola 369"]),
        ("2 slices of bread", ["white bread 56"]), ("bread 2 slices", ["white bread 56"]),
        ("a bowl of chicken soup", ["chicken soup 350"]), ("handful of almonds", ["almonds 28"]),
        ("2 large eggs", ["egg 100"]), ("3 small eggs", ["egg 114"]),
        ("large fries", ["french fries 154"]),
        ("3 egg omelette", ["omelette 183"]), ("3-egg omelette", ["omelette 183"]),
        ("6-inch sub", ["sub sandwich 228"]),
        ("5 chicken wings", ["chicken wing 150"]),
        ("2 pizza slices", ["pizza 214"]), ("half a pizza", ["pizza 350"]),
        ("double espresso", ["espresso 60"]), ("grande latte", ["latte 473"]),
        ("chicken breast (200g)", ["chicken breast 200"]), ("rice: 150 g", ["white rice 150"]),
        ("rice 150g, beef 100g", ["white rice 150", "roast beef 100"]),
        ("rice 150g beef 100g", ["white rice 150", "roast beef 100"]),
    ])
    func `units are converted to grams`(text: String, expected: [String]) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("mac and cheese", ["mac and cheese"]), ("fish & chips", ["fish and chips"]),
        ("PB&J", ["peanut butter and jelly sandwich"]),
        ("peanut butter and jelly sandwich", ["peanut butter and jelly sandwich"]),
        ("bacon, lettuce and tomato sandwich", ["blt"]), ("half and half", ["half and half"]),
        ("eggs and bacon", ["egg", "bacon"]), ("toast with butter", ["toast", "butter"]),
        ("rice\nbeans", ["white rice", "kidney beans"]), ("egg + toast", ["egg", "toast"]),
        ("1. oatmeal 2. banana", ["oatmeal", "banana"]),
        ("- oatmeal\n- banana", ["oatmeal", "banana"]),
        ("chicken, grilled", ["chicken breast"]), ("eggs, scrambled", ["scrambled eggs"]),
        ("fried egg", ["fried egg"]), ("turkey avocado wrap", ["wrap"]),
        ("baked sweet potato fries", ["sweet potato fries"]), ("cheese burger", ["cheeseburger"]),
        ("chickenbreast", ["chicken breast"]), ("starbucks latte", ["latte"]),
        ("Crème fraîche", ["creme fraiche"]), ("jalapeño", ["jalapeno"]),
    ])
    func `compound names stay whole and others are split`(text: String, expected: [String]) throws {
        #expect(try parser.parse(text).foods.map { $0?.name ?? "?" } == expected)
    }

    @Test(arguments: [
        ("coffee, no sugar", ["coffee"]), ("burger without cheese or onions", ["hamburger"]),
        ("toast w/o butter", ["toast"]), ("black coffee", ["coffee"]),
        ("tea with no milk and honey", ["tea", "honey"]), ("sugar free gum", ["chewing gum"]),
        ("dairy free ice cream", ["ice cream"]), ("coffee with 0 sugars", ["coffee"]),
        ("low sugar jam", ["jam"]),
    ])
    func `food that was left out is not logged`(text: String, expected: [String]) throws {
        #expect(try parser.parse(text).foods.map { $0?.name ?? "?" } == expected)
    }

    @Test(arguments: [
        "two eggs for breakfast", "this morning I ate 2 eggs", "Breakfast: 2 eggs",
        "had 2 eggs at 7:30 am", "2 eggs after the gym", "I just had 2 eggs today, yum!",
        "2 eggs 3 hours ago", "2 eggs (140 kcal)",
    ])
    func `times and places are ignored`(text: String) throws {
        #expect(try read(text).first == "egg 100")
        #expect(try read(text).count == 1)
    }

    @Test(arguments: [
        ("chiken brest", "chicken breast"), ("brocolli", "broccoli"), ("yoghurt", "plain yogurt"),
        ("avacado", "avocado"), ("spagetti bolognese", "spaghetti bolognese"), ("tost", "toast"),
        ("scrambeled eggs", "scrambled eggs"), ("penutbutter", "peanut butter"),
    ])
    func `misspelt names are corrected and marked`(text: String, expected: String) throws {
        let meal = try parser.parse(text)
        #expect(meal.foods.map { $0?.name } == [expected])
        if text != "yoghurt", text != "penutbutter" {
            #expect(meal.items[0].notes?.contains("spelling") == true)
            #expect((meal.items[0].confidence ?? 1) < 0.8)
        }
    }

    @Test func `a better description has a higher confidence`() throws {
        let said = ["200 g broccoli", "broccoli", "brocolli", "flumadiddle brocolli"]
        let confidences = try said.map { try parser.parse($0).items[0].confidence ?? 0 }
        #expect(confidences == confidences.sorted(by: >))
        #expect(confidences[0] >= 0.95)
        #expect(confidences[3] < 0.65)
    }

    @Test func `an unknown food is kept beside known ones`() throws {
        let meal = try parser.parse("2 eggs and flumadiddle")
        #expect(meal.items.count == 2)
        #expect(meal.items[1].name == "Flumadiddle")
        #expect(meal.items[1].calories == 0)
        #expect((meal.items[1].confidence ?? 1) < 0.5)
        #expect(meal.items[1].notes?.contains("unknown") == true)
        #expect(meal.items.map(\.orderIndex) == [0, 1])
        #expect(try parser.parse("200 g flumadiddle").items[0].grams == 200)
    }

    @Test(arguments: [
        "xyz123 invalid food", "", "   ", "hello, how are you?", "no sugar", "2", "½", "🍕🍕", "寿司",
        "0 eggs", "))((", "at the gym for breakfast",
    ])
    func `a sentence without food fails`(text: String) {
        #expect(throws: MealParsingFailure.nothingParsed) { try parser.parse(text) }
    }

    @Test func `the failure says what the client shows`() {
        let failure = MealParsingFailure.nothingParsed
        #expect(failure.message == "Unable to parse food items from input")
        #expect(failure.code == "PARSING_FAILED")
        #expect(!failure.suggestions.isEmpty)
    }

    @Test func `a word that is far from every name is not matched to one`() throws {
        for text in ["eggs at grandma's", "eggs and vitamins", "eggs and a walk"] {
            let known = try parser.parse(text).foods.compactMap { $0?.name }
            #expect(known == ["egg"], "\(text)")
        }
    }

    @Test func `names, units and figures are those of the client's sample`() throws {
        let meal = try parser.parse("2 scrambled eggs with cheese and whole wheat toast")
        #expect(
            meal.items.map(\.name) == ["Scrambled Eggs", "Cheddar Cheese", "Whole Wheat Toast"])
        #expect(meal.items.map(\.type) == [.food, .food, .food])
        let apple = try parser.parse("a Granny Smith apple and 250 ml water").items
        #expect(apple[0].unit == "medium")
        #expect(apple[0].calories == 95)
        #expect(apple[0].protein == 0.5)
        #expect(apple[1].type == .water)
        #expect(apple[1].unit == "ml")
        #expect(try parser.parse("200g grilled salmon").items[0].name == "Grilled Salmon")
    }

    @Test func `a user's own food wins over common foods`() throws {
        let own = FoodIndex([
            Food(
                origin: .user(id: "6f1c"), name: "granola", synonyms: ["house mix"],
                nutrients: Nutrients(energy: 500, protein: 10, carbohydrate: 60, fat: 24),
                units: [HouseholdUnit(name: "scoop", grams: 33)])
        ])
        let item = try parser.parse("2 scoops of granola", own: own).items[0]
        #expect(item.userFoodID == "6f1c")
        #expect(item.foodID == nil)
        #expect(item.calories == 330)
        #expect(try parser.parse("granola bar", own: own).foods[0]?.name == "granola bar")
        #expect(try parser.parse("house mix, 10 g", own: own).items[0].calories == 50)
        #expect(try parser.parse("granola").items[0].userFoodID == nil)
    }

    @Test func `no more than 40 items are read`() throws {
        let text = Array(repeating: "egg", count: 200).joined(separator: ",")
        #expect(try parser.parse(text).items.count == Meals.itemsMax)
    }
}
