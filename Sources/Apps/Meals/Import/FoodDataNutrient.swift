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
