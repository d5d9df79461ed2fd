import Access
import Foundation
import Ingestion
import Instruments
import Logging
import Postgres
import Readings
import Retention
import ServiceLifecycle
import Spooling

/// The database that the server writes to. Owns the private cluster if there is one.
struct DatabaseHost: Sendable {
    /// For everything but readings; on Citus, the coordinator's.
    let settings: ConnectionSettings
    /// For readings.
    let rowSettings: ConnectionSettings
    let store: Announcement.Store
    /// Messages of the private cluster for the operator.
    let notices: [String]
    /// The servers that may be written to.
    let eras: EraBook
    /// The private cluster; nil with an operator's server.
    let cluster: PrivateCluster?

    /// How long the private cluster may take to stop.
    static let stopMax: Duration = .seconds(30)

    /// Starts the private cluster. Does not connect to an operator's server.
    ///
    /// - Parameter isDeferred: leaves the start of an existing private cluster to ``start()``.
    init(_ configuration: ServiceConfiguration, isDeferred: Bool) throws(StartFailure) {
        eras = EraBook(path: DataDirectory(configuration.dataDirectory).eraPath)
        if let url = configuration.databaseURL {
            (settings, rowSettings) = try DatabaseAccess.settings(configuration, url, eras)
            store = .server(
                host: settings.host ?? "local socket",
                database: settings.database ?? settings.user ?? "")
            notices = []
            cluster = nil
            return
        }
        do throws(ClusterError) {
            let cluster = try PrivateCluster(
                DatabaseAccess.clusterConfiguration(configuration), isDeferred: isDeferred)
            var settings = cluster.settings
            settings.eras = eras
            self.settings = settings
            rowSettings = settings
            store = .privateCluster(
                home: cluster.home, isNew: cluster.start == .created,
                analystPort: cluster.analystPort)
            notices = cluster.notices
            self.cluster = cluster
        } catch {
            throw .cluster(error)
        }
    }

    /// Starts the private cluster's server unless it is running.
    func start() throws(StartFailure) {
        do throws(ClusterError) {
            _ = try cluster?.revive()
        } catch {
            throw .cluster(error)
        }
    }

    /// Stops the private cluster; leaves an operator's server alone.
    ///
    /// - Parameter isHurried: does not wait for running statements.
    func stop(isHurried: Bool) throws(StartFailure) {
        do throws(ClusterError) {
            try cluster?.stop(limit: isHurried ? .zero : Self.stopMax)
        } catch {
            throw .cluster(error)
        }
    }
}

/// What a start needs from its database, in this order: the private cluster's server, the schema,
/// the location of shards, the issued keys.
///
/// A node that has never served waits for all of it, and fails with the first error: it has not
/// acknowledged anything, and the operator wants to see what is wrong with the configuration.
///
/// A node that has served before may hold acknowledged data, and devices rely on it. It waits
/// briefly (`SLUICE_START_WAIT_MAX`) and then listens, whatever the database does: it is
/// unreachable, frozen, read-only, locked or a standby, rejects the role, or can't be migrated now.
/// Batches go to the spool. Its keepers continue or retry the missing steps: ``ClusterKeeper``,
/// ``SchemaKeeper``, ``RouteKeeper``, the `KeyRefresher`, the lanes.
///
/// The start still fails with errors that waiting can't fix, if they are known by then:
/// - the schema is newer than this binary, or no release made it; the server is too old;
/// - PostgreSQL's programs are missing, the data directory is in use or can't be created;
/// - the spool can't be opened; the address is in use; TLS or authentication can't be set up.
struct DatabaseOpening: Sendable {
    let host: DatabaseHost
    let schema: SchemaKeeper
    let routes: RouteKeeper
    let refreshKeys: @Sendable () async throws -> Void

    /// - Returns: on Citus, where each shard is.
    func open() async -> Result<ShardTable?, StartFailure> {
        do {
            let host = host
            try await blocking { () throws(StartFailure) in try host.start() }
            try await schema.migrate()
            var shards: ShardTable?
            if case .shards(let table) = await routes.read() { shards = table }
            try await refreshKeys()
            return .success(shards)
        } catch let error as StartFailure {
            return .failure(error)
        } catch let error as PostgresError {
            return .failure(.database(error))
        } catch {
            preconditionFailure("BUG: the database was opened with \(error)")
        }
    }
}

