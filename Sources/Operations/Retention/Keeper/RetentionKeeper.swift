public import Instruments
public import Logging
public import Postgres
public import ServiceLifecycle
import Dispatch
import Glibc
import Readings
import Synchronization

/// Lets days leave once a day, and sweeps up what nobody comes for.
///
/// Every node has one; the archive's lock decides which of them works. It has a connection of its
/// own, open only while it works. What fails is tried again in a quarter of an hour.
public final class RetentionKeeper: Service {
    private let settings: ConnectionSettings
    private let configuration: RetentionConfiguration
    private let node: String
    private let instruments: RetentionInstruments
    private let logger: Logger
    private let timing: Timing
    private let isStopping = Atomic(false)

    /// When it works.
    public struct Timing: Sendable {
        /// After a start there is other work to do.
        public var delay: Duration = .seconds(180)
        /// Between looks whether it is time.
        public var interval: Duration = .seconds(900)
        /// Of the UTC day, before which a new day's run does not begin.
        public var hour = 1

        /// The defaults.
        public init() {}
    }

    /// - Parameter node: stands in manifests.
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

    /// Works until it is told to stop; a day that is under way is stopped at the next piece of it,
    /// and the next run goes on there.
    public func run() async throws {
        announce()
        measureSpace()
        await withTaskCancellationOrGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                try? await Task.sleep(for: self.timing.delay)
                var day: Int32?
                while !Task.isCancelled {
                    let (today, hour) = Self.now()
                    if day != today, day == nil || hour >= self.timing.hour, await self.work() {
                        day = today
                    }
                    self.measureSpace()
                    try? await Task.sleep(for: self.timing.interval)
                }
            }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
        }
    }

    private func announce() {
        guard configuration.isOn else { return }
        if case .directory(let path) = configuration.destination {
            do throws(ArchiveError) {
                try ArchiveDirectory(path).demand()
            } catch {
                logger.error("no day can leave", metadata: ["error": "\(error)"])
            }
            return
        }
        logger.warning(
            """
            days that are older than their limit are dropped for good: set \
            SLUICE_ARCHIVE_DIRECTORY to keep them as files
            """,
            metadata: [
                "days": "\(configuration.readingDays)",
                "rollup_days": "\(configuration.rollupDays)",
            ])
    }

    /// - Returns: whether nothing is left to do today.
    private func work() async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.workBlocking()) }
        }
    }

    private func workBlocking() -> Bool {
        do {
            let connection = try Connection.open(settings, deadline: .now + .seconds(10))
            defer { connection.close() }
            // Whoever has the lock may end before he is done.
            guard let session = try ArchiveSession(connection) else { return false }
            defer { session.end() }
            do {
                try sweep(connection)
            } catch let error as PostgresError where error.kind == .refused {
                logger.warning(
                    "what nobody comes for was not removed", metadata: ["error": "\(error)"])
            }
            let report = try RetentionRun(
                session, configuration, node: node,
                step: { _, _ in
                    if self.isStopping.load(ordering: .relaxed) { throw CancellationError() }
                }
            ).run()
            note(report)
            // A doubtful clock is not looked at again and again: tomorrow, or by hand.
            return report.failures.count == (report.doubtful > 0 ? 1 : 0)
        } catch is CancellationError {
            return false
        } catch {
            fail("\(error)")
            return false
        }
    }

    private func sweep(_ connection: Connection) throws {
        for table in Leftovers.allCases {
            let count = try table.sweep(configuration, on: connection) {
                !self.isStopping.load(ordering: .relaxed)
            }
            instruments.swept[table].increment(by: count)
            if count > 0 {
                logger.info(
                    "removed what nobody has come for",
                    metadata: ["table": "\(table.rawValue)", "rows": "\(count)"])
            }
        }
    }

    private func note(_ report: RetentionReport) {
        instruments.archived.increment(by: report.archived.count)
        instruments.dropped.increment(by: report.dropped.count)
        instruments.rows.increment(by: report.rows)
        if report.archived.count + report.dropped.count > 0 {
            logger.notice(
                "days left the tables",
                metadata: [
                    "archived": "\(report.archived.count)", "dropped": "\(report.dropped.count)",
                    "rows": "\(report.rows)", "bytes": "\(report.bytes)",
                ])
        }
        if report.postponed > 0 {
            logger.warning(
                "only a few days are dropped without a file in one night; the others wait",
                metadata: ["days": "\(report.postponed)"])
        }
        if let first = report.failures.first {
            fail("\(first.partition.name): \(first.reason)", days: report.failures.count)
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
        logger.error("days that should leave the tables are still there", metadata: metadata)
    }

    private func measureSpace() {
        guard case .directory(let path) = configuration.destination,
            let space = ArchiveDirectory(path).space()
        else { return }
        instruments.bytes.set(space.bytes)
        instruments.bytesFree.set(space.free)
    }

    private static func now() -> (day: Int32, hour: Int) {
        let seconds = Int64(time(nil))
        return (Timestamp(unixSeconds: seconds).day, Int(seconds % 86_400 / 3600))
    }
}
