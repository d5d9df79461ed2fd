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
/// connection is open only while it works. A day that fails rests, see ``Postgres/FailingItems``;
/// one to which readings come is left alone, see ``SealingPace``.
///
/// While days can't be sealed here, they stay live; the reason is logged once.
public final class SealingKeeper: Service {
    private let settings: ConnectionSettings
    private let configuration: RetentionConfiguration
    private let instruments: SealingInstruments
    private let logger: Logger
    private let timing: Timing
    private let isStopping = Atomic(false)
    private let obstacle = Mutex<String?>(nil)

    /// When the keeper works.
    public struct Timing: Sendable {
        /// Lets other work go first after a start.
        public var delay: Duration = .seconds(120)
        /// Between rounds that find nothing to do. Late readings are packed no more often.
        public var interval: Duration = .seconds(300)
        /// Between two days.
        public var pause: Duration = .seconds(5)
        /// How long no readings have come to a day before it is sealed.
        public var quietMin: Duration = .seconds(600)
        /// The size of the smallest day that is sealed, with its index.
        public var bytesMin = DayForm.liveBytesMin

        /// The defaults.
        public init() {}
    }

    /// Connects only when it works.
    public init(
        settings: ConnectionSettings, _ configuration: RetentionConfiguration, registry: Registry,
        logger: Logger, timing: Timing = Timing()
    ) {
        var settings = settings
        settings.applicationName = "sluice sealing"
        self.settings = settings
        self.configuration = configuration
        self.logger = logger
        self.timing = timing
        instruments = SealingInstruments(registry, configuration)
    }

    /// Works until it is told to stop. A day in progress stops before its next step, and the next
    /// run continues there.
    public func run() async throws {
        await blocking { self.correctLoop() }
        await withTaskCancellationOrGracefulShutdownHandler {
            let pace = SealingPace(
                quietMin: self.timing.quietMin, mergeInterval: self.timing.interval)
            await Repetition.run(pace, after: self.timing.delay) { (pace: inout SealingPace) in
                let before = pace
                let (isMore, after) = await self.blocking {
                    var pace = before
                    return (self.work(&pace), pace)
                }
                pace = after
                return isMore ? self.timing.pause : self.timing.interval
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

    /// What is in the way is told when ``work(_:)`` finds it.
    private func correctLoop() {
        do throws(PostgresError) {
            try Sealing.correctLoop(settings)
        } catch {
            logger.debug("the loop was not checked", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: whether there may be more to do.
    private func work(_ pace: inout SealingPace) -> Bool {
        do {
            let connection = try Connection.open(settings, deadline: .now + .seconds(10))
            defer { connection.close() }
            guard let session = try ArchiveSession(connection) else { return false }
            defer { session.end() }
            let run = SealingRun(
                session, configuration, pauseFactor: Sealing.gentlePauseFactor,
                bytesMin: timing.bytesMin
            ) { _, _ in
                if self.isStopping.load(ordering: .relaxed) { throw CancellationError() }
            }
            return note(try run.next(&pace))
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
        case .nothing(let merge):
            instruments.merged.increment(by: merge.devices)
            return !merge.isComplete
        case .impossible(let reason):
            if isNew {
                logger.warning(
                    "days can't be sealed and stay live", metadata: ["error": "\(reason)"])
            }
            return false
        case .sealed(let partition, let figures, let merge):
            instruments.merged.increment(by: merge.devices)
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
