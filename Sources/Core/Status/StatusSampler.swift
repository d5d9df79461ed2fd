public import Instruments
public import ServiceLifecycle
import Synchronization

/// Makes one report a second for all watchers while there are any, and records the last hour.
///
/// ``run()`` is the only owner of samples. Each watcher's stream keeps only the newest report.
public final class StatusSampler: StatusFeed, Service {
    /// Values that are not in the registry.
    public struct Condition: Sendable {
        /// Batches can be committed.
        public var isDatabaseUp: Bool
        /// Batches are accepted.
        public var isAvailable: Bool
        /// Arrival of the oldest batch in the spool; nil: the spool is empty.
        public var spoolOldestUnixSeconds: Int64?

        /// A condition with the given values.
        public init(isDatabaseUp: Bool, isAvailable: Bool, spoolOldestUnixSeconds: Int64?) {
            self.isDatabaseUp = isDatabaseUp
            self.isAvailable = isAvailable
            self.spoolOldestUnixSeconds = spoolOldestUnixSeconds
        }
    }

    private struct Watchers {
        var streams: [Int: AsyncStream<String>.Continuation] = [:]
        var made = 0
        /// The newest report while there are watchers; nil until there is one.
        var newest: String?
        /// Number of reports made.
        var sequence = 0
        var isOver = false
    }

    /// The time between two reports.
    public static let interval = Duration.seconds(1)
    /// Maximum number of samples kept, for the figures of the last minute.
    static let samplesMax = 61

    private let registry: Registry
    private let slowest: SlowestBoard
    private let node: String
    private let condition: @Sendable () -> Condition
    private let unixSeconds: @Sendable () -> Int64
    private let startedAt = ContinuousClock.now
    private let historyInterval: Duration
    private let past = Mutex(History())
    private let watchers = Mutex(Watchers())
    private let (arrivals, arrival) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    /// - node: the name of this process among all nodes.
    /// - condition: called once per report; must be quick.
    /// - unixSeconds: the wall clock.
    /// - historyInterval: the time between two points of the history.
    public init(
        registry: Registry, slowest: SlowestBoard, node: String,
        condition: @escaping @Sendable () -> Condition,
        unixSeconds: @escaping @Sendable () -> Int64,
        historyInterval: Duration = .seconds(5)
    ) {
        self.historyInterval = historyInterval
        self.registry = registry
        self.slowest = slowest
        self.node = node
        self.condition = condition
        self.unixSeconds = unixSeconds
    }

    /// See ``StatusFeed``. The number of watchers is not limited.
    public func reports() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(1))
        let number = watchers.withLock { watchers -> Int? in
            guard !watchers.isOver else { return nil }
            watchers.made += 1
            watchers.streams[watchers.made] = continuation
            if let newest = watchers.newest { continuation.yield(newest) }
            return watchers.made
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.watchers.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        arrival.yield()
        return stream
    }

    /// See ``StatusFeed``.
    public func history() -> String? {
        past.withLock { $0 }.json(uptimeSeconds: startedAt.duration(to: .now) / .seconds(1))
    }

    /// The current number of watchers.
    public var watcherCount: Int { watchers.withLock { $0.streams.count } }

    // MARK: Making reports

    /// Makes reports while there are watchers. Ends all streams when the server stops, before the
    /// edge waits for its connections.
    public func run() async throws {
        defer { finish() }
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await self.remember() }
                tasks.addTask {
                    for await _ in self.arrivals { try await self.sit() }
                }
                try await tasks.waitForAll()
            }
        }
    }

    /// Adds points to the history, with or without watchers.
    private func remember() async throws {
        var earlier = sample()
        while true {
            try await Task.sleep(for: historyInterval)
            let now = sample()
            let report = StatusReport(
                now, since: earlier, minuteAgo: earlier, sequence: 0, node: node)
            past.withLock { $0.append(report) }
            earlier = now
        }
    }

    /// Makes reports from the arrival of the first watcher until the last one leaves.
    private func sit() async throws {
        var samples = [sample()]
        defer { watchers.withLock { $0.newest = nil } }
        while watcherCount > 0 {
            try await Task.sleep(for: Self.interval)
            let now = sample()
            let sequence = watchers.withLock { watchers in
                watchers.sequence += 1
                return watchers.sequence
            }
            let report = StatusReport(
                now, since: samples[samples.count - 1], minuteAgo: samples[0],
                sequence: sequence, node: node)
            samples.append(now)
            if samples.count > Self.samplesMax { samples.removeFirst() }
            publish(report.json())
        }
    }

    private func publish(_ text: String) {
        watchers.withLock { watchers in
            watchers.newest = text
            for stream in watchers.streams.values { stream.yield(text) }
        }
    }

    private func finish() {
        let streams = watchers.withLock { watchers in
            watchers.isOver = true
            defer { watchers.streams = [:] }
            return Array(watchers.streams.values)
        }
        // Outside the lock, because `onTermination` takes it too.
        for stream in streams { stream.finish() }
    }

    private func sample() -> Sample {
        var sample = Sample(registry.figures())
        let condition = condition()
        sample.uptime = startedAt.duration(to: .now)
        sample.unixSeconds = unixSeconds()
        sample.isDatabaseUp = condition.isDatabaseUp
        sample.isAvailable = condition.isAvailable
        sample.spool?.oldestUnixSeconds = condition.spoolOldestUnixSeconds
        sample.process.host = HostFigures.read()
        sample.slowest = slowest.slowest
        return sample
    }
}
