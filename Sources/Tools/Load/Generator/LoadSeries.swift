/// A run in intervals of equal length, at least a tenth of a second each. There are at most
/// ``stretchesMax`` up to the end of sending.
public struct LoadSeries: Sendable {
    /// One interval. Latencies are of its 2xx answers, from the intended start, in nanoseconds; 0
    /// without any.
    public struct Stretch: Sendable, Equatable {
        /// Requests that were sent.
        public var sent = 0
        /// 2xx answers.
        public var accepted = 0
        /// Other answers.
        public var refused = 0
        /// Requests that timed out, or whose connection broke.
        public var lost = 0
        /// The median.
        public var p50: UInt64 = 0
        /// The 90th percentile.
        public var p90: UInt64 = 0
        /// The 99th percentile.
        public var p99: UInt64 = 0
        /// The longest.
        public var max: UInt64 = 0
    }

    /// More intervals would look like noise.
    public static let stretchesMax = 100
    private static let lengths: [Double] = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600]

    /// The length of each interval.
    public let stretchNanoseconds: UInt64
    /// The completed intervals.
    public private(set) var stretches: [Stretch] = []
    private var current = Stretch()
    private var latencies = LatencyHistogram()

    init(durationNanoseconds: UInt64) {
        let shortest = Double(durationNanoseconds) * 1e-9 / Double(Self.stretchesMax)
        stretchNanoseconds = UInt64(1e9 * (Self.lengths.first { $0 >= shortest } ?? 3600))
    }

    /// Completes past intervals; call it before counting.
    mutating func advance(to elapsed: UInt64) {
        while elapsed >= UInt64(stretches.count + 1) * stretchNanoseconds { close() }
    }

    mutating func sent() { current.sent += 1 }
    mutating func lost() { current.lost += 1 }
    mutating func refused() { current.refused += 1 }

    mutating func accepted(after latency: UInt64) {
        current.accepted += 1
        latencies.record(latency)
    }

    /// Completes the last interval, which may be shorter, unless it is empty.
    mutating func finish() {
        if current != Stretch() { close() }
    }

    private mutating func close() {
        current.p50 = latencies.valueAtPercentile(50)
        current.p90 = latencies.valueAtPercentile(90)
        current.p99 = latencies.valueAtPercentile(99)
        current.max = latencies.max
        stretches.append(current)
        current = Stretch()
        latencies.removeAll()
    }
}
