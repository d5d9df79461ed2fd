/// Reads foods from the tables that stand in migrations: `…_foods.sql`.
///
/// A line is a food, eleven columns parted by `|`:
/// `name|synonyms|type|kcal|protein|carbohydrate|fat|fiber|sugar|density|units`, synonyms parted by
/// `, `, units by spaces as `unit=grams`; nutrients in grams per 100 g.
public enum FoodTable {
    /// A line that is no food, counted from 1 in the text that was read.
    public struct Fault: Error, Equatable {
        /// Where.
        public let line: Int
        /// Which column, from 0; 11: their number.
        public let column: Int
    }

    /// The foods of the whole migration: what stands between its markers `$foods$`.
    public static func foods(migration: String) throws(Fault) -> [Food] {
        let parts = migration.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = parts.firstIndex(where: { $0.hasSuffix("$foods$") }),
            let end = parts[(start + 1)...].firstIndex(where: { $0.hasPrefix("$foods$") })
        else { throw Fault(line: 1, column: 11) }
        return try foods(lines: parts[(start + 1)..<end], firstLine: start + 2)
    }

    /// The foods of these lines; empty ones are passed over.
    public static func foods(
        lines: some Sequence<Substring>, firstLine: Int = 1
    ) throws(Fault) -> [Food] {
        var foods: [Food] = []
        for (offset, line) in lines.enumerated() where !line.isEmpty {
            foods.append(try food(line, number: firstLine + offset))
        }
        return foods
    }

    private static func food(_ line: Substring, number: Int) throws(Fault) -> Food {
        let columns = line.split(separator: "|", omittingEmptySubsequences: false)
        guard columns.count == 11 else { throw Fault(line: number, column: 11) }
        guard !columns[0].isEmpty else { throw Fault(line: number, column: 0) }
        guard let type = FoodType(rawValue: String(columns[2])) else {
            throw Fault(line: number, column: 2)
        }
        var figures: [Double?] = []
        for column in 3...9 {
            if columns[column].isEmpty, column > 6 {
                figures.append(nil)
                continue
            }
            guard let value = Double(columns[column]), value.isFinite, value >= 0 else {
                throw Fault(line: number, column: column)
            }
            figures.append(value)
        }
        var units: [HouseholdUnit] = []
        for unit in columns[10].split(separator: " ") {
            let pair = unit.split(separator: "=")
            guard pair.count == 2, let grams = Double(pair[1]), grams.isFinite, grams > 0 else {
                throw Fault(line: number, column: 10)
            }
            units.append(HouseholdUnit(name: String(pair[0]), grams: grams))
        }
        let synonyms = columns[1].split(separator: ",").map { text in
            String(text.drop { $0 == " " })
        }
        return Food(
            name: String(columns[0]), synonyms: synonyms.filter { !$0.isEmpty }, type: type,
            nutrients: Nutrients(
                energy: figures[0] ?? 0, protein: figures[1] ?? 0, carbohydrate: figures[2] ?? 0,
                fat: figures[3] ?? 0, fiber: figures[4], sugar: figures[5]),
            density: figures[6] ?? 1, units: units)
    }
}
