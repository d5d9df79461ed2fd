import Instruments
import Logging
import Postgres
import ServiceLifecycle

/// Keeps what is known of the database's history up to date: how far it has come, and, where the URL
/// names several hosts, whether one of them has taken over.
struct EraWatch: Service {
    private let settings: ConnectionSettings
    private let book: EraBook
    private let database: Database
    private let lostBytes: Counter
    private let logger: Logger

    private static let interval: Duration = .seconds(1)
    /// Looks at other hosts, and the file, come once in so many looks.
    private static let othersEvery = 5
    private static let hostMax: Duration = .seconds(1)

    init(_ settings: ConnectionSettings, _ book: EraBook, registry: Registry, logger: Logger) {
        self.settings = settings
        self.book = book
        self.logger = logger
        var limits = Database.Limits()
        (limits.connectionsMax, limits.connectMax) = (1, Self.hostMax)
        database = Database(settings, limits: limits)
        registry.gauge(
            "sluice_database_timeline", help: "The highest timeline of the database seen so far."
        ) { [book] in Double(book.known?.timeline ?? 0) }
        lostBytes = registry.counter(
            "sluice_database_lost_log_bytes_total",
            help: "Write-ahead log that was on disk before a failover and is not after it.")
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var count = 0
            while !Task.isCancelled {
                count += 1
                // Away, or not the one to write to: the lanes tell.
                try? await database.withConnection(useMax: Self.hostMax) { [book] connection in
                    let asked = book.known
                    guard let era = try connection.readEra() else { return }
                    try book.admit(era, knownWhenAsked: asked)
                }
                tellLoss()
                if count % Self.othersEvery == 0 {
                    await lookAround()
                    book.save()
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
        book.save()
        database.close()
    }

    /// Finds the host that has taken over, however they are ordered in the URL. Does nothing where there
    /// is one host only.
    func lookAround() async {
        let hosts = settings.hostByHost
        guard !hosts.isEmpty else { return }
        await blocking { [book] in
            for host in hosts {
                let deadline = ContinuousClock.now + Self.hostMax
                let open = try? Connection.open(host.checked(by: nil), deadline: deadline)
                guard let connection = open else { continue }
                let asked = book.known
                if let era = try? connection.readEra() {
                    try? book.admit(era, knownWhenAsked: asked)
                }
                connection.close()
            }
        }
    }

    private func tellLoss() {
        guard let loss = book.takeLoss() else { return }
        let bytes = loss.before.position - loss.now.position
        lostBytes.increment(by: Int(clamping: bytes))
        logger.critical(
            """
            the server that has taken over lacks commits that were answered with 200: its standby was \
            behind; see synchronous_standby_names in sluice doctor
            """,
            metadata: [
                "timeline": "\(loss.before.timeline) -> \(loss.now.timeline)",
                "before": "\(loss.before.positionText)", "now": "\(loss.now.positionText)",
                "bytes_at_least": "\(bytes)",
            ])
    }
}
