import Postgres

/// A portion of one food in a household unit: a slice of bread, a cup of rice.
public struct HouseholdUnit: Sendable, Equatable {
    /// One lower-cased word, singular: `slice`.
    public var name: String
    /// The weight of one unit.
    public var grams: Double

    /// Characters; items of meals have the same limit.
    static let nameLengthMax = 50

    /// Stores the values without checks. Whoever reads them from outside checks them.
    public init(name: String, grams: Double) {
        self.name = name
        self.grams = grams
    }
}
