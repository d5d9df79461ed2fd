import Analysts
import Foundation
import Ingest
import Instruments
import Logging
public import Postgres
import Readings
import Retention

/// A command's database: the configured server, or the private cluster, which the command runs
/// itself unless a server does.
///
/// All calls block: they are for a command's main thread.
public struct DatabaseAccess: ~Copyable {
    /// How to connect; on Citus, to the coordinator.
    public let settings: ConnectionSettings
    /// The settings of lanes.
    let rowSettings: ConnectionSettings
    /// The private cluster's programs; nil unless this command runs the cluster.
    public let binDirectory: String?
    /// Nil unless this command runs the cluster.
    private let cluster: PrivateCluster?

    /// How long to wait while another process starts the cluster.
    private static let startMax: Duration = .seconds(30)

    /// Does not connect yet. Starts the private cluster if it is needed and not running.
    ///
    /// - Parameters:
    ///   - makesCluster: creates a missing cluster. Otherwise that is an error: in a wrong
    ///     directory a command must not report that nothing is stored.
    ///   - checksEpoch: rejects a server other than the one that was written to before.
    public init(
        _ configuration: ServiceConfiguration, makesCluster: Bool = false, checksEpoch: Bool = true
    ) throws(StartFailure) {
        let directory = DataDirectory(configuration.dataDirectory)
        let epochs = checksEpoch ? EpochFence(path: directory.epochPath) : nil
        if let url = configuration.databaseURL {
            (settings, rowSettings) = try Self.settings(configuration, url, epochs)
            binDirectory = nil
            cluster = nil
            return
        }
        if !makesCluster, access(directory.clusterMarkPath, F_OK) != 0, errno != EACCES {
            throw .noDatabase(dataDirectory: directory.path)
        }
        let deadline = ContinuousClock.now + Self.startMax
        while true {
            do throws(ClusterError) {
                let started = try PrivateCluster(Self.clusterConfiguration(configuration))
                settings = started.settings.checked(by: epochs)
                rowSettings = settings
                binDirectory = started.binDirectory
                cluster = started
                // It may have another port than when a server ran it.
                try? Sealing.correctLoop(started.settings)
                return
            } catch {
                guard case .dataDirectoryInUse = error else { throw .cluster(error) }
                // A server runs the cluster, or another command does so briefly.
                if let running = PrivateCluster.runningSettings(dataDirectory: directory.path) {
                    settings = running.checked(by: epochs)
                    rowSettings = settings
                    binDirectory = nil
                    cluster = nil
                    return
                }
                guard ContinuousClock.now < deadline else { throw .cluster(error) }
                usleep(50_000)
            }
        }
    }

    /// Stops the cluster if this command started it.
    public consuming func close() throws(StartFailure) {
        do throws(ClusterError) {
            try cluster?.stop()
        } catch {
            throw .cluster(error)
        }
    }

    /// Migrates the schema to this binary's version and returns the connection.
    ///
    /// - Parameter patience: the deadline for all later work on the connection.
    public borrowing func migratedConnection(
        patience: Duration = .seconds(600)
    ) throws(StartFailure) -> Connection {
        let connection = try Self.connect(settings)
        _ = try Self.migrate(connection)
        connection.deadline = .now + patience
        return connection
    }

    /// Whether this command runs the private cluster, and so must outlast every user of it.
    public var ownsCluster: Bool { cluster != nil }

    /// Brings the schema up to date.
    ///
    /// - Parameter progress: called at the start of each step and of each wait.
    public borrowing func migrate(
        progress: (MigrationProgress) -> Void = { _ in }
    ) throws(StartFailure) -> Migrator.Report {
        try Self.migrate(Self.connect(settings), progress: progress)
    }

    /// Chooses how many UTC days a partition holds. The schema must be up to date.
    public borrowing func choosePartitionDays(_ days: Int) throws(StartFailure) {
        let connection = try Self.connect(settings)
        defer { connection.close() }
        do throws(MigrationError) {
            try Migrator.choosePartitionDays(days, on: connection)
        } catch {
            throw .migration(error)
        }
    }

    /// Sends quarantined readings through this process's lanes; see ``Requeue``.
    ///
    /// - Parameter progress: called now and then with what is done so far.
    public borrowing func requeueReadings(
        _ filter: RejectionFilter, _ configuration: ServiceConfiguration,
        progress: @escaping (Requeue.Report) -> Void = { _ in }
    ) throws -> Requeue.Report {
        try withLanes(configuration) { ingestor, connection in
            try Requeue(
                ingestor: ingestor, connection: connection, limits: configuration.limits,
                daysPerDeviceMax: configuration.ingestion.daysPerDeviceMax, progress: progress
            ).run(filter)
        }
    }

