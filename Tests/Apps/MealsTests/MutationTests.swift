import Meals
import TestSupport
import Testing

/// Meals with random damage: the parser never traps and stays within its limits.
struct MutationTests {
    private static let seed: UInt64 = 20_261_121

    private static let pieces = [
        "½", "1/2", "0", "/", "-", "–", "(", ")", ":", ",", ".", "\n", "%", "&", " x ", "\u{0}",
        "é",
        "🍕", "and", "with", "no", "a", "half", "dozen", "2", "1e9", "99999999999999999999", "g",
        "cup",
        "of", "free", "'", "\u{301}", "٣", "x3", "fl oz", "1/0", "0/0", "..", "1.", "2)", "large",
    ]

    private static func mutate(_ text: String, _ generator: inout Dice) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...scalars.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where place < scalars.count:
                scalars.remove(at: place)
            case 1 where place < scalars.count:
                scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &generator))
            case 2:
                scalars.removeLast(scalars.count - place)
            case 3:
                scalars += scalars.prefix(1500 - min(1500, scalars.count))
            default:
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                scalars.insert(contentsOf: Array(piece.unicodeScalars), at: place)
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    @Test(.timeLimit(.minutes(10))) func `damaged meals neither trap nor exceed the limits`() throws
    {
        let foods = try FoodFiles.foods()
        let parser = LocalMealParser(foods: FoodIndex(foods))
        let meals = try FoodFiles.tuning() + FoodFiles.heldOut() + FoodFiles.late()
        var generator = Dice(seed: Self.seed)
        var parsed = 0
        for round in 0..<8 {
            for meal in meals {
                let text = Self.mutate(meal.text, &generator)
                guard let result = try? parser.parse(text) else { continue }
                parsed += 1
                #expect((1...Meals.itemsMax).contains(result.items.count))
                for item in result.items {
                    let isSane =
                        item.quantity > 0 && item.quantity.isFinite && item.calories >= 0
                        && (item.grams ?? 0) >= 0 && (item.grams ?? 0) <= 20_000
                        && (0...1).contains(item.confidence ?? -1) && !item.name.isEmpty
                        && !item.unit.isEmpty && !item.name.contains("\0")
                    #expect(isSane, "seed \(Self.seed), round \(round): \(text.debugDescription)")
                }
                if round == 0 { #expect(try parser.parse(text) == result) }
            }
        }
        #expect(parsed > 1000)
    }

    @Test func `every prefix of a long meal is read`() throws {
        let parser = LocalMealParser(foods: FoodIndex(try FoodFiles.foods()))
        let text =
            "2 x 150 g grilled chikn (1/2 cup), no ½ sauce; w/o 3-egg omelet: 7up 2% milk\n1. a dozen"
        for length in 0...text.count {
            _ = try? parser.parse(String(text.prefix(length)))
            _ = try? parser.parse(String(text.suffix(length)))
        }
        #expect(try parser.parse(text).items.count >= 3)
    }
}
