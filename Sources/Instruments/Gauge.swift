import Synchronization

/// A level that goes up and down. Any thread may move it at any time.
///
/// Where the level can be asked for (a queue's depth, a database's state), register a closure with
/// ``Registry/gauge(_:help:labels:read:)`` instead of keeping a second copy here.
public final class Gauge: Sendable {
    private let level = Atomic<Int>(0)

    /// One that belongs to no registry yet; see ``Registry/gauge(_:help:labels:)``.
    public init() {}

    /// Replaces the level.
    public func set(_ value: Int) {
        level.store(value, ordering: .relaxed)
    }

    /// Moves the level up; balance it with ``subtract(_:)``.
    public func add(_ amount: Int) {
        level.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Moves the level down.
    public func subtract(_ amount: Int) {
        level.wrappingSubtract(amount, ordering: .relaxed)
    }

    /// The level as seen by this thread.
    public var value: Int {
        level.load(ordering: .relaxed)
    }
}
