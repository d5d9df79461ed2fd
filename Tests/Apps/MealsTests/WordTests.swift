import Testing

@testable import Meals

/// The parser's small parts: lemmas, tokens, distances, trigrams.
struct WordTests {
    @Test(arguments: [
        ("eggs", "egg"), ("cookies", "cookie"), ("berries", "berry"), ("tomatoes", "tomato"),
        ("sandwiches", "sandwich"), ("slices", "slice"), ("glasses", "glass"), ("leaves", "leaf"),
        ("pies", "pie"), ("quiches", "quiche"), ("fries", "fry"), ("radishes", "radish"),
        ("cheeses", "cheese"), ("dates", "date"),
    ])
    func `plural and singular have one lemma`(plural: String, singular: String) {
        #expect(Lemma.of(plural) == Lemma.of(singular))
        #expect(Lemma.isPlural(plural))
        #expect(!Lemma.isPlural(singular))
    }

    @Test(arguments: ["hummus", "asparagus", "swiss", "watercress", "couscous", "oz", "pea"])
    func `words that only end like plurals are unchanged`(word: String) {
        #expect(Lemma.of(word) == word)
    }

    @Test func `tokens separate numbers, words and breaks`() {
        let tokens = Tokenizer.tokens(of: "1 1/2 cups 2% milk, 200g McDonald's\n(x2) 7:30 1st")
        let kinds = tokens.map { token in
            switch token.kind {
            case .word: token.text
            case .number(let value, let isFraction): isFraction ? "f\(value)" : "n\(value)"
            case .comma: ","
            case .stop: "|"
            case .colon: ":"
            case .dash: "-"
            case .open: "("
            case .close: ")"
            }
        }
        #expect(
            kinds == [
                "n1.0", "f0.5", "cups", "2%", "milk", ",", "n200.0", "g", "mcdonalds", "|", "(",
                "x",
                "n2.0", ")",
            ])
    }

    @Test func `no more than a thousand scalars are read`() {
        #expect(Tokenizer.tokens(of: String(repeating: "a ", count: 5000)).count == 500)
    }

    @Test(arguments: [
        ("chicken", "chicken", 0), ("chiken", "chicken", 1), ("chikcen", "chicken", 1),
        ("brocolli", "broccoli", 2), ("a", "", 1), ("", "", 0), ("tea", "pea", 1),
    ])
    func `edit distance counts a swap as one`(left: String, right: String, distance: Int) {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        #expect(EditDistance.between(left, right, atMost: 2) == distance)
        #expect(EditDistance.between(right, left, atMost: 2) == distance)
        if distance > 0 {
            #expect(EditDistance.between(left, right, atMost: distance - 1) == nil)
        }
    }

    @Test func `letter masks never hide a near word`() {
        let words = ["chicken", "kitchen", "broccoli", "rice", "lice", "avocado", "egg", "eggs"]
        for left in words {
            for right in words {
                let (a, b) = (Array(left.utf8), Array(right.utf8))
                guard let distance = EditDistance.between(a, b, atMost: 2) else { continue }
                let apart = (EditDistance.mask(a) ^ EditDistance.mask(b)).nonzeroBitCount
                #expect(apart <= 2 * distance)
            }
        }
    }

    @Test func `trigrams are those of pg_trgm`() {
        // select show_trgm('word a'): "  a", "  w", " a ", " wo", "ord", "rd ", "wor"
        #expect(Trigrams("word a").codes.count == 7)
        #expect(Trigrams("").codes.isEmpty)
        #expect(Trigrams("Word").codes != Trigrams("word").codes)
        #expect(Trigrams("a-b").codes == Trigrams("a b").codes)
    }

    @Test func `of equally similar names the first in the table wins`() {
        let nutrients = Nutrients.none
        let index = FoodIndex([
            Food(name: "plumcake", nutrients: nutrients),
            Food(name: "plumcakf", nutrients: nutrients),
        ])
        for _ in 0..<20 {
            let found = index.similar(to: "plumcak", atLeast: 0.3)
            #expect(found?.food.name == "plumcake" || found?.food.name == "plumcakf")
            #expect(found?.food == index.similar(to: "plumcak", atLeast: 0.3)?.food)
        }
        #expect(index.similar(to: "zzz", atLeast: 0.3) == nil)
        #expect(FoodIndex([]).similar(to: "egg", atLeast: 0) == nil)
    }

    @Test func `the longest name wins`() {
        let index = FoodIndex(
            ["milk", "chocolate milk", "milk chocolate"].map { Food(name: $0, nutrients: .none) })
        #expect(index.longest(["milk", "chocolate", "milk"])?.food.name == "milk chocolate")
        #expect(index.longest(["milk", "shake"])?.count == 1)
        #expect(index.longest(["shake"]) == nil)
        #expect(index.bag("chocolate milk")?.name == "chocolate milk")
    }
}
