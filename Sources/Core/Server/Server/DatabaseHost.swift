import Auth
import Foundation
import Ingest
import Instruments
import Logging
import Postgres
import Readings
import Retention
import ServiceLifecycle
import SpoolLog

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
    let epochs: EpochFence
    /// The private cluster; nil with an operator's server.
    let cluster: PrivateCluster?

    /// How long the private cluster may take to stop.
    static let stopMax: Duration = .seconds(30)

    /// Starts the private cluster. Does not connect to an operator's server.
    ///
    /// - Parameter isDeferred: leaves the start of an existing private cluster to ``start()``.
    init(_ configuration: ServiceConfiguration, isDeferred: Bool) throws(StartFailure) {
        epochs = EpochFence(path: DataDirectory(configuration.dataDirectory).epochPath)
        if let url = configuration.databaseURL {
            (settings, rowSettings) = try DatabaseAccess.settings(configuration, url, epochs)
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
            settings.epochs = epochs
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

extension StartFailure {
    /// Whether waiting can't fix it, whatever happens to the database.
    var isFinal: Bool {
        switch self {
        case .migration(.databaseNewer), .migration(.checksumDiffers),
            .migration(.formerSteps), .migration(.partitionsExist):
            true
        case .database(let error), .migration(.database(let error)):
            // The server is too old for this binary.
            error.kind == .connectionFailed && error.sqlState == "0A000"
        case .migration(.failed), .cluster: false
        case .configuration, .configurationFileUnreadable, .dataDirectoryUnusable, .noDatabase,
            .keyFileUnusable, .access, .app, .words, .spool, .citus, .tls, .listen,
            .filesTooFew:
            true
        }
    }
}
