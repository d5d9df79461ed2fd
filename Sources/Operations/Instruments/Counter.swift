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

/// A fixed row of atomic integers, each on its own, all starting at zero.
///
/// The only unsafe memory of this module: an `Atomic` can't be an element of an array, so the cells
/// are allocated here, never move, and are freed with this object. Every access is bounds-checked.
///
/// `@unchecked Sendable`: the pointer is never changed after `init`, and what it points to is only
/// ever reached through atomic operations.
final class AtomicCells: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    let count: Int

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count {
            (cells + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    func add(_ amount: Int, to index: Int) {
        precondition(index >= 0 && index < count, "BUG: index=\(index)")
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    func load(_ index: Int) -> Int {
        precondition(index >= 0 && index < count, "BUG: index=\(index)")
        return cells[index].load(ordering: .relaxed)
    }
}

/// Counts of observations by size, in buckets that are fixed when it is made.
///
/// A value equal to a bound belongs to that bound's bucket (`le` means less or equal). Recording is
/// a binary search over the bounds and two relaxed atomic additions. The count is the sum of the
/// buckets, so that within one scrape `_count` and the `+Inf` bucket always agree; `_sum` may be
/// ahead of or behind them by the observations being recorded at that moment.
public final class Histogram: Sendable {
    /// What one observation counts.
    public enum Unit: Sendable {
        /// Recorded in nanoseconds, told in seconds.
        case seconds
        /// Recorded and told as it is: readings, bytes, batches.
        case count

        /// Recorded units in one told unit; a divisor, so that whole bounds stay exact.
        fileprivate var divisor: Double {
            switch self {
            case .seconds: 1e9
            case .count: 1
            }
        }
    }

    /// Upper bounds in recorded units, strictly rising; the bucket above them all is implied.
    private let bounds: [Int]
    private let unit: Unit
    /// One cell a bound, one for everything above, one for the sum.
    private let cells: AtomicCells

    /// - Parameters:
    ///   - unit: decides the scale of the text.
    ///   - bounds: in recorded units (nanoseconds or counts), 1 to 64, strictly rising.
    public init(_ unit: Unit, bounds: [Int]) {
        precondition((1...64).contains(bounds.count), "BUG: bounds=\(bounds.count)")
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "BUG: bounds must rise")
        self.unit = unit
        self.bounds = bounds
        cells = AtomicCells(count: bounds.count + 2)
    }

    /// From 50 µs to 30 s, the span between a commit in memory and a client's patience.
    public static let latencyBounds: [Int] = [
        50_000, 100_000, 200_000, 500_000,
        1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
        100_000_000, 200_000_000, 500_000_000,
        1_000_000_000, 2_000_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
    ]

    /// Powers of four from 1 to 4 Mi: readings of a group, bytes of a body.
    public static let sizeBounds: [Int] = (0...11).map { 1 << (2 * $0) }

    /// Adds one observation of a length of time.
    public func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        record(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Adds one observation in recorded units: nanoseconds for ``Unit/seconds``.
    ///
    /// - Complexity: O(log buckets). A negative value (a clock that stepped) counts as zero.
    public func record(_ value: Int) {
        let value = max(value, 0)
        cells.add(1, to: bucket(of: value))
        cells.add(value, to: bounds.count + 1)
    }

    private func bucket(of value: Int) -> Int {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// What is in the buckets now.
    public var snapshot: Snapshot {
        var cumulative = 0
        var buckets: [(bound: Double, count: Int)] = []
        buckets.reserveCapacity(bounds.count)
        for (index, bound) in bounds.enumerated() {
            cumulative += cells.load(index)
            buckets.append((Double(bound) / unit.divisor, cumulative))
        }
        return Snapshot(
            buckets: buckets,
            count: cumulative + cells.load(bounds.count),
            sum: Double(cells.load(bounds.count + 1)) / unit.divisor)
    }

    /// A histogram at one moment, in told units.
    public struct Snapshot: Sendable {
        /// Cumulative, rising by bound, without the `+Inf` bucket.
        public let buckets: [(bound: Double, count: Int)]
        /// All observations; the `+Inf` bucket.
        public let count: Int
        /// The sum of all observations.
        public let sum: Double
    }
}
