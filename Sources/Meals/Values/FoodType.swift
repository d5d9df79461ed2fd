/// What the client shows an item as, and counts its drinks by.
public enum FoodType: String, Sendable, CaseIterable {
    /// Eaten.
    case food
    /// Drunk, with something in it.
    case drink
    /// Plain water, still or sparkling.
    case water
}
