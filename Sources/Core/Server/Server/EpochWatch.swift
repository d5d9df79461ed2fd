import Ingest
import Instruments
import Logging
import Postgres
import Repetition
import ServiceLifecycle

/// Keeps the known history of the database up to date: its log position, those of its standbys,
/// and, if the URL names several hosts, whether one of them has been promoted.
struct EpochWatch: Service {
    private let settings: ConnectionSettings
    private let book: EpochFence
    private let unreplicated: UnreplicatedCommits
    private let database: Database
    private let lostBytes: Counter
    private let logger: Logger

    private static let interval: Duration = .seconds(1)
    /// With standbys: the commits that are kept for them can be freed sooner.
    private static let shortInterval: Duration = .milliseconds(250)
    /// With replicated durability: each answer waits half of it on average.
    private static let awaitedInterval: Duration = .milliseconds(10)
    /// The interval of checks of the other hosts; the file is saved then, too.
    private static let othersInterval: Duration = .seconds(5)
    private static let hostMax: Duration = .seconds(1)

    init(
        _ settings: ConnectionSettings, _ book: EpochFence, _ unreplicated: UnreplicatedCommits,
        registry: Registry,
        logger: Logger
    ) {
        self.settings = settings
        self.book = book
        self.unreplicated = unreplicated
        self.logger = logger
        var limits = Database.Limits()
        // The time limit is for all hosts together.
        limits.connectionsMax = 1
        limits.connectMax = Self.hostMax * max(1, settings.hostByHost.count)
        database = Database(settings, limits: limits)
        registry.gauge(
            "sluice_database_timeline", help: "The highest timeline of the database seen so far."
        ) { [book] in Double(book.known?.timeline ?? 0) }
        lostBytes = registry.counter(
            "sluice_database_lost_log_bytes_total",
            help: "Bytes of write-ahead log on disk before a failover that the new primary lacks.")
        registry.add(UnreplicatedMetrics(unreplicated: unreplicated))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Runs beside the loop, so that a silent host delays no answers.
            async let around: Void = keepLookingAround()
            await Repetition.run(book.known) { logged in
                // Lanes report a database that is unreachable or not to be written to.
                try? await look()
                logTakeover(&logged)
                logLoss()
                return pause
            }
            await around
        }
        book.save()
        database.close()
    }

    private func keepLookingAround() async {
        await Repetition.run(Around(), after: Self.othersInterval) { around in
            if Task.isCancelled { return nil }
            let found = await lookAround()
            log(refused: found.filter { !around.refused.contains($0.key) })
            around.refused = Set(found.keys)
            let wasSaved = around.isSaved
            around.isSaved = book.save()
            if wasSaved && !around.isSaved {
                logger.warning(
                    """
                    SLUICE_DATA_DIR/epoch can't be written: after a restart this node would not know \
                    which server was written to last
                    """)
            }
            around.logged = log(since: around.logged)
            return Self.othersInterval
        }
    }

    /// What was found and logged at the last look at all hosts.
    private struct Around {
        var logged = UnreplicatedFigures()
        var refused: Set<String> = []
        var isSaved = true
    }

    /// Warns that other programs may write to the wrong server.
    private func log(refused: [String: String]) {
        for (host, reason) in refused {
            logger.warning(
                "a host of SLUICE_DATABASE_URL accepts writes but is the wrong server: fence it",
                metadata: ["host": "\(host)", "error": "\(reason)"])
        }
    }

    private func logTakeover(_ logged: inout Epoch?) {
        guard let now = book.known else { return }
        defer { logged = now }
        guard let before = logged,
            before.timeline != now.timeline || before.accepted != now.accepted
        else { return }
        logger.notice(
            "from now on another database server is written to",
            metadata: [
                "timeline": "\(before.timeline) -> \(now.timeline)",
                "accepted": "\(before.accepted) -> \(now.accepted)",
                "position": "\(now.positionText)",
            ])
    }

    private var pause: Duration {
        if unreplicated.durability == .replicated { return Self.awaitedInterval }
        return unreplicated.figures.standbys > 0 ? Self.shortInterval : Self.interval
    }

    private func look() async throws {
        try await database.withConnection(useMax: Self.hostMax) { [book, unreplicated] connection in
            let asked = book.known
            let mark = unreplicated.mark
            guard let epoch = try connection.readEpoch() else { return }
            try book.admit(epoch, knownWhenAsked: asked)
            let views = try connection.readReplicationViews()
            // Otherwise there was a takeover, and this may not be the server written to before.
            guard book.generation == mark.history else { return }
            unreplicated.observe(
                views.standbys, synchronous: views.synchronouslyFlushed, position: epoch.position,
                since: mark)
        }
    }

    /// Finds the host that was promoted, whatever its place in the URL. With one host, checks the
    /// server that new sessions would reach.
    ///
    /// - Returns: with several hosts, those that accept writes but must not be written to, and
    ///   why.
    @discardableResult
    func lookAround() async -> [String: String] {
        await blocking { [book, settings] () -> [String: String] in
            var refused: [String: String] = [:]
            let hosts = settings.hostByHost
            for host in hosts.isEmpty ? [settings] : hosts {
                let deadline = ContinuousClock.now + Self.hostMax
                let open = try? Connection.open(host.checked(by: nil), deadline: deadline)
                guard let connection = open else { continue }
                let asked = book.known
                defer { connection.close() }
                do throws(PostgresError) {
                    guard let epoch = try connection.readEpoch() else { continue }
                    try book.admit(epoch, knownWhenAsked: asked)
                    try book.raiseMark(of: epoch, on: connection)
                } catch {
                    // Opening a session there reports all other errors.
                    guard error.kind == .epochRefused, !hosts.isEmpty, book.damage == nil
                    else { continue }
                    refused[host.hostAndPort] = error.reason
                }
            }
            return refused
        }
    }

    /// Warns of lost slots, and of data that standbys did not protect, since `logged`.
    private func log(since logged: UnreplicatedFigures) -> UnreplicatedFigures {
        let figures = unreplicated.figures
        for slot in figures.lostSlots.subtracting(logged.lostSlots).sorted() {
            logger.warning(
                """
                a standby's slot is lost: the primary has removed log that the standby needs; \
                rebuild the standby, or drop the slot
                """, metadata: ["slot": "\(slot)"])
        }
        let isDropped = figures.droppedBytes > logged.droppedBytes
        guard isDropped || figures.overdue > logged.overdue else { return figures }
        let cause =
            if figures.standbys == 0 {
                "the database has no standbys"
            } else if figures.isHidden {
                "the database's role may not see the standbys' positions (GRANT pg_monitor)"
            } else {
                "the standbys are far behind, or have not followed the new primary yet"
            }
        logger.warning(
            isDropped
                ? "\(cause): a failover now would lose acknowledged data"
                : "\(cause): answers waited too long and became 202 from the spool",
            metadata: [
                "standbys": "\(figures.standbys)", "kept_bytes": "\(figures.bytes)",
                "dropped_bytes": "\(figures.droppedBytes)", "spooled": "\(figures.overdue)",
            ])
        return figures
    }

    private func logLoss() {
        guard let loss = book.takeLoss() else { return }
        let bytes = loss.before.position - loss.now.position
        lostBytes.increment(by: Int(clamping: bytes))
        logger.critical(
            """
            the new primary lacks commits of the old one: this process writes those that it still \
            has to the new primary (sluice_unreplicated_returned_total); the others are only on the old one
            """,
            metadata: [
                "timeline": "\(loss.before.timeline) -> \(loss.now.timeline)",
                "before": "\(loss.before.positionText)", "now": "\(loss.now.positionText)",
                "bytes_at_least": "\(bytes)",
            ])
    }
}
