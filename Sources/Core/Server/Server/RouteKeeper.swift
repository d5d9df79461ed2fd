import Ingest
import Logging
import Postgres
import Repetition
import ServiceLifecycle
import Synchronization

/// On Citus, keeps the lanes' shard table up to date, so that rows go directly to the nodes that
/// hold them. The table is read every ten seconds, and soon after a lane doubts it. An outdated
/// table costs speed, not rows. Logs lanes that take a ``IndirectRoute``.
///
/// Plain PostgreSQL is asked once a minute whether it has become a cluster.
final class RouteKeeper: Service {
    private let database: Database
    private let durability: Durability
    private let logger: Logger
    private let logged = Mutex<ShardTable.Failure?>(nil)
    private let ingestor = Mutex<Ingestor?>(nil)

    private static let interval: Duration = .seconds(10)
    private static let plainInterval: Duration = .seconds(60)
    private static let lookInterval: Duration = .milliseconds(250)

    /// What is known of the database's shards.
    enum Knowledge: Equatable {
        /// The database could not be asked, or its shard table can't be used.
        case none
        case plain
        case shards(ShardTable)
    }

    /// - Parameter database: the coordinator.
    init(database: Database, durability: Durability, logger: Logger) {
        self.database = database
        self.durability = durability
        self.logger = logger
    }

    /// Sets the owner of the lanes that use the table; call it before ``run()``.
    func attach(_ ingestor: Ingestor) { self.ingestor.withLock { $0 = ingestor } }

    /// Asks the database once. Logs why the table can't be read, but not the same reason twice in
    /// a row.
    func read() async -> Knowledge {
        let outcome = try? await database.withConnection { connection in
            Result { () throws(ShardTable.Failure) in try ShardTable.read(on: connection) }
        }
        switch outcome {
        case nil: return .none
        case .success(let table):
            logged.withLock { $0 = nil }
            return table.map(Knowledge.shards) ?? .plain
        case .failure(let failure):
            log(failure)
            return .none
        }
    }

    private func log(_ failure: ShardTable.Failure) {
        let isNew = logged.withLock { logged in
            defer { logged = failure }
            return logged != failure
        }
        guard isNew else { return }
        switch failure {
        case .database(let error):
            logger.warning("the shards could not be read", metadata: ["error": "\(error)"])
        case .fault(let fault):
            logger.error(
                "rows can't be sent to their shards; they go through the configured database",
                metadata: ["fault": "\(fault)"])
        }
    }

    private func log(_ event: IndirectRouteNews.Event) {
        guard case .began(let detour, let times) = event else {
            logger.notice("all lanes write directly to their nodes again")
            return
        }
        var fields: Logger.Metadata = ["lanes": "\(detour.lanes) of \(detour.lanesWithShards)"]
        if times > 1 { fields["times"] = "\(times)" }
        switch detour.cause {
        case .fewerLanesThanNodes(let nodes):
            fields["nodes"] = "\(nodes)"
            logger.warning(
                "fewer lanes than nodes: rows go through the coordinator; see SLUICE_LANES",
                metadata: fields)
        case .unreachable(let nodes):
            fields["nodes"] = "\(nodes.map(\.description).joined(separator: " "))"
            logger.warning(
                "lanes can't write to their nodes: batches go to the spool; see SLUICE_LANES_TO_NODES",
                metadata: fields)
        }
    }

    /// Nothing watches the standbys of Citus workers.
    static let notReplicatedOnCitus = ConfigurationProblem(
        key: "SLUICE_DURABILITY",
        rule: "must be committed on Citus: set synchronous_standby_names on its nodes")

    /// - Throws: when the database turns out to be a cluster, and answers were to wait for its
    ///   standbys.
    func run() async throws {
        try await Repetition.run(Look(), after: Self.lookInterval) { look in
            guard !Task.isCancelled, let ingestor = self.ingestor.withLock({ $0 }) else {
                return nil
            }
            if let event = look.news.news(ingestor.detour, now: .now) { self.log(event) }
            let isDoubted = ingestor.takeRouteDoubt()
            guard isDoubted || ContinuousClock.now - look.readAt >= look.interval else {
                return Self.lookInterval
            }
            look.readAt = .now
            look.interval = Self.interval
            switch await value(of: Task { await self.read() }) {
            case nil: return nil
            case .plain: look.interval = Self.plainInterval
            case .some(.none): break
            case .shards(let table):
                guard self.durability == .committed else {
                    throw StartFailure.configuration(
                        ConfigurationProblems(problems: [Self.notReplicatedOnCitus]))
                }
                if await ingestor.route(by: table) {
                    self.logger.notice("the shards have changed", metadata: Self.figures(table))
                }
            }
            return Self.lookInterval
        }
        // A service that returns ends the service group.
        try? await gracefulShutdown()
    }

    private struct Look {
        var readAt = ContinuousClock.now - RouteKeeper.interval
        var interval = RouteKeeper.interval
        var news = IndirectRouteNews()
    }

    static func figures(_ table: ShardTable) -> Logger.Metadata {
        [
            "shards": "\(table.shards.count)",
            "nodes": "\(table.owners.map(\.description).joined(separator: " "))",
        ]
    }
}
