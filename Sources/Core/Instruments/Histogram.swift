import Synchronization

/// Counts observations by size, in fixed buckets.
///
/// A value equal to a bound belongs to that bound's bucket (`le` means less or equal). Recording
/// takes a binary search over the bounds and two relaxed atomic additions. The count is the sum of
/// the buckets, so `_count` and the `+Inf` bucket always agree within one scrape; `_sum` may differ
/// by the observations being recorded at that moment.
public final class Histogram: Sendable {
    /// The unit of an observation.
    public enum Unit: Sendable {
        /// Recorded in nanoseconds, exposed in seconds.
        case seconds
        /// Recorded and exposed unchanged: readings, bytes, batches.
        case count

        /// Recorded units per exposed unit. It is a divisor so that whole bounds stay exact.
        var divisor: Double {
            switch self {
            case .seconds: 1e9
            case .count: 1
            }
        }
    }

    /// Upper bounds in recorded units, strictly increasing; the bucket above the last one is
    /// implied.
    private let bounds: [Int]
    private let unit: Unit
    /// One cell per bound, one for larger values, one for the sum.
    private let cells: AtomicCells

    /// - Parameters:
    /// - unit: the scale of the exposed values.
    /// - bounds: in recorded units (nanoseconds or counts), 1 to 64, strictly increasing.
    public init(_ unit: Unit, bounds: [Int]) {
        precondition((1...64).contains(bounds.count), "BUG: bounds=\(bounds.count)")
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "BUG: bounds must rise")
        self.unit = unit
        self.bounds = bounds
        cells = AtomicCells(count: bounds.count + 2)
    }

    /// From 50 µs to 30 s: from a commit in memory to a client's timeout.
    public static let latencyBounds: [Int] = [
        50_000, 100_000, 200_000, 500_000,
        1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
        100_000_000, 200_000_000, 500_000_000,
        1_000_000_000, 2_000_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
    ]

    /// Powers of four from 1 to 4 Mi: for readings of a group or bytes of a body.
    public static let sizeBounds: [Int] = (0...11).map { 1 << (2 * $0) }

    /// Adds one observation of a duration.
    public func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        record(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Adds one observation in recorded units: nanoseconds for ``Unit/seconds``.
    ///
    /// - Complexity: O(log buckets). A negative value (the clock was set back) counts as zero.
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

    /// The current state of the buckets.
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

    /// A histogram at one moment, in exposed units.
    public struct Snapshot: Sendable {
        /// Cumulative, in ascending order of the bounds, without the `+Inf` bucket.
        public let buckets: [(bound: Double, count: Int)]
        /// Number of all observations: the `+Inf` bucket.
        public let count: Int
        /// The sum of all observations.
        public let sum: Double
    }
}
