/// The kind of an item. Clients show it and count drinks by it.
public enum FoodType: String, Sendable, CaseIterable {
    /// Eaten.
    case food
    /// Drunk, with something in it.
    case drink
    /// Plain water, still or sparkling.
    case water
}
