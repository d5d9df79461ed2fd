import Synchronization

/// A number that only increases. Thread-safe.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    /// A counter that belongs to no registry; see ``Registry/counter(_:help:labels:)``.
    public init() {}

    /// One relaxed atomic addition.
    public func increment() {
        increment(by: 1)
    }

    /// One relaxed atomic addition.
    public func increment(by amount: Int) {
        precondition(amount >= 0, "BUG: amount=\(amount)")
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The sum of all additions that this thread can see.
    public var value: Int {
        count.load(ordering: .relaxed)
    }
}
