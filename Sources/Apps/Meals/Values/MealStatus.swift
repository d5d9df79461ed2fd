/// The state of a log: `pending → processing → completed | failed`. An edit by the user makes any
/// log `completed`.
public enum MealStatus: String, Sendable, CaseIterable {
    /// In the spool, not in the database yet. Only the 202 response shows this status.
    case pending
    /// Stored; its parse job has not finished.
    case processing
    /// The log has items and totals.
    case completed
    /// The parse job failed; the log has no items.
    case failed

    /// Whether only an edit by the user can change the status.
    public var isFinal: Bool {
        self == .completed || self == .failed
    }

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}
