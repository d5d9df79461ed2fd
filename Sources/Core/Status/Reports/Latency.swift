/// The distribution of a time: number of observations, mean and percentiles. In seconds; nil if
/// there were no observations.
public struct Latency: Codable, Equatable, Sendable {
    /// Number of observations.
    public var count: Int
    // The type's comment describes the other properties.

    /// Exact.
    public var mean: Double?
    /// The median. Like the other percentiles, as exact as the histogram's buckets.
    public var p50: Double?
    /// 90 % of the observations are at most this.
    public var p90: Double?
    /// 99 % of the observations are at most this.
    public var p99: Double?

    init(_ distribution: Distribution) {
        count = distribution.count
        mean = distribution.mean
        p50 = distribution.quantile(0.5)
        p90 = distribution.quantile(0.9)
        p99 = distribution.quantile(0.99)
    }

    /// The distribution over the last interval, and over the last minute.
    public struct Spans: Codable, Equatable, Sendable {
        /// Over the last interval, about a second.
        public var last: Latency
        /// Over the last minute, or since the first watcher arrived if that is shorter ago.
        public var minute: Latency

        init(_ now: Distribution, _ earlier: Distribution, minuteAgo: Distribution) {
            last = Latency(now.since(earlier))
            minute = Latency(now.since(minuteAgo))
        }
    }

    /// All measured times.
    public struct All: Codable, Equatable, Sendable {
        /// From the head of a request to its answer.
        public var acknowledgement: Spans
        /// From the offer of a batch until a group takes it.
        public var queueWait: Spans
        /// From a group's BEGIN to the answer to COMMIT.
        public var commit: Spans
        /// Writing and syncing a group to the spool.
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
