/// Counts durations in classes that are at most a thousandth of their value wide, so percentiles
/// are exact to three digits. Recording takes constant time and does not allocate.
///
/// Values are nanoseconds up to ``valueMax``. Takes about 270 kB.
///
/// - Source: the log-linear classes of HdrHistogram.
public struct LatencyHistogram: Sendable, Equatable {
    /// One hour; longer durations are counted as this.
    public static let valueMax: UInt64 = 3_600_000_000_000
    /// Below twice this value, a class is one nanosecond wide.
    private static let classesPerOctave = 1024

    private var counts = [Int](repeating: 0, count: Self.index(valueMax) + 1)
    private var sum = 0.0
    /// The number of recorded durations.
    public private(set) var totalCount = 0
    /// The shortest; 0 without any.
    public private(set) var min: UInt64 = 0
    /// The longest; 0 without any.
    public private(set) var max: UInt64 = 0

    /// Without durations.
    public init() {}

    /// In nanoseconds; 0 without any.
    public var mean: Double { totalCount == 0 ? 0 : sum / Double(totalCount) }

    /// Adds one duration.
    public mutating func record(_ nanoseconds: UInt64) {
        let value = Swift.min(nanoseconds, Self.valueMax)
        counts[Self.index(value)] += 1
        min = totalCount == 0 ? value : Swift.min(min, value)
        max = Swift.max(max, value)
        sum += Double(value)
        totalCount += 1
    }

    /// Removes all durations but keeps the memory.
    public mutating func removeAll() {
        guard totalCount > 0 else { return }
        for index in Self.index(min)...Self.index(max) { counts[index] = 0 }
        (sum, totalCount, min, max) = (0, 0, 0, 0)
    }

    /// The duration that `percentile` percent do not exceed; 0 without any.
    public func valueAtPercentile(_ percentile: Double) -> UInt64 {
        guard totalCount > 0 else { return 0 }
        let rank = Swift.max(
            1, (Swift.min(percentile, 100) / 100 * Double(totalCount)).rounded(.up))
        var seen = 0
        for index in Self.index(min)...Self.index(max) {
            seen += counts[index]
            if Double(seen) >= rank { return Swift.min(Self.highest(ofIndex: index), max) }
        }
        return max
    }

    /// The number of durations in each range between neighbours of `bounds`, which must rise; a
    /// range includes its upper bound. Exact to the width of a class.
    public func counts(between bounds: [UInt64]) -> [Int] {
        var result = [Int](repeating: 0, count: Swift.max(0, bounds.count - 1))
        guard totalCount > 0 else { return result }
        var range = 0
        for index in Self.index(min)...Self.index(max) where counts[index] > 0 {
            let value = Swift.min(Self.highest(ofIndex: index), max)
            while range + 1 < bounds.count, value > bounds[range + 1] { range += 1 }
            if range < result.count, value >= bounds[range] { result[range] += counts[index] }
        }
        return result
    }

    private static func index(_ value: UInt64) -> Int {
        guard value >= 2 * classesPerOctave else { return Int(value) }
        // Drops low bits until a number from 1024 to 2047 remains.
        let shift = 53 - value.leadingZeroBitCount
        return shift * classesPerOctave + Int(value >> UInt64(shift))
    }

    private static func highest(ofIndex index: Int) -> UInt64 {
        guard index >= 2 * classesPerOctave else { return UInt64(index) }
        let shift = index / classesPerOctave - 1
        return (UInt64(index - shift * classesPerOctave + 1) << UInt64(shift)) - 1
    }
}

/// Milliseconds at a percentile; 0 without any.
public func milliseconds(_ histogram: LatencyHistogram, at percentile: Double) -> Double {
    Double(histogram.valueAtPercentile(percentile)) / 1e6
}
