import Foundation

/// The directory of an unpacked download of FoodData Central.
public struct FoodDataDirectory: FoodDataFiles {
    private let directory: URL
    private static let chunkBytes = 1 << 20

    /// - Parameter path: The directory that contains `food.csv`.
    public init(path: String) {
        directory = URL(filePath: path, directoryHint: .isDirectory)
    }

    /// Reads a file in chunks of 1 MiB.
    public func read(
        _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: directory.appending(path: name))
        } catch {
            throw .fileMissing(name: name)
        }
        defer { try? handle.close() }
        while true {
            let chunk: Data?
            do {
                chunk = try handle.read(upToCount: Self.chunkBytes)
            } catch {
                throw .unreadable(name: name)
            }
            guard let chunk, !chunk.isEmpty else { return }
            try take(Array(chunk))
        }
    }
}

/// A source of FoodData Central's files.
public protocol FoodDataFiles {
    /// Reads a file and gives out its bytes in order, in chunks of any size.
    ///
    /// - Throws: `.fileMissing`, `.unreadable`, and what `take` throws.
    func read(
        _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault)
}

/// A nutrient that is imported. USDA has several numbers for each; if a food has more than one of
/// them, the one with the lowest rank is used.
struct FoodDataNutrient {
    enum Kind: Int, CaseIterable {
        case energy
        case protein
        case carbohydrate
        case fat
        case fiber
        case sugar
    }

    let kind: Kind
    /// The preference; the lowest wins.
    let rank: Int
    /// The factor to kilocalories or grams.
    let factor: Double

    private static let numbers: [Double: Self] = [
        // Kilocalories; by Atwater's specific and general factors; from kilojoules.
        208: Self(kind: .energy, rank: 0, factor: 1),
        958: Self(kind: .energy, rank: 1, factor: 1),
        957: Self(kind: .energy, rank: 2, factor: 1),
        268: Self(kind: .energy, rank: 3, factor: 1 / 4.184),
        203: Self(kind: .protein, rank: 0, factor: 1),
        // By difference; by summation.
        205: Self(kind: .carbohydrate, rank: 0, factor: 1),
        205.2: Self(kind: .carbohydrate, rank: 1, factor: 1),
        // Total lipid; as fatty acids.
        204: Self(kind: .fat, rank: 0, factor: 1),
        298: Self(kind: .fat, rank: 1, factor: 1),
        291: Self(kind: .fiber, rank: 0, factor: 1),
        293: Self(kind: .fiber, rank: 1, factor: 1),
        269: Self(kind: .sugar, rank: 0, factor: 1),
        269.3: Self(kind: .sugar, rank: 1, factor: 1),
    ]

    /// Nil if the nutrient is not imported.
    init?(number: Double) {
        guard let known = Self.numbers[number] else { return nil }
        self = known
    }

    private init(kind: Kind, rank: Int, factor: Double) {
        self.kind = kind
        self.rank = rank
        self.factor = factor
    }
}

/// A food whose files are still being read.
struct FoodDataRow {
    struct Incomplete: Error {
        let reason: FoodImportReport.Reason
    }

    let fdcID: Int64
    let description: String
    private var amounts: [(rank: Int, value: Double)?]
    private var units: [HouseholdUnit] = []

    /// Units of one food; a row of FNDDS has up to a dozen.
    private static let unitsMax = 24
    private static let nameMax = 200

    init(fdcID: Int64, description: String) {
        self.fdcID = fdcID
        self.description = description
        amounts = Array(repeating: nil, count: FoodDataNutrient.Kind.allCases.count)
    }

    mutating func set(_ nutrient: FoodDataNutrient, _ amount: Double) {
        let place = nutrient.kind.rawValue
        if let known = amounts[place], known.rank <= nutrient.rank { return }
        amounts[place] = (nutrient.rank, amount * nutrient.factor)
    }

    /// Keeps a portion if its unit is a household unit. The first portion of a unit wins.
    mutating func addPortion(texts: [String], amount: Double, grams: Double) {
        guard units.count < Self.unitsMax else { return }
        for text in texts {
            guard let (unit, said) = Self.unit(text) else { continue }
            let one = grams / (said ?? amount)
            guard one.isFinite, one > 0, one < Portion.gramsMax else { return }
            if !units.contains(where: { $0.name == unit }) {
                units.append(HouseholdUnit(name: unit, grams: one))
            }
            return
        }
    }

    /// "1 cup, chopped" → cup, 1; "large" → large; "Quantity not specified" → serving.
    private static func unit(_ text: String) -> (unit: String, amount: Double?)? {
        if text.hasPrefix("Quantity not specified") || text == "RACC" { return ("serving", nil) }
        var amount: Double?
        for token in Tokenizer.tokens(of: text) {
            switch token.kind {
            case .number(let value, _):
                if amount == nil, value > 0 { amount = value }
            case .word:
                let word = Measure.sameAs[token.lemma] ?? token.lemma
                if Measure.measured[word] != nil || word == "fl" || word == "cubic" { return nil }
                let isUnit =
                    Measure.vessels[word] != nil || Measure.pieces[word] != nil
                    || ["small", "medium", "large", "piece", "serving", "fruit"].contains(word)
                if isUnit { return (word == "fruit" ? "piece" : word, amount) }
            default:
                return nil
            }
        }
        return nil
    }

    func result() -> Result<ImportedFood, Incomplete> {
        func amount(_ kind: FoodDataNutrient.Kind) -> Double? {
            amounts[kind.rawValue]?.value
        }
        let name = String(description.lowercased().prefix(Self.nameMax))
        guard name.contains(where: \.isLetter) else { return .failure(.init(reason: .nameMissing)) }
        guard let energy = amount(.energy) else { return .failure(.init(reason: .energyMissing)) }
        guard let protein = amount(.protein), let carbohydrate = amount(.carbohydrate),
            let fat = amount(.fat)
        else { return .failure(.init(reason: .nutrientMissing)) }
        let most =
            [protein, carbohydrate, fat, amount(.fiber) ?? 0, amount(.sugar) ?? 0].max() ?? 0
        guard energy <= 1000, most <= 100 else { return .failure(.init(reason: .implausible)) }
        let type = Self.type(name)
        let cup = units.first { $0.name == "cup" }?.grams
        let food = Food(
            name: name, synonyms: Self.synonyms(name), type: type,
            nutrients: Nutrients(
                energy: energy, protein: protein, carbohydrate: carbohydrate, fat: fat,
                fiber: amount(.fiber), sugar: amount(.sugar)),
            density: type == .food ? 1 : cup.map { $0 / 240 } ?? 1, units: units)
        return .success(ImportedFood(fdcID: fdcID, food: food))
    }

    /// A further name: "cheese, cheddar" is also "cheddar cheese".
    private static func synonyms(_ name: String) -> [String] {
        let parts = name.split(separator: ",").map { part in
            String(part.drop { $0 == " " })
        }
        guard parts.count >= 2 else { return [] }
        return [parts[1] + " " + parts[0]]
    }

    private static func type(_ name: String) -> FoodType {
        if name.hasPrefix("water,") || name.hasPrefix("beverages, water") || name == "water" {
            return .water
        }
        let drinks = [
            "beverages,", "alcoholic beverage", "milk,", "coffee,", "tea,", "wine,", "beer,",
            "soft drink", "fruit juice drink", "orange juice", "apple juice", "soda,",
        ]
        return drinks.contains(where: name.hasPrefix) ? .drink : .food
    }
}
