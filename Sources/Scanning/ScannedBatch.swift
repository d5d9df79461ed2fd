public import Readings

/// A whole batch, scanned: nothing of the body is retained but the rows and what was set aside.
public struct ScannedBatch: Sendable {
    /// Elements of `data`.
    public let received: Int
    /// Elements that were set aside, all of them and not only those in ``problems``.
    public let quarantined: Int
    /// The first 100 that were set aside, in order.
    public let problems: [Problem]
    /// The envelope's device first (there even without rows), then overriding devices in the order
    /// of their first valid reading.
    public let parcels: ParcelList

    /// How many problems an answer names.
    public static let problemsMax = 100

    /// Memory it holds.
    public var memory: Int { parcels.reduce(0) { $0 + $1.memory } }
}

/// One line of the answer's `problems`.
public struct Problem: Equatable, Sendable {
    /// Place in the batch's `data`, from 0.
    public let index: Int
    /// The first rule the reading broke.
    public let reason: QuarantineReason

    /// One line.
    public init(index: Int, reason: QuarantineReason) {
        self.index = index
        self.reason = reason
    }
}
