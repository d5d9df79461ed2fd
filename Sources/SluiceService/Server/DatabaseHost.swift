import Postgres

/// The database that the server writes to, and the end of it when it is ours.
struct DatabaseHost: Sendable {
    /// For all but readings; on Citus, of the coordinator.
    let settings: ConnectionSettings
    /// For readings.
    let rowSettings: ConnectionSettings
    let store: Announcement.Store
    /// What an operator should know about it.
    let notices: [String]
    /// Which servers may be written to.
    let eras: EraBook
    /// Ours; nil when the operator has a server.
    let cluster: PrivateCluster?

    /// How long the private cluster may take to stop.
    static let stopMax: Duration = .seconds(30)

    /// Checks nothing about a server of the operator's.
    ///
    /// - Parameter isDeferred: leaves it to ``start()`` to start a private cluster that is not new.
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
            store = .privateCluster(home: cluster.home, isNew: cluster.start == .created)
            notices = cluster.notices
            self.cluster = cluster
        } catch {
            throw .cluster(error)
        }
    }

    /// Starts the private cluster's server unless it runs.
    func start() throws(StartFailure) {
        do throws(ClusterError) {
            _ = try cluster?.revive()
        } catch {
            throw .cluster(error)
        }
    }

    /// Stops the private cluster. The operator's server goes on.
    ///
    /// - Parameter isHurried: without waiting for what runs in it.
    func stop(isHurried: Bool) throws(StartFailure) {
        do throws(ClusterError) {
            try cluster?.stop(limit: isHurried ? .zero : Self.stopMax)
        } catch {
            throw .cluster(error)
        }
    }
}
