extension StatusReport {
    /// What transactions are like.
    public struct Groups: Codable, Equatable, Sendable {
        /// Readings of one; nil when there was none.
        public var readingsMean: Double?
        /// Batches of one.
        public var batchesMean: Double?
        /// Attempts after the first, a second.
        public var retries: Double
        /// Groups cut in two because PostgreSQL refused them, a second.
        public var splits: Double

        init(_ now: Sample, since earlier: Sample, seconds: Double) {
            readingsMean = now.groupReadings.since(earlier.groupReadings).mean
            batchesMean = now.groupBatches.since(earlier.groupBatches).mean
            retries = Rate.of(now.retries, earlier.retries, seconds)
            splits = Rate.of(now.splits, earlier.splits, seconds)
        }
    }

    /// What was set aside.
    public struct Quarantined: Codable, Equatable, Sendable {
        /// Readings.
        public var perSecond: Double
        /// Since the start.
        public var total: Double
        /// The most frequent first.
        public var reasons: [Reason]

        /// One reason's share.
        public struct Reason: Codable, Equatable, Sendable {
            /// As in the answer and in the table.
            public var reason: String
            /// Readings.
            public var perSecond: Double
            /// Since the start.
            public var total: Double
        }

        init(_ now: Sample, since earlier: Sample, seconds: Double) {
            perSecond = Rate.of(now.totals.quarantined, earlier.totals.quarantined, seconds)
            total = now.totals.quarantined
            reasons = now.quarantine.map { reason, count in
                Reason(
                    reason: reason,
                    perSecond: Rate.of(count, earlier.quarantine[reason] ?? 0, seconds),
                    total: count)
            }.sorted { ($0.total, $1.reason) > ($1.total, $0.reason) }
        }
    }

    /// One route's answers.
    public struct RouteReport: Codable, Equatable, Sendable {
        /// As in the metrics' label.
        public var route: String
        /// A second.
        public var requests: Double
        /// Those with 5xx, a second.
        public var failures: Double
        /// Since the start.
        public var total: Double
        /// Over the last minute, to the head of the answer.
        public var minute: Latency

        static func all(
            _ now: Sample, since earlier: Sample, minuteAgo: Sample, seconds: Double
        ) -> [RouteReport] {
            now.routes.map { route, sample in
                let before = earlier.routes[route] ?? RouteSample()
                return RouteReport(
                    route: route,
                    requests: Rate.of(sample.requests, before.requests, seconds),
                    failures: Rate.of(sample.failures, before.failures, seconds),
                    total: sample.requests,
                    minute: Latency(
                        sample.times.since(minuteAgo.routes[route]?.times ?? Distribution())))
            }.sorted { ($0.requests, $0.total, $1.route) > ($1.requests, $1.total, $0.route) }
        }
    }

    /// Work after commits.
    public struct JobReport: Codable, Equatable, Sendable {
        /// Being run on this node.
        public var running: Double
        /// In the table, as last counted.
        public var waiting: Double
        /// Given up.
        public var dead: Double
        /// Those that ever ran here, by name.
        public var kinds: [Kind]

        /// One kind of jobs.
        public struct Kind: Codable, Equatable, Sendable {
            /// Its name.
            public var kind: String
            /// A second.
            public var runs: Double
            /// Those that failed, a second.
            public var failures: Double
            /// Of one run; nil when there was none.
            public var seconds: Double?
        }

        init(_ now: JobSample, since earlier: JobSample, seconds: Double) {
            running = now.running
            waiting = now.waiting
            dead = now.dead
            kinds = now.kinds.map { name, kind in
                let before = earlier.kinds[name] ?? JobSample.Kind()
                let runs = kind.runs - before.runs
                return Kind(
                    kind: name, runs: Rate.of(kind.runs, before.runs, seconds),
                    failures: Rate.of(kind.failures, before.failures, seconds),
                    seconds: runs > 0 ? max(0, kind.seconds - before.seconds) / runs : nil)
            }.sorted { $0.kind < $1.kind }
        }
    }

    /// What the process and the machine use.
    public struct ProcessReport: Codable, Equatable, Sendable {
        /// Cores' worth of time.
        public var cpuCores: Double
        /// Share of the event loops' time in which they were running on a core.
        public var loopBusyShare: Double
        /// Event loops.
        public var loops: Double
        /// In RAM.
        public var residentBytes: Double
        /// Cores of the machine; nil where unknown.
        public var hostCores: Double?
        /// Share of their time that all processes used; nil where unknown.
        public var hostBusyShare: Double?

        init(_ now: ProcessSample, since earlier: ProcessSample, seconds: Double) {
            cpuCores = Rate.of(now.cpuSeconds, earlier.cpuSeconds, seconds)
            loops = now.loops
            let loopRate = Rate.of(now.loopSeconds, earlier.loopSeconds, seconds)
            loopBusyShare = loops > 0 ? min(1, loopRate / loops) : 0
            residentBytes = now.residentBytes
            hostCores = now.host.map { Double($0.cores) }
            if let host = now.host, let before = earlier.host {
                hostBusyShare = host.busyShare(since: before)
            }
        }
    }
}
