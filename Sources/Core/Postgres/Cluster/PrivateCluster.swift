import Glibc
import Synchronization

/// Sluice's own PostgreSQL cluster in the data directory, for operators who have no server.
///
/// It is created at the first start (UTF-8, C locale, data checksums). It listens on a Unix
/// socket in a directory that only its user may enter, and trusts every connection there.
/// Analysts connect on 127.0.0.1, see ``AnalystListener``. If sluice runs as root, the server runs
/// as the user `postgres`, or else as `nobody`. The server is a separate process in its own
/// session: Ctrl-C at the terminal does not reach it. If sluice is killed, the server continues,
/// and the next start adopts it. A lock file lets one process at a time use a data directory.
///
/// All calls block, for seconds at the first start: don't call them on an event loop or on Swift's
/// thread pool.
public final class PrivateCluster: Sendable {
    /// What to start.
    public struct Configuration: Sendable {
        /// Sluice's data directory; created if it is missing.
        public var dataDirectory: String
        /// Created in the cluster if it is missing.
        public var database = "sluice"
        /// Where `initdb`, `pg_ctl` and `postgres` are (`SLUICE_POSTGRES_BIN`); nil looks in
        /// Debian's directories and in `path`.
        public var binDirectory: String?
        /// PATH.
        public var path: String?
        /// For analysts; nil: they can't connect.
        public var analysts: AnalystListener?
        /// For tests: fast, but the data is lost if the machine crashes.
        public var isThrowaway = false
        /// How long the start may take; recovery after a crash reads the log since the last
        /// checkpoint, some GB at most.
        public var startLimit: Duration = .seconds(300)

        /// - Parameter dataDirectory: absolute, or relative to the working directory.
        public init(dataDirectory: String) {
            self.dataDirectory = dataDirectory
        }
    }

    /// The result of the start.
    public enum Start: Sendable, Equatable {
        /// The cluster was created now.
        case created
        case started
        /// It was still running.
        case adopted
        /// It is not running yet: ``PrivateCluster/revive()`` starts it.
        case deferred
    }

    /// The connection settings of the cluster's superuser, `sluice`.
    public let settings: ConnectionSettings
    /// The port for analysts on 127.0.0.1; nil when there is none.
    public let analystPort: Int?
    /// Whether the cluster is new, was stopped, or was still running.
    public let start: Start
    /// Messages for the operator: the cluster is not in the data directory.
    public let notices: [String]
    /// The directory with the server's data and logs, without links.
    public var home: String { layout.home }
    /// The directory of the programs in use, for `psql`.
    public let binDirectory: String

    static let superuser = "sluice"

    private let layout: ClusterLayout
    private let server: ClusterServer
    private let startLimit: Duration
    /// Nil after a stop: the data directory is free.
    private let lock: Mutex<DirectoryLock?>
    /// One start at a time.
    private let starts = Mutex(())
    private let isStarting = Atomic(false)
    private let isStopping = Atomic(false)

    /// Creates the cluster if there is none, starts it unless it runs, and creates the database.
    ///
    /// - Parameter isDeferred: does not wait for an existing cluster. If its server runs, it is
    ///   adopted, even if it does not answer; otherwise ``revive()`` starts it later. Faults of
    ///   the installation are still errors: missing programs, a data directory in use.
    public init(
        _ configuration: Configuration, isDeferred: Bool = false
    ) throws(ClusterError) {
        try ClusterFiles.makeDirectory(configuration.dataDirectory, mode: 0o755)
        let dataDirectory = try ClusterFiles.resolve(configuration.dataDirectory)
        lock = Mutex(try DirectoryLock(dataDirectory))
        let user = try ServerUser.current()
        layout = try ClusterLayout(dataDirectory: dataDirectory, user: user)
        let versionPath = layout.data + "/PG_VERSION"
        let version = ClusterFiles.read(versionPath).map { $0.prefix { $0.isNumber } }
        guard version != nil || ClusterFiles.isAbsent(versionPath) else {
            throw .fileFailed(path: versionPath, operation: "read", errno: errno)
        }
        let binaries = try ServerBinaries.find(
            version: version.map(String.init), override: configuration.binDirectory,
            path: configuration.path)
        startLimit = configuration.startLimit
        let found = ServerProcess.find(inDirectory: layout.data)
        var server = ClusterServer(
            layout: layout, binaries: binaries, user: user, superuser: Self.superuser,
            isThrowaway: configuration.isThrowaway, door: configuration.analysts,
            database: configuration.database, running: found)
        let isNew = version == nil
        if isNew { try server.create() }
        let isWaitedFor = isNew || !isDeferred
        if found != nil {
            start = .adopted
        } else if !isWaitedFor {
            // The name of the socket contains the port, which the settings determine.
            try server.writeSettings(listens: AnalystListener.isFree(server.port))
            start = .deferred
        } else {
            try server.startOnFreePort(limit: configuration.startLimit)
            start = isNew ? .created : .started
        }
        self.server = server
        // The pid file says where the server listens; an operator may have changed that.
        let running = ServerProcess.find(inDirectory: layout.data)
        binDirectory = binaries.directory
        let listens = running.map(\.listens) ?? (server.door != nil)
        let port = running?.port ?? server.configuredPort ?? server.port
        analystPort = listens ? port : nil
        notices = layout.notices
        settings = ConnectionSettings(
            socketDirectory: running?.socketDirectory ?? layout.socketDirectory,
            port: port,
            user: Self.superuser, database: configuration.database)
        guard isWaitedFor else { return }
        do throws(PostgresError) {
            let deadline = ContinuousClock.now + configuration.startLimit
            try Self.makeDatabase(configuration.database, settings, deadline: deadline)
        } catch {
            throw .database(error)
        }
    }

