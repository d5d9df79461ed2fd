import Postgres
import Readings

/// The rows that a command selects; an unset field does not restrict the selection.
public struct RejectionFilter: Sendable, Equatable {
    /// Prefixes of digests in hexadecimal; a row must match one of them.
    public var ids: [String]
    /// The device of a reading, in any case, or the kind of a unit, such as `meal_log.natural`.
    public var origin: String?
    /// As ``Readings/QuarantineReason`` spells it; for units, such as `refused_by_database`.
    public var reason: String?

    /// - Parameters: see the properties; each narrows the selection.
    public init(ids: [String], origin: String?, reason: String?) {
        self.ids = ids
        self.origin = origin
        self.reason = reason
    }

    /// Whether every row matches.
    public var isEverything: Bool { ids.isEmpty && origin == nil && reason == nil }
}
