/// How far a log has come: `pending → processing → completed | failed`.
public enum MealStatus: String, Sendable, CaseIterable {
    /// Stored, no work begun.
    case pending
    /// Its parser has been asked.
    case processing
    /// Has items and totals.
    case completed
    /// No items will come.
    case failed

    /// Nothing follows but an edit by the user.
    public var isFinal: Bool {
        self == .completed || self == .failed
    }

    /// Whether a log in this status may be put into `next`.
    public func mayBecome(_ next: Self) -> Bool {
        switch (self, next) {
        case (.pending, .processing), (.processing, .completed), (.processing, .failed): true
        default: false
        }
    }

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}
