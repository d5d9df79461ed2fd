/// Which meal of the day a log belongs to, as the client sends it.
public enum MealType: String, Sendable, CaseIterable {
    /// In the morning.
    case breakfast
    /// At midday.
    case lunch
    /// In the evening.
    case dinner
    /// Between meals.
    case snack

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}
