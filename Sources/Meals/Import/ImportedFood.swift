/// A food of FoodData Central.
public struct ImportedFood: Sendable, Equatable {
    /// Its number there.
    public let fdcID: Int64
    /// As Sluice keeps it.
    public let food: Food
}