    /// Sends rejected units of work through this process's lanes; see ``UnitRequeue``.
    public borrowing func requeueUnits(
        _ filter: RejectionFilter, _ configuration: ServiceConfiguration
    ) throws -> UnitRequeue.Report {
        try withLanes(configuration) { ingestor, connection in
            try UnitRequeue(
                ingestor: ingestor, connection: connection, kinds: configuration.unitKinds
            ).run(filter)
        }
    }

    /// Runs lanes of this process without a spool, which a server may use. Rows that can't be
    /// committed stay where they are.
    borrowing func withLanes<Report>(
        _ configuration: ServiceConfiguration, label: String = "requeue",
        _ body: (Ingestor, Connection) throws -> Report
    ) throws -> Report {
        let connection = try migratedConnection()
        var ingestion = configuration.ingestion
        ingestion.patience = .seconds(30)
        // After raising a limit, an operator wants all days at once and accepts the wait. What has
        // waited this long for its days is offered again, as long as others get theirs.
        ingestion.stallMax = .seconds(10)
        ingestion.daysPerMinuteMax = 100_000
        let ingestor = Ingestor(
            ingestion, rows: rowSettings, coordinator: settings,
            shards: try Self.shards(connection), spool: nil, unitKinds: configuration.unitKinds,
            registry: Registry(),
            logger: Logger(label: label))
        Self.wait { _ = await ingestor.connect() }
        let outcome = Result { try body(ingestor, connection) }
        Self.wait { await ingestor.finish(by: .now + .seconds(60)) }
        return try outcome.get()
    }

    /// Distributes the database over the nodes of a Citus cluster. The schema must be up to date.
    ///
    /// - Parameter patience: the deadline for moving the existing rows.
    public borrowing func distribute(
        patience: Duration = .seconds(24 * 3600)
    ) throws(StartFailure) -> ShardTable {
        let connection = try Self.connect(settings)
        defer { connection.close() }
        connection.deadline = .now + patience
        do throws(Citus.Failure) {
            return try Citus.distribute(on: connection)
        } catch {
            throw .citus(error)
        }
    }

    /// On Citus, where each shard is; nil: plain PostgreSQL, or a shard table that can't be used.
    /// Lanes work without one.
    static func shards(_ connection: Connection) throws(StartFailure) -> ShardTable? {
        do throws(ShardTable.Failure) {
            return try ShardTable.read(on: connection)
        } catch {
            guard case .database(let error) = error else { return nil }
            throw .database(error)
        }
    }

    /// Opens one connection; does not check the schema.
    static func connect(_ settings: ConnectionSettings) throws(StartFailure) -> Connection {
        do throws(PostgresError) {
            return try Connection.open(settings, deadline: .now + .seconds(10))
        } catch {
            throw .database(error)
        }
    }

    /// Brings the schema up to date.
    static func migrate(
        _ connection: Connection, progress: (MigrationProgress) -> Void = { _ in }
    ) throws(StartFailure) -> Migrator.Report {
        do throws(MigrationError) {
            return try Migrator().run(on: connection, progress: progress)
        } catch {
            throw .migration(error)
        }
    }

    /// Connection settings for the operator's server. With a coordinator URL, only its epoch is
    /// checked.
    static func settings(
        _ configuration: ServiceConfiguration, _ url: Secret, _ epochs: EpochFence?
    ) throws(StartFailure) -> (coordinator: ConnectionSettings, rows: ConnectionSettings) {
        let rows = try settings(url)
        guard let coordinator = configuration.coordinatorURL else {
            return (rows.checked(by: epochs), rows.checked(by: epochs))
        }
        return (try settings(coordinator).checked(by: epochs), rows)
    }

    /// Parses a URL that was already checked when the configuration was read.
    static func settings(_ url: Secret) throws(StartFailure) -> ConnectionSettings {
        do throws(PostgresError) {
            return try ConnectionSettings(url.revealed())
        } catch {
            throw .database(error)
        }
    }

    /// Whether libpq can parse the URL; does not connect.
    @Sendable static func canRead(_ url: String) -> Bool {
        (try? ConnectionSettings(url)) != nil
    }

    /// The private cluster to start, as configured.
    static func clusterConfiguration(
        _ configuration: ServiceConfiguration
    ) -> PrivateCluster.Configuration {
        let path = DataDirectory(configuration.dataDirectory).path
        var cluster = PrivateCluster.Configuration(dataDirectory: path)
        cluster.path = ProcessInfo.processInfo.environment["PATH"]
        if !configuration.postgresBinDirectory.isEmpty {
            cluster.binDirectory = configuration.postgresBinDirectory
        }
        if configuration.analystPort >= 0 {
            cluster.analysts = AnalystListener(
                port: configuration.analystPort, role: Analysts.reader)
        }
        return cluster
    }
}
