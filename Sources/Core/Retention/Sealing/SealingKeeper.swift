public import Instruments
public import Logging
public import Postgres
public import ServiceLifecycle
import Dispatch
import Readings
import Repetition
import Synchronization

/// Seals the days that are old enough, one at a time, and packs late readings of sealed days.
///
/// Every node has one; the archive's lock decides which of them works, and is released after each
/// day, so that retention, `sluice archive` and `sluice forget` need not wait for long. Its own
/// connection is open only while it works. A day that fails rests, see ``Postgres/FailingItems``.
///
/// While days can't be sealed here, they stay live; the reason is logged once.
public final class SealingKeeper: Service {
    private let settings: ConnectionSettings
    private let configuration: RetentionConfiguration
    private let instruments: SealingInstruments
    private let logger: Logger
    private let delay: Duration
    private let isStopping = Atomic(false)
    private let obstacle = Mutex<String?>(nil)

    /// Between rounds that find nothing to do.
    private static let interval: Duration = .seconds(300)
    /// Between two days.
    private static let pause: Duration = .seconds(5)
    /// Pauses take three times as long as the steps before them.
    private static let pauseFactor = 3.0

    /// - Parameter delay: lets other work go first after a start.
    public init(
        settings: ConnectionSettings, _ configuration: RetentionConfiguration, registry: Registry,
        logger: Logger, delay: Duration = .seconds(120)
    ) {
        var settings = settings
        settings.applicationName = "sluice sealing"
        self.settings = settings
        self.configuration = configuration
        self.logger = logger
        self.delay = delay
        instruments = SealingInstruments(registry, configuration)
    }

    /// Works until it is told to stop. A day in progress stops before its next step, and the next
    /// run continues there.
    public func run() async throws {
        await blocking { self.correctLoop() }
        await withTaskCancellationOrGracefulShutdownHandler {
            await Repetition.run((), after: self.delay) { _ in
                await self.blocking { self.work() } ? Self.pause : Self.interval
            }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
        }
    }

    private func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: work()) }
        }
    }

    /// A database that was restored into another cluster has the loop of the former one: its queries
    /// of sealed days fail, or read those of the former cluster, if that still runs. What is in the
    /// way is told when ``work()`` finds it.
    private func correctLoop() {
        do {
            let connection = try Connection.open(settings, deadline: .now + .seconds(10))
            defer { connection.close() }
            if try Sealing.hasSealedDays(on: connection) {
                _ = try Sealing.obstacle(on: connection)
            }
        } catch {
            logger.debug("the loop was not checked", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: whether there may be more to do.
    private func work() -> Bool {
        do {
            let connection = try Connection.open(settings, deadline: .now + .seconds(10))
            defer { connection.close() }
            guard let session = try ArchiveSession(connection) else { return false }
            defer { session.end() }
            let run = SealingRun(session, configuration, pauseFactor: Self.pauseFactor) { _, _ in
                if self.isStopping.load(ordering: .relaxed) { throw CancellationError() }
            }
            return note(try run.next())
        } catch is CancellationError {
            return false
        } catch {
            logger.log(
                level: PostgresError.isAway(error) ? .debug : .warning,
                "no day was sealed; this is retried", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// - Returns: whether there may be more to do.
    private func note(_ outcome: SealingRun.Outcome) -> Bool {
        let reason: String? = if case .impossible(let reason) = outcome { reason } else { nil }
        let isNew = obstacle.withLock { known in
            defer { known = reason }
            return known != reason
        }
        switch outcome {
        case .nothing(let merged):
            instruments.merged.increment(by: merged)
            return false
        case .impossible(let reason):
            if isNew {
                logger.warning(
                    "days can't be sealed and stay live", metadata: ["error": "\(reason)"])
            }
            return false
        case .sealed(let partition, let figures, let merged):
            instruments.merged.increment(by: merged)
            instruments.sealed.increment()
            instruments.readings.increment(by: figures.readings)
            logger.info(
                "a day was sealed",
                metadata: [
                    "partition": "\(partition.name)", "readings": "\(figures.readings)",
                    "bytes": "\(figures.bytes)", "bytes_before": "\(figures.liveBytes)",
                ])
            return true
        case .failed(let partition, let reason):
            instruments.failed.increment()
            logger.warning(
                "a day was not sealed; this is retried",
                metadata: ["partition": "\(partition.name)", "error": "\(reason)"])
            return true
        }
    }
}