extension StartFailure {
    /// Whether waiting can't fix it, whatever happens to the database.
    var isFinal: Bool {
        switch self {
        case .migration(.databaseNewer), .migration(.checksumDiffers),
            .migration(.partitionsExist):
            true
        case .database(let error), .migration(.database(let error)):
            // The server is too old for this binary.
            error.kind == .connectionFailed && error.sqlState == "0A000"
        case .migration(.failed), .cluster: false
        case .configuration, .configurationFileUnreadable, .dataDirectoryUnusable, .noDatabase,
            .keyFileUnusable, .noRandomness, .access, .media, .words, .spool, .citus, .tls, .listen,
            .filesTooFew:
            true
        }
    }
}

/// The parts that depend on the database. All of them work while it is unreachable.
struct DatabaseParts: Sendable {
    let registry = Registry()
    let ledger = ReadingLedger()
    let database: Database
    let ring: KeyRing
    let refresher: KeyRefresher
    let schema: SchemaKeeper
    let routes: RouteKeeper
    let eras: EraWatch
    let tail: Tail
    /// Includes this node's name.
    let ingestion: IngestionConfiguration

    private let rollups: RollupKeeper
    private let retention: RetentionKeeper

    /// Must start in this order.
    var services: [any Service] { [eras, schema, refresher, routes, rollups, retention] }

    /// Does not connect yet.
    init(
        _ configuration: ServiceConfiguration, _ host: DatabaseHost, _ database: Database,
        keys: ConfiguredKeys, _ labelled: (String) -> Logger
    ) {
        self.database = database
        let quota = configuration.keyBytesPerSecond
        ring = KeyRing(
            configured: keys, application: configuration.applicationKeys,
            bytesPerSecond: quota > 0 ? quota : nil, now: Timestamp.now)
        refresher = KeyRefresher(
            ring: ring, database: database, interval: configuration.keyRefreshInterval,
            logger: labelled("access"))
        schema = SchemaKeeper(settings: host.settings, logger: labelled("schema"))
        rollups = RollupKeeper(
            database: database, isOn: configuration.sumsHours, registry: registry,
            logger: labelled("rollups"))
        routes = RouteKeeper(
            database: database, durability: configuration.ingestion.durability,
            logger: labelled("routes"))
        tail = Tail(
            bytesMax: configuration.spool.bytesMax > 0 ? configuration.ingestion.tailBytesMax : 0,
            durability: configuration.ingestion.durability,
            patience: configuration.ingestion.patience)
        eras = EraWatch(
            host.settings, host.eras, tail, registry: registry, logger: labelled("era"))
        var ingestion = configuration.ingestion
        if ingestion.node.isEmpty { ingestion.node = ProcessInfo.processInfo.hostName }
        self.ingestion = ingestion
        retention = RetentionKeeper(
            settings: host.settings, configuration.retention, node: ingestion.node,
            registry: registry, logger: labelled("retention"))
        registry.add(ledger)
        registry.add(ProcessFigures())
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "configured")]
        ) { [ring] in Double(ring.configuredCount) }
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "issued")]
        ) { [ring] in Double(ring.issuedCount) }
    }
}

/// Restarts the private cluster's server when it has ended. Until then batches go to the spool.
struct ClusterKeeper: Service {
    let cluster: PrivateCluster
    let logger: Logger

    private static let interval: Duration = .seconds(1)
    private static let intervalMax: Duration = .seconds(30)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = Self.interval
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return }
                switch await value(of: Task { await revive() }) {
                case nil: return
                case .success(let isRevived):
                    pause = Self.interval
                    if isRevived {
                        logger.warning("the private PostgreSQL had ended and was restarted")
                    }
                case .failure(let error):
                    pause = min(pause * 2, Self.intervalMax)
                    logger.error(
                        "the private PostgreSQL has ended and can't be restarted",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }

    private func revive() async -> Result<Bool, ClusterError> {
        let cluster = cluster
        do throws(ClusterError) {
            return .success(
                try await blocking { () throws(ClusterError) in try cluster.revive() })
        } catch {
            return .failure(error)
        }
    }
}