    /// The server's process, while it runs.
    public var processID: Int32? { ServerProcess.find(inDirectory: layout.data)?.id }

    /// Starts the server if it does not run: its start was deferred, or it ended unexpectedly,
    /// killed or out of disk space. Does nothing once ``stop(limit:)`` was called.
    ///
    /// - Returns: whether it started the server.
    public func revive() throws(ClusterError) -> Bool {
        try starts.withLock { _ throws(ClusterError) in
            isStarting.store(true, ordering: .sequentiallyConsistent)
            defer { isStarting.store(false, ordering: .sequentiallyConsistent) }
            guard !isStopping.load(ordering: .sequentiallyConsistent), processID == nil else {
                return false
            }
            try server.start(limit: startLimit)
            return true
        }
    }

    /// Keeps data appended to tables from piling up in the page cache.
    public func makeWritebackPacer() -> WritebackPacer {
        WritebackPacer(directory: layout.data + "/base")
    }

    /// Stops the server; open transactions are rolled back. After `limit` it is stopped
    /// immediately, and the next start needs a recovery. Then another process may use the data
    /// directory.
    ///
    /// A start that is in progress on another thread is ended as well.
    public func stop(limit: Duration = .seconds(30)) throws(ClusterError) {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + limit + .seconds(10)
        while true {
            if let process = ServerProcess.find(inDirectory: layout.data),
                !process.stop(inDirectory: layout.data, limit: limit)
            {
                throw .stopTimedOut(processID: process.id)
            }
            guard isStarting.load(ordering: .sequentiallyConsistent),
                ContinuousClock.now < deadline
            else { break }
            usleep(10_000)
        }
        lock.withLock { $0 = nil }
    }

    /// Stops the server of a throwaway cluster at once and removes its data directory. For clusters
    /// that a test or a benchmark left behind, also when it was killed.
    ///
    /// - Throws: `.dataDirectoryInUse` while another process uses it.
    public static func discard(dataDirectory: String) throws(ClusterError) {
        let dataDirectory = try ClusterFiles.resolve(dataDirectory)
        let lock = try DirectoryLock(dataDirectory)
        defer { withExtendedLifetime(lock) {} }
        let link = ClusterLayout.home(dataDirectory)
        if ClusterFiles.exists(link) {
            let home = try ClusterFiles.resolve(link)
            guard ClusterFiles.exists(ClusterLayout.throwawayMark(home)) else {
                throw .fileFailed(path: home, operation: "discard", errno: EPERM)
            }
            for id in ServerProcess.all(inDirectory: home + "/data") { kill(id, SIGQUIT) }
            guard ServerProcess.awaitNone(inDirectory: home + "/data", limit: .seconds(10)) else {
                throw .backendsLeft(
                    path: home, processIDs: ServerProcess.all(inDirectory: home + "/data"))
            }
            ClusterFiles.removeTree(home)
        }
        ClusterFiles.removeTree(dataDirectory)
    }

    /// Waits for a server that is starting or recovering, then creates the database if it is
    /// missing.
    private static func makeDatabase(
        _ name: String, _ settings: ConnectionSettings, deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        var settings = settings
        settings.database = "postgres"
        var connection: Connection?
        while connection == nil {
            do throws(PostgresError) {
                connection = try Connection.open(settings, deadline: deadline)
            } catch {
                guard error.failureClass == .retry, ContinuousClock.now < deadline else {
                    throw error
                }
                usleep(20_000)
            }
        }
        guard let connection else { return }
        var parameters = Parameters()
        parameters.append(text: name)
        let rows = try connection.query(
            "SELECT format('CREATE DATABASE %I', $1) WHERE NOT EXISTS "
                + "(SELECT FROM pg_database WHERE datname = $1)", parameters)
        if rows.count == 1 { try connection.execute(rows.string(0, 0)) }
    }
}

extension PrivateCluster {
    /// Whether the PostgreSQL programs that create a cluster are installed.
    public static func hasPrograms(_ configuration: Configuration) -> Bool {
        let found = try? ServerBinaries.find(
            version: nil, override: configuration.binDirectory, path: configuration.path)
        return found != nil
    }

    /// The settings of a cluster that another process runs, for commands beside a server.
    ///
    /// Takes no lock and starts nothing.
    /// - Returns: nil if no server runs there, or if it has just begun to start.
    public static func runningSettings(
        dataDirectory: String, database: String = "sluice"
    ) -> ConnectionSettings? {
        guard let home = try? ClusterFiles.resolve(dataDirectory + "/postgres"),
            let server = ServerProcess.find(inDirectory: home + "/data"),
            let socketDirectory = server.socketDirectory
        else { return nil }
        return ConnectionSettings(
            socketDirectory: socketDirectory, port: server.port, user: superuser,
            database: database)
    }
}
