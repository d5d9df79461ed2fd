import Synchronization

/// A number that only grows. Any thread may add to it at any time.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    /// One that belongs to no registry yet; see ``Registry/counter(_:help:labels:)``.
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

    /// The sum of what was added before, as seen by this thread.
    public var value: Int {
        count.load(ordering: .relaxed)
    }
}
