public import Instruments
public import Logging
public import Postgres
import Repetition
public import ServiceLifecycle
import Synchronization

/// Runs jobs on one node; see `Jobs` for how.
public final class JobRunner: Service {
    /// A run in progress.
    struct Running {
        let job: Job
        let began: ContinuousClock.Instant
        var task: Task<Void, Never>?
        /// Why its lease is not renewed any more.
        var interruption: Interruption?
    }

    /// Why a run was cancelled, other than by the server's stop.
    enum Interruption: Error {
        case leaseLost
        case tooLong
    }

    struct State {
        var running: [Int64: Running] = [:]
        var isStopping = false
    }

    let database: Database
    let handlers: [JobKind: any JobHandler]
    let table: JobTable
    let configuration: JobConfiguration
    let logger: Logger
    let bell = WakeUp()
    let state = Mutex(State())
    let instruments: JobInstruments
    private let settings: ConnectionSettings
    private let countsTable: Bool

    /// The time limit of a claim, of a renewal and of the end of a run.
    static let statementMax: Duration = .seconds(10)
    private static let pauseMin: Duration = .milliseconds(20)
    private static let countInterval: Duration = .seconds(30)

    /// Does not connect before ``run()``.
    ///
    /// - Parameters:
    ///   - settings: for the connection that listens for new jobs.
    ///   - database: for everything else; not shared, because results are committed on it. Two to
    ///     four connections are enough for the default concurrency.
    ///   - handlers: one per kind. Jobs of other kinds are left to nodes that have a handler.
    ///   - node: shown as the owner of leases; need not be unique.
    ///   - name: the runner's name in metrics. A process may have several runners for different
    ///     kinds, so that long jobs don't delay short ones.
    ///   - countsTable: whether it reports the number of jobs in the table; true for one runner
    ///     per process.
    public init(
        settings: ConnectionSettings, database: Database, handlers: [any JobHandler],
        node: String, name: String = "jobs", countsTable: Bool = true,
        configuration: JobConfiguration = JobConfiguration(),
        registry: Registry, logger: Logger
    ) {
        precondition(configuration.concurrency > 0, "BUG: a runner that runs nothing")
        self.settings = settings
        self.database = database
        self.handlers = Dictionary(uniqueKeysWithValues: handlers.map { ($0.kind, $0) })
        self.configuration = configuration
        self.logger = logger
        let kinds = handlers.map(\.kind)
        table = JobTable(node: node, kinds: kinds, lease: configuration.lease)
        instruments = JobInstruments(kinds, registry, runner: name, countsTable: countsTable)
        self.countsTable = countsTable
    }

