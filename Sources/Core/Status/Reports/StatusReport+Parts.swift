extension StatusReport {
    /// The lanes' transactions.
    public struct Groups: Codable, Equatable, Sendable {
        /// Mean number of readings; nil if there was no transaction.
        public var readingsMean: Double?
        /// Mean number of batches; nil if there was no transaction.
        public var batchesMean: Double?
        /// Attempts after the first, per second.
        public var retries: Double
        /// Groups split because PostgreSQL rejected them, per second.
        public var splits: Double

        init(_ now: Sample, since earlier: Sample, seconds: Double) {
            readingsMean = now.groupReadings.since(earlier.groupReadings).mean
            batchesMean = now.groupBatches.since(earlier.groupBatches).mean
            retries = Rate.of(now.retries, earlier.retries, seconds)
            splits = Rate.of(now.splits, earlier.splits, seconds)
        }
    }

    /// Quarantined readings.
    public struct Quarantined: Codable, Equatable, Sendable {
        /// Readings per second.
        public var perSecond: Double
        /// Readings since the start.
        public var total: Double
        /// By reason, the most frequent first.
        public var reasons: [Reason]

        /// The readings quarantined for one reason.
        public struct Reason: Codable, Equatable, Sendable {
            /// The reason as in the answer and in the table.
            public var reason: String
            /// Readings per second.
            public var perSecond: Double
            /// Readings since the start.
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

    /// The answers of one route.
    public struct RouteReport: Codable, Equatable, Sendable {
        /// As in the label of the metrics.
        public var route: String
        /// Answers per second.
        public var requests: Double
        /// Answers with 5xx, per second.
        public var failures: Double
        /// Answers since the start.
        public var total: Double
        /// Time from the head of the request to the head of the answer, over the last minute.
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

    /// The jobs that run after commits.
    public struct JobReport: Codable, Equatable, Sendable {
        /// Jobs running on this node.
        public var running: Double
        /// Jobs waiting in the table, as last counted.
        public var waiting: Double
        /// Jobs that were given up.
        public var dead: Double
        /// The kinds that have run on this node, sorted by name.
        public var kinds: [Kind]

        /// One kind of jobs.
        public struct Kind: Codable, Equatable, Sendable {
            /// Its name.
            public var kind: String
            /// Runs per second.
            public var runs: Double
            /// Failed runs per second.
            public var failures: Double
            /// Mean time of a run; nil if there was none.
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

    /// Resources used by the process and the machine.
    public struct ProcessReport: Codable, Equatable, Sendable {
        /// CPU time per second: the number of cores used.
        public var cpuCores: Double
        /// Share of the time that the event loops were on a core.
        public var loopBusyShare: Double
        /// Number of event loops.
        public var loops: Double
        /// Resident memory.
        public var residentBytes: Double
        /// Number of cores of the machine; nil: unknown.
        public var hostCores: Double?
        /// Share of the machine's CPU time that all processes used; nil: unknown.
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
