public import Instruments
public import Logging
public import Postgres
public import ServiceLifecycle
import Dispatch
import Glibc
import Readings
import Repetition
import Schema
import Synchronization

/// Runs retention once a day, and sweeps leftovers.
///
/// Every node has one; the archive's lock decides which of them works. Its own connection is open
/// only while it works. After a failure it tries again a quarter of an hour later.
public final class RetentionKeeper: Service {
    private let settings: ConnectionSettings
    private let configuration: RetentionConfiguration
    private let node: String
    private let instruments: RetentionInstruments
    private let logger: Logger
    private let timing: Timing
    private let isStopping = Atomic(false)

    /// When the keeper works.
    public struct Timing: Sendable {
        /// Lets other work go first after a start.
        public var delay: Duration = .seconds(180)
        /// The time between checks whether a run is due.
        public var interval: Duration = .seconds(900)
        /// The UTC hour before which no run begins, except the first one of a process.
        public var hour = 1

        /// The defaults.
        public init() {}
    }

    /// - Parameter node: recorded in manifests.
    public init(
        settings: ConnectionSettings, _ configuration: RetentionConfiguration, node: String,
        registry: Registry, logger: Logger, timing: Timing = Timing()
    ) {
        var settings = settings
        settings.applicationName = "sluice retention"
        self.settings = settings
        self.configuration = configuration
        self.node = node
        self.logger = logger
        self.timing = timing
        instruments = RetentionInstruments(registry, configuration)
    }

    /// Works until it is told to stop. A day in progress stops before its next step, and the next
    /// run continues there.
    public func run() async throws {
        await blocking { self.announce() }
        measureSpace()
        await withTaskCancellationOrGracefulShutdownHandler {
            await Repetition.run(nil, after: self.timing.delay) { (day: inout Int32?) in
                let (today, hour) = Self.now()
                if day != today, day == nil || hour >= self.timing.hour, await self.work() {
                    day = today
                }
                self.measureSpace()
                return self.timing.interval
            }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
        }
    }

    private func announce() {
        guard configuration.isOn else { return }
        if let archive = configuration.archive {
            do throws(ArchiveError) {
                try archive.demand()
            } catch {
                logger.error("no day can be archived", metadata: ["error": "\(error)"])
            }
            return
        }
        logger.warning(
            """
            days older than their limit are dropped permanently; to keep them as files, set \
            SLUICE_ARCHIVE_DIRECTORY
            """,
            metadata: [
                "days": "\(configuration.readingDays)",
                "rollup_days": "\(configuration.rollupDays)",
            ])
    }

    /// - Returns: whether nothing is left to do today.
    private func work() async -> Bool { await blocking { self.workBlocking() } }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    private func workBlocking() -> Bool {
        do {
            let connection = try open()
            defer { connection.close() }
            // The process that holds the lock may end before its work is done, so this one tries
            // again later.
            guard let session = try ArchiveSession(connection) else { return false }
            defer { session.end() }
            let areTablesDone = try sweep()
            let report = try RetentionRun(
                session, configuration, node: node, triesAll: false,
                interrupted: { self.note($0, $1) },
                step: { _, _ in
                    if self.isStopping.load(ordering: .relaxed) { throw CancellationError() }
                }
            ).run()
            note(report)
            // With a doubtful clock the next run is tomorrow's, or one by hand.
            return areTablesDone && report.resting == 0
                && report.failures.count == (report.doubtful > 0 ? 1 : 0)
        } catch is CancellationError {
            return false
        } catch {
            fail("\(error)")
            return false
        }
    }

    private func open() throws -> Connection {
        try Connection.open(settings, deadline: .now + .seconds(10))
    }

    /// Sweeps each table on a connection that another table's failure may have closed.
    ///
    /// - Returns: false if a table failed, now or not long ago.
    private func sweep() throws -> Bool {
        var connection = try open()
        defer { connection.close() }
        var failing = try FailingItems(.leftovers, on: connection)
        var isDone = true
        for table in Schema.Table.leftovers {
            guard !failing.rests(table.name) else {
                isDone = false
                continue
            }
            do {
                let count = try table.sweep(configuration, on: connection) {
                    !self.isStopping.load(ordering: .relaxed)
                }
                try failing.succeeded(table.name, on: connection)
                instruments.swept[table].increment(by: count)
                guard count > 0 else { continue }
                logger.info(
                    "removed unclaimed rows",
                    metadata: ["table": "\(table.name)", "rows": "\(count)"])
            } catch let error as PostgresError {
                if !connection.isOpen { connection = try open() }
                connection.deadline = .now + .seconds(10)
                try failing.failed(table.name, error, on: connection)
                isDone = false
                logger.warning(
                    "unclaimed rows were not removed",
                    metadata: ["table": "\(table.name)", "error": "\(error)"])
            }
        }
        return isDone
    }

    /// Notes the day that broke the run's connection.
    private func note(_ partition: DayPartition, _ failure: any Error) {
        do {
            let connection = try open()
            defer { connection.close() }
            var failing = try FailingItems(.retention, on: connection)
            try failing.failed(partition.name, failure, on: connection)
        } catch {
            // The database is unreachable, which may well be why the day failed.
            logger.debug("a failure was not noted", metadata: ["error": "\(error)"])
        }
    }

    private func note(_ report: RetentionReport) {
        instruments.archived.increment(by: report.archived.count)
        instruments.dropped.increment(by: report.dropped.count + report.empty.count)
        instruments.rows.increment(by: report.rows)
        if report.archived.count + report.dropped.count + report.empty.count > 0 {
            logger.notice(
                "days were archived or dropped",
                metadata: [
                    "archived": "\(report.archived.count)", "dropped": "\(report.dropped.count)",
                    "empty": "\(report.empty.count)",
                    "rows": "\(report.rows)", "bytes": "\(report.bytes)",
                ])
        }
        if report.postponed > 0 {
            logger.warning(
                "a night drops only a few days without a file; the others are postponed",
                metadata: ["days": "\(report.postponed)"])
        }
        if let first = report.failures.first {
            fail("\(first.partition.name): \(first.reason)", days: report.failures.count)
        } else if report.resting > 0 {
            instruments.isFailing.set(1)
        } else {
            instruments.done.increment()
            instruments.isFailing.set(0)
            instruments.lastDone.set(Int(time(nil)))
        }
    }

    private func fail(_ reason: String, days: Int? = nil) {
        instruments.failed.increment()
        instruments.isFailing.set(1)
        var metadata: Logger.Metadata = ["error": "\(reason)"]
        if let days { metadata["days"] = "\(days)" }
        logger.error("days that are due could not be archived or dropped", metadata: metadata)
    }

    private func measureSpace() {
        guard let path = configuration.directoryPath, let space = ArchiveDirectory(path).space()
        else { return }
        instruments.bytes.set(space.bytes)
        instruments.bytesFree.set(space.free)
    }

    private static func now() -> (day: Int32, hour: Int) {
        let seconds = Int64(time(nil))
        return (Timestamp(unixSeconds: seconds).day, Int(seconds % 86_400 / 3600))
    }
}