    private var runningCount: Int { state.withLock { $0.running.count } }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Runs jobs until the service group shuts down, then waits for running jobs. Those that have
    /// not ended after ``JobConfiguration/stopMax`` are cancelled and given back. When the task is
    /// cancelled, that happens at once.
    public func run() async throws {
        guard !handlers.isEmpty else {
            try? await gracefulShutdown()
            return
        }
        let listener = Listener(
            settings, channel: Jobs.channel,
            lost: { [logger] error in
                logger.debug(
                    "no notifications of jobs; they are polled", metadata: ["error": "\(error)"])
            },
            heard: { [bell] _, _ in bell.ring() })
        listener.start()
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await self.work()
            } onGracefulShutdown: {
                self.beginStop()
            }
        } onCancel: {
            self.beginStop()
        }
        await listener.stop()
    }

    private func beginStop() {
        state.withLock { $0.isStopping = true }
        bell.ring()
    }

    /// No ``Repetition``: the pause ends early when the bell rings.
    private func work() async {
        let renewing = Task { await self.keepLeases() }
        let counting = Task { await self.count() }
        let preparing = Task { await self.prepare() }
        var isAway = false
        var lockedPause = Self.pauseMin
        while !isStopping {
            var pause = configuration.pollInterval
            do {
                let next = try await claimAndStart()
                if isAway { logger.info("jobs can be claimed again") }
                isAway = false
                // A due job that was not claimed is locked by a transaction that is about to
                // change it, or by one that somebody forgot.
                lockedPause = next == .zero ? min(lockedPause * 2, pause) : Self.pauseMin
                if let next { pause = min(pause, max(next, lockedPause)) }
            } catch {
                logger.log(
                    level: PostgresError.isAway(error) ? .debug : .warning,
                    "jobs can't be claimed", metadata: ["error": "\(error)"])
                isAway = true
                pause = min(pause, .seconds(1))
            }
            if isStopping { break }
            await bell.wait(for: pause)
        }
        counting.cancel()
        preparing.cancel()
        await endRunning()
        renewing.cancel()
        await renewing.value
        await counting.value
        await preparing.value
    }

    /// - Returns: the longest wait; nil if only the end of a run makes room.
    private func claimAndStart() async throws -> Duration? {
        let room = configuration.concurrency - runningCount
        guard room > 0 else { return nil }
        let table = table
        let (jobs, next) = try await database.withConnection(useMax: Self.statementMax) {
            connection in
            let jobs = try table.claim(room, on: connection)
            // Without room the next job has to wait for the end of a run.
            let next = jobs.count < room ? try table.untilNextDue(on: connection) : nil
            return (jobs, next)
        }
        for job in jobs { start(job) }
        return next
    }

    private func start(_ job: Job) {
        instruments.running.add(1)
        state.withLock { state in
            state.running[job.lease] = Running(job: job, began: .now)
            state.running[job.lease]?.task = Task {
                await self.run(job)
                self.state.withLock { _ = $0.running.removeValue(forKey: job.lease) }
                self.instruments.running.subtract(1)
                self.bell.ring()
            }
        }
    }

    /// Waits for running jobs, and cancels them when that takes too long.
    private func endRunning() async {
        let tasks = state.withLock { $0.running.values.compactMap(\.task) }
        guard !tasks.isEmpty else { return }
        let stopMax = Task.isCancelled ? .zero : configuration.stopMax
        let force = Task {
            try? await Task.sleep(for: stopMax)
            for task in tasks { task.cancel() }
        }
        await withTaskCancellationHandler {
            for task in tasks { await task.value }
        } onCancel: {
            for task in tasks { task.cancel() }
        }
        force.cancel()
    }

    private func prepare() async {
        for handler in handlers.values {
            do {
                try await handler.prepare(database)
            } catch {
                logger.debug(
                    "a kind of job was not prepared",
                    metadata: ["kind": "\(handler.kind.name)", "error": "\(error)"])
            }
        }
    }

    private func count() async {
        guard countsTable else { return }
        await Repetition.run(every: Self.countInterval) {
            let counts = try? await self.database.withConnection(useMax: Self.statementMax) {
                try JobStore.counts(on: $0)
            }
            if let counts { self.instruments.counted(counts) }
        }
    }
}

/// Renews the leases of running jobs, and cancels jobs that run too long.
extension JobRunner {
    /// Runs until the task is cancelled, also while the server stops: a ``Repetition`` would end at
    /// the beginning of the stop, and running jobs would lose their leases.
    func keepLeases() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.lease / 3)
            interruptLongRuns()
            await renewLeases()
        }
    }

    private func interruptLongRuns() {
        let tasks = state.withLock { state in
            state.running.filter { _, run in
                run.interruption == nil && .now - run.began > configuration.runMax
            }.map { lease, run in
                state.running[lease]?.interruption = .tooLong
                return run.task
            }
        }
        for task in tasks { task?.cancel() }
    }

    private func renewLeases() async {
        let jobs = state.withLock { state in
            state.running.values.filter { $0.interruption == nil }.map(\.job)
        }
        guard !jobs.isEmpty else { return }
        let table = table
        // While the database is unreachable leases may expire; `finish` notices.
        let ours = try? await database.withConnection(useMax: Self.statementMax) {
            try table.renew(jobs, on: $0)
        }
        guard let ours else { return }
        let tasks = state.withLock { state in
            jobs.filter { !ours.contains($0.lease) }.compactMap { job in
                state.running[job.lease]?.interruption = .leaseLost
                return state.running[job.lease]?.task
            }
        }
        for task in tasks { task.cancel() }
    }
}
