/// A food of FoodData Central.
public struct ImportedFood: Sendable, Equatable {
    /// The food's number in FoodData Central.
    public let fdcID: Int64
    /// The food as Sluice stores it.
    public let food: Food
}
