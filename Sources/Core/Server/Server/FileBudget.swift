import HTTP
import Foundation
import Ingest

/// Shares out the files and sockets that the process may have open.
///
/// A process that has none left can't answer `/health`, write its spool or reconnect to its
/// database, and the libraries below it may even end it. So the process's own needs come first, and
/// clients get the rest: their limits are lowered as far as needed, before anything is started.
///
/// | part | files |
/// |---|---|
/// | own | ``ownFiles``, six for each event loop or core, two for each database connection |
/// | probes | ``HTTPConfiguration/surplusMax``, at most a sixteenth of the clients' share |
/// | places of apps (``ClientPlaces``) | at most an eighth for each kind |
/// | connections | all of the rest, but at least half of it |
/// | WebSockets | what connections leave |
///
/// There may be a lane for every sixteen files.
struct FileBudget: Equatable {
    /// For the spool, logs, children's pipes, look-ups, connections that get no place, and whatever
    /// is opened briefly.
    static let ownFiles = 96
    /// Below these a server would be of no use.
    static let (surplusMin, connectionsMin) = (16, 16)

    /// Open files that the process may have.
    let limit: Int
    /// Those that clients can't take.
    let reserve: Int
    private(set) var lanes: Int
    private(set) var surplusMax: Int
    /// Of each kind of apps' places.
    private(set) var placesMax: [Int]
    private(set) var connectionsMax: Int
    private(set) var socketsMax: Int

    /// - Parameters:
    ///   - limit: the limit of the process.
    ///   - cores: number of cores.
    ///   - databaseConnections: the most that a server with this configuration opens.
    /// - Throws: ``StartFailure/filesTooFew(limit:needed:)``.
    init(
        _ configuration: ServiceConfiguration, limit: Int, cores: Int, databaseConnections: Int
    ) throws(StartFailure) {
        let edge = configuration.edge
        self.limit = limit
        lanes = min(configuration.ingestion.lanes, max(1, limit / 16))
        let connections = databaseConnections - configuration.ingestion.lanes + lanes
        reserve =
            Self.ownFiles + 6 * max(cores, edge.eventLoopCount) + 2 * connections
        let clients = limit - reserve
        let places = configuration.apps.flatMap(\.places)
        let needed = places.reduce(Self.surplusMin + Self.connectionsMin) {
            $0 + $1.files * $1.countMin
        }
        guard clients >= needed else {
            throw .filesTooFew(limit: limit, needed: reserve + needed)
        }
        surplusMax = min(edge.surplusMax, max(Self.surplusMin, clients / 16))
        placesMax = places.map {
            min(configuration[keyPath: $0.field], max($0.countMin, clients / 8 / $0.files))
        }
        let rest = zip(places, placesMax).reduce(clients - surplusMax) { $0 - $1.0.files * $1.1 }
        connectionsMax = min(
            edge.connectionsMax, max(rest / 2, rest - edge.sockets.socketsMax))
        socketsMax = min(edge.sockets.socketsMax, rest - connectionsMax)
    }

    /// Files of a server at all of its configured limits.
    static func needed(
        _ configuration: ServiceConfiguration, cores: Int, databaseConnections: Int
    ) -> Int {
        let edge = configuration.edge
        return ownFiles + 6 * max(cores, edge.eventLoopCount) + 2 * databaseConnections
            + edge.surplusMax + edge.connectionsMax + edge.sockets.socketsMax
            + configuration.apps.flatMap(\.places).reduce(0) {
                $0 + $1.files * configuration[keyPath: $1.field]
            }
    }

    /// Puts the limits into force.
    ///
    /// - Returns: the limits that were lowered: key, configured value, fitted value.
    func fit(
        _ configuration: inout ServiceConfiguration
    ) -> [(key: String, from: Int, to: Int)] {
        var lowered: [(key: String, from: Int, to: Int)] = []
        func lower(_ key: String, _ value: inout Int, to fitted: Int) {
            guard fitted < value else { return }
            lowered.append((key, value, fitted))
            value = fitted
        }
        lower("SLUICE_LANES", &configuration.ingestion.lanes, to: lanes)
        lower("SLUICE_CONNECTIONS_MAX", &configuration.edge.connectionsMax, to: connectionsMax)
        lower("SLUICE_SOCKETS_MAX", &configuration.edge.sockets.socketsMax, to: socketsMax)
        for (places, max) in zip(configuration.apps.flatMap(\.places), placesMax) {
            if let key = places.key {
                lower(key, &configuration[keyPath: places.field], to: max)
            } else {
                configuration[keyPath: places.field] = max
            }
        }
        configuration.edge.surplusMax = surplusMax
        return lowered
    }

    /// Raises the process's limit to the highest that is allowed. Shells and service managers set
    /// about a thousand because of select(2), too few for a server.
    ///
    /// - Returns: the limit from now on; nil if the system does not say.
    static func raiseLimit() -> Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        if limit.rlim_cur < limit.rlim_max {
            let soft = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
