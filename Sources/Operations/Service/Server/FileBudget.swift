import Edge
import Foundation
import Ingestion

/// Shares out the files and sockets that the process may have open.
///
/// A process that has none left can't answer `/health`, write its spool or reconnect to its
/// database, and the libraries below it may even end it. So the process's own needs come first, and
/// clients get the rest: their limits are lowered as far as needed, before anything is started.
///
/// | part | files |
/// |---|---|
/// | own | ``ownFiles``, six for each event loop or core, two for each database connection |
/// | probes | ``EdgeConfiguration/surplusMax``, at most a sixteenth of the clients' share |
/// | uploads | two each, at most an eighth |
/// | downloads | one each, at most an eighth |
/// | connections | all of the rest, but at least half of it |
/// | WebSockets | what connections leave |
///
/// There may be a lane for every sixteen files.
struct FileBudget: Equatable {
    /// For the spool, logs, children's pipes, look-ups, and whatever is opened briefly.
    static let ownFiles = 96
    /// Below these a server would be of no use.
    static let (surplusMin, uploadsMin, downloadsMin, connectionsMin) = (16, 4, 8, 16)

    /// Open files that the process may have.
    let limit: Int
    /// Those that clients can't take.
    let reserve: Int
    private(set) var lanes: Int
    private(set) var surplusMax: Int
    private(set) var uploadsMax: Int
    private(set) var downloadsMax: Int
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
        let needed = Self.surplusMin + 2 * Self.uploadsMin + Self.downloadsMin + Self.connectionsMin
        guard clients >= needed else {
            throw .filesTooFew(limit: limit, needed: reserve + needed)
        }
        surplusMax = min(edge.surplusMax, max(Self.surplusMin, clients / 16))
        uploadsMax = min(edge.routes.uploadsMax, max(Self.uploadsMin, clients / 16))
        downloadsMax = min(edge.routes.downloadsMax, max(Self.downloadsMin, clients / 8))
        let rest = clients - surplusMax - 2 * uploadsMax - downloadsMax
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
            + edge.surplusMax + 2 * edge.routes.uploadsMax + edge.routes.downloadsMax
            + edge.connectionsMax + edge.sockets.socketsMax
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
        lower("SLUICE_UPLOADS_MAX", &configuration.edge.routes.uploadsMax, to: uploadsMax)
        configuration.edge.routes.downloadsMax = downloadsMax
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
