public import Instruments

/// Observations in buckets: a histogram at one moment, or the difference of two.
public struct Distribution: Equatable, Sendable {
    /// Upper bounds, ascending, in exposed units.
    public private(set) var bounds: [Double]
    /// One count per bound and one for larger values; not cumulative.
    public private(set) var counts: [Int]
    /// Sum of all observations.
    public private(set) var sum: Double

    /// - Parameter counts: one more than there are bounds.
    public init(bounds: [Double], counts: [Int], sum: Double) {
        precondition(
            counts.count == bounds.count + 1,
            "BUG: \(bounds.count) bounds, \(counts.count) counts")
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    /// A distribution without observations.
    public init() {
        self.init(bounds: [], counts: [0], sum: 0)
    }

    /// Converts a histogram's cumulative buckets.
    public init(_ snapshot: Histogram.Snapshot) {
        var below = 0
        var counts: [Int] = []
        for bucket in snapshot.buckets {
            counts.append(bucket.count - below)
            below = bucket.count
        }
        counts.append(snapshot.count - below)
        self.init(bounds: snapshot.buckets.map(\.bound), counts: counts, sum: snapshot.sum)
    }

    /// Number of observations.
    public var count: Int { counts.reduce(0, +) }

    /// The mean; nil without observations.
    public var mean: Double? { count > 0 ? max(0, sum) / Double(count) : nil }

    /// The observations since `earlier`; all of them if `earlier` has other bounds.
    public func since(_ earlier: Distribution) -> Distribution {
        guard earlier.bounds == bounds else { return self }
        return Distribution(
            bounds: bounds,
            counts: zip(counts, earlier.counts).map { max(0, $0 - $1) },
            sum: max(0, sum - earlier.sum))
    }

    /// Adds another histogram with the same bounds; one with other bounds replaces this one.
    public mutating func add(_ other: Distribution) {
        guard other.bounds == bounds else {
            self = other
            return
        }
        counts = zip(counts, other.counts).map { $0 + $1 }
        sum += other.sum
    }

    /// The value that a share of the observations does not exceed, assuming that they are spread
    /// evenly in their bucket. For observations above all bounds it is the highest bound; nil
    /// without observations.
    public func quantile(_ share: Double) -> Double? {
        let count = count
        guard count > 0 else { return nil }
        let rank = min(max(share, 0), 1) * Double(count)
        var below = 0.0
        for (place, inBucket) in counts.enumerated() where inBucket > 0 {
            let top = below + Double(inBucket)
            if rank <= top {
                guard place < bounds.count else { break }
                let low = place == 0 ? 0 : bounds[place - 1]
                return low + (bounds[place] - low) * max(0, rank - below) / Double(inBucket)
            }
            below = top
        }
        return bounds.last
    }
}
