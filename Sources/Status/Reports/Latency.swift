/// A time as many have it: how many, the mean, and what a half, nine tenths and 99 of a hundred do
/// not exceed. In seconds; nil when there was none.
public struct Latency: Codable, Equatable, Sendable {
    /// Observations.
    public var count: Int
    // What the others are stands above.

    /// Exact.
    public var mean: Double?
    /// As exact as the histogram's buckets, and so are the other two.
    public var p50: Double?
    /// Nine tenths are quicker.
    public var p90: Double?
    /// One of a hundred is slower.
    public var p99: Double?

    init(_ distribution: Distribution) {
        count = distribution.count
        mean = distribution.mean
        p50 = distribution.quantile(0.5)
        p90 = distribution.quantile(0.9)
        p99 = distribution.quantile(0.99)
    }

    /// Over the last interval, and over the last minute.
    public struct Spans: Codable, Equatable, Sendable {
        /// About a second.
        public var last: Latency
        /// A minute of watching, or as long as it has lasted.
        public var minute: Latency

        init(_ now: Distribution, _ earlier: Distribution, minuteAgo: Distribution) {
            last = Latency(now.since(earlier))
            minute = Latency(now.since(minuteAgo))
        }
    }

    /// All that are measured.
    public struct All: Codable, Equatable, Sendable {
        /// From the head of a request to its answer.
        public var acknowledgement: Spans
        /// From the offer of a batch to its group.
        public var queueWait: Spans
        /// From a group's BEGIN to the answer to COMMIT.
        public var commit: Spans
        /// A group written to the spool and synced.
        public var spoolSync: Spans

        init(_ now: Sample, _ earlier: Sample, minuteAgo: Sample) {
            func spans(_ field: (Sample) -> Distribution) -> Spans {
                Spans(field(now), field(earlier), minuteAgo: field(minuteAgo))
            }
            acknowledgement = spans { $0.acknowledgement }
            queueWait = spans { $0.queueWait }
            commit = spans { $0.commit }
            spoolSync = spans { $0.spoolSync }
        }
    }
}
