import Analytics
import Foundation
import Ingestion
import Instruments
import Logging
public import Postgres
import Readings

/// The database for a command: the configured server; or the private cluster, beside the server that
/// runs it, or started for as long as the command takes.
///
/// All calls block; they are for the main thread of a command.
public struct DatabaseAccess: ~Copyable {
    /// How to connect; on Citus, to the coordinator.
    public let settings: ConnectionSettings
    /// How lanes connect.
    let rowSettings: ConnectionSettings
    /// Where the cluster's programs are; nil when they are not ours.
    public let binDirectory: String?
    /// Set when this command runs the cluster.
    private let cluster: PrivateCluster?

    /// How long to wait for a server that another process is just starting.
    private static let startMax: Duration = .seconds(30)

    /// Connects nowhere yet; starts the private cluster where it is needed and not running.
    ///
    /// - Parameters:
    ///   - makesCluster: where there is none, makes one. Otherwise that is an error: who asks in a
    ///     wrong directory must not hear that nothing is stored.
    ///   - checksEra: refuses a server that is not the one that was written to before.
    public init(
        _ configuration: ServiceConfiguration, makesCluster: Bool = false, checksEra: Bool = true
    ) throws(StartFailure) {
        let directory = DataDirectory(configuration.dataDirectory)
        let eras = checksEra ? EraBook(path: directory.eraPath) : nil
        if let url = configuration.databaseURL {
            (settings, rowSettings) = try Self.settings(configuration, url, eras)
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
                settings = started.settings.checked(by: eras)
                rowSettings = settings
                binDirectory = started.binDirectory
                cluster = started
                return
            } catch {
                guard case .dataDirectoryInUse = error else { throw .cluster(error) }
                // A server has it, or another command does for a moment.
                if let running = PrivateCluster.runningSettings(dataDirectory: directory.path) {
                    settings = running.checked(by: eras)
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

    /// Opens one connection to a database whose schema is this binary's, migrating it first.
    ///
    /// - Parameter patience: for connecting, and for everything that is done on the connection.
    public borrowing func migratedConnection(
        patience: Duration = .seconds(600)
    ) throws(StartFailure) -> Connection {
        let connection = try Self.connect(settings)
        _ = try Self.migrate(connection)
        connection.deadline = .now + patience
        return connection
    }

    /// This command runs the private cluster, and must be there until nobody needs it any more.
    public var ownsCluster: Bool { cluster != nil }

    /// Brings the schema up to date.
    ///
    /// - Parameter progress: hears of each step that begins, and of each wait.
    public borrowing func migrate(
        progress: (MigrationProgress) -> Void = { _ in }
    ) throws(StartFailure) -> Migrator.Report {
        try Self.migrate(Self.connect(settings), progress: progress)
    }

    /// Sends quarantined readings through lanes of this process; see ``Requeue``.
    public borrowing func requeueReadings(
        _ filter: RejectionFilter, _ configuration: ServiceConfiguration
    ) throws -> Requeue.Report {
        try withLanes(configuration) { ingestor, connection in
            try Requeue(ingestor: ingestor, connection: connection, limits: configuration.limits)
                .run(filter)
        }
    }

    /// Sends rejected units of work through lanes of this process; see ``UnitRequeue``.
    public borrowing func requeueUnits(
        _ filter: RejectionFilter, _ configuration: ServiceConfiguration
    ) throws -> UnitRequeue.Report {
        try withLanes(configuration) { ingestor, connection in
            try UnitRequeue(
                ingestor: ingestor, connection: connection, kinds: Applications.unitKinds
            ).run(filter)
        }
    }

    /// Lanes of this process, beside a server that has the spool: what can't be committed stays
    /// where it is.
    private borrowing func withLanes<Report>(
        _ configuration: ServiceConfiguration, _ body: (Ingestor, Connection) throws -> Report
    ) throws -> Report {
        let connection = try migratedConnection()
        var ingestion = configuration.ingestion
        ingestion.patience = .seconds(30)
        // An operator who raised a limit wants its days now, and waits for them.
        ingestion.stallMax = .seconds(120)
        ingestion.daysPerMinuteMax = 100_000
        let ingestor = Ingestor(
            ingestion, rows: rowSettings, coordinator: settings,
            shards: try Self.shards(connection), spool: nil, registry: Registry(),
            logger: Logger(label: "requeue"))
        Self.wait { _ = await ingestor.connect() }
        let outcome = Result { try body(ingestor, connection) }
        Self.wait { await ingestor.finish(by: .now + .seconds(60)) }
        return try outcome.get()
    }

    /// Spreads the database over the nodes of a Citus cluster, once the schema is up to date.
    ///
    /// - Parameter patience: for moving the rows that are there.
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

    /// On Citus, where the rows are; nil: plain PostgreSQL, or a table of shards that can't be used,
    /// which lanes do without.
    static func shards(_ connection: Connection) throws(StartFailure) -> ShardTable? {
        do throws(ShardTable.Failure) {
            return try ShardTable.read(on: connection)
        } catch {
            guard case .database(let error) = error else { return nil }
            throw .database(error)
        }
    }

    /// Opens one connection, whatever the schema.
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

    /// How to reach a server of the operator's. On Citus only the coordinator is checked.
    static func settings(
        _ configuration: ServiceConfiguration, _ url: Secret, _ eras: EraBook?
    ) throws(StartFailure) -> (coordinator: ConnectionSettings, rows: ConnectionSettings) {
        let rows = try settings(url)
        guard let coordinator = configuration.coordinatorURL else {
            return (rows.checked(by: eras), rows.checked(by: eras))
        }
        return (try settings(coordinator).checked(by: eras), rows)
    }

    /// A URL that was checked when the configuration was read.
    static func settings(_ url: Secret) throws(StartFailure) -> ConnectionSettings {
        do throws(PostgresError) {
            return try ConnectionSettings(url.revealed())
        } catch {
            throw .database(error)
        }
    }

    /// Whether libpq can make sense of it; nothing is connected.
    @Sendable static func canRead(_ url: String) -> Bool {
        (try? ConnectionSettings(url)) != nil
    }

    /// What to start, as configured.
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
            cluster.analysts = AnalystDoor(port: configuration.analystPort, role: Analysts.reader)
        }
        return cluster
    }
}
