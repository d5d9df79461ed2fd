import Foundation

/// A written meal and what was eaten, from a file of the golden set or a corpus.
struct GoldenMeal: Sendable {
    /// One food of the meal.
    struct Item: Sendable {
        /// The accepted names in the food table; empty for a food that is in no table.
        let names: [String]
        /// Nil when the calories are given instead.
        let grams: Double?
        /// Nil when the grams are given instead.
        let calories: Double?
    }

    /// The sentence as a person wrote it.
    let text: String
    /// In the order of the text.
    let items: [Item]

    /// A line of the file that can't be read.
    struct Fault: Error {
        /// The faulty line.
        let line: String
    }

    /// The meals of a file with lines `text => food grams; food|other name 300kcal; ?unknown food`.
    static func meals(in file: String) throws(Fault) -> [Self] {
        var meals: [Self] = []
        for line in file.split(separator: "\n") where !line.hasPrefix("#") {
            let line = String(line)
            let arrow = line.split(separator: " => ", maxSplits: 1)
            guard arrow.count == 2 else { throw Fault(line: line) }
            var items: [Item] = []
            for part in arrow[1].split(separator: "; ") {
                guard let item = item(part) else { throw Fault(line: line) }
                items.append(item)
            }
            meals.append(Self(text: unescaped(arrow[0]), items: items))
        }
        return meals
    }

    /// The meals of a corpus: a JSON array of objects with `text` and `items`. Each item has `food`
    /// (in the writer's own words) and `kcal`.
    static func meals(json: Data) throws -> [Self] {
        struct Meal: Decodable {
            struct Item: Decodable {
                let food: String
                let kcal: Double
            }
            let text: String
            let items: [Item]
        }
        return try JSONDecoder().decode([Meal].self, from: json).map { meal in
            let items = meal.items.map { Item(names: [$0.food], grams: nil, calories: $0.kcal) }
            return Self(text: meal.text, items: items)
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        text.split(separator: #"\n"#, omittingEmptySubsequences: false).joined(separator: "\n")
    }

    private static func item(_ text: Substring) -> Item? {
        if text.hasPrefix("?") { return Item(names: [], grams: nil, calories: nil) }
        guard let space = text.lastIndex(of: " ") else { return nil }
        let names = text[..<space].split(separator: "|").map(String.init)
        let figure = text[text.index(after: space)...]
        if figure.hasSuffix("kcal"), let calories = Double(figure.dropLast(4)) {
            return Item(names: names, grams: nil, calories: calories)
        }
        guard let grams = Double(figure) else { return nil }
        return Item(names: names, grams: grams, calories: nil)
    }
}
