/// A portion of one food as a kitchen measures it: a slice of bread, a cup of rice.
public struct HouseholdUnit: Sendable, Equatable {
    /// One lower-cased word, singular: `slice`.
    public var name: String
    /// What one of them weighs.
    public var grams: Double

    /// Takes both as they are; `Food` is what checks them.
    public init(name: String, grams: Double) {
        self.name = name
        self.grams = grams
    }
}
