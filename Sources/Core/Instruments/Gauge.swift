import Synchronization

/// A level that goes up and down. Thread-safe.
///
/// If the level can be queried (a queue's depth, a database's state), register a closure with
/// ``Registry/gauge(_:help:labels:read:)`` instead of keeping a copy here.
public final class Gauge: Sendable {
    private let level = Atomic<Int>(0)

    /// A gauge that belongs to no registry; see ``Registry/gauge(_:help:labels:)``.
    public init() {}

    /// Replaces the level.
    public func set(_ value: Int) {
        level.store(value, ordering: .relaxed)
    }

    /// Raises the level; balance it with ``subtract(_:)``.
    public func add(_ amount: Int) {
        level.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Lowers the level.
    public func subtract(_ amount: Int) {
        level.wrappingSubtract(amount, ordering: .relaxed)
    }

    /// The level as seen by this thread.
    public var value: Int {
        level.load(ordering: .relaxed)
    }
}
