import Foundation
import Glibc
public import Postgres
import Synchronization

/// One throwaway PostgreSQL cluster for all tests of a process, and a fresh database for each
/// test that needs one.
///
/// Its files are in memory if the machine has enough: a database is copied in a third of the time.
/// Only the newest databases stay.
///
/// It is created at first use and removed when the process exits. Leftovers of a killed process
/// are removed by the next one, which recognises them by the process id and start time in their
/// names.
public final class TestCluster: Sendable {
    /// Starts the cluster at its first use.
    public static let shared = TestCluster()

    private static let prefix = "sluice-test-"
    private static let template = "sluice_template"
    /// A test may use this many databases at once. Each has 10 MB or more.
    private static let databasesMax = 40

    /// The running server.
    public let server: PrivateCluster
    private let dataDirectory: String
    private let databaseCount = Atomic(0)
    private let databases = Mutex<[String]>([])
    /// PostgreSQL 14 knows no strategies.
    private let strategy: String

    private init() {
        do {
            Self.discardLeftovers()
            dataDirectory = Self.directory(ofProcess: getpid(), in: Self.place) ?? ""
            server = try Self.startServer(dataDirectory: dataDirectory)
            try Self.run("CREATE DATABASE \(Self.template)", on: server.settings)
            var settings = server.settings
            settings.database = Self.template
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            let version = try connection.query("SELECT current_setting('server_version_num')::int")
            strategy = version.int32(0, 0) < 150_000 ? "" : " STRATEGY file_copy"
            _ = try Migrator().run(on: connection)
            // As an operator may do. Each statement of a test then shows that it works beside it:
            // PostgreSQL refuses to change rows of a published table without a replica identity.
            let generated =
                version.int32(0, 0) < 180_000 ? "" : " WITH (publish_generated_columns = stored)"
            try connection.execute(
                "CREATE PUBLICATION everything FOR TABLES IN SCHEMA sluice, sluice_partitions"
                    + generated)
            connection.close()
            atexit { TestCluster.shared.discard() }
        } catch {
            fatalError("no test cluster: \(error)")
        }
    }

    /// Starts a separate throwaway server with its own data directory, for tests that stop or
    /// kill it.
    public static func startServer(
        dataDirectory: String, analysts: AnalystListener? = nil
    ) throws -> PrivateCluster {
        var configuration = PrivateCluster.Configuration(dataDirectory: dataDirectory)
        configuration.isThrowaway = true
        configuration.path = getenv("PATH").map { String(cString: $0) }
        configuration.binDirectory = getenv("SLUICE_POSTGRES_BIN").map { String(cString: $0) }
        configuration.analysts = analysts
        return try PrivateCluster(configuration)
    }

    /// An unused path that is removed like the cluster's directory.
    ///
    /// - Parameter isServers: for the files of a PostgreSQL, which are in memory like the cluster's.
    public static func freshDirectory(isServers: Bool = false) -> String {
        let number = directoryCount.add(1, ordering: .relaxed).newValue
        let own = directory(ofProcess: getpid(), in: isServers ? place : "/tmp")
        return "\(own ?? "")-\(number)"
    }

    private static let directoryCount = Atomic(0)

    /// - Parameters:
    ///   - name: for people who look at the cluster; a number is added.
    ///   - migrated: with the schema; without, the database is empty.
    ///   - isKept: for a whole suite.
    public func freshDatabase(
        named name: String = "test", migrated: Bool = true, isKept: Bool = false
    ) throws -> ConnectionSettings {
        let number = databaseCount.add(1, ordering: .relaxed).newValue
        var settings = server.settings
        settings.database = "\(name)_\(number)"
        let template = migrated ? " TEMPLATE \(Self.template)\(strategy)" : ""
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        try connection.execute("CREATE DATABASE \"\(name)_\(number)\"\(template)")
        if isKept { return settings }
        let old = databases.withLock { databases in
            databases.append("\(name)_\(number)")
            return databases.count > Self.databasesMax ? databases.removeFirst() : nil
        }
        if let old { try discard(database: old, on: connection) }
        return settings
    }

    /// Drops a database, unless a session of a test is still in it.
    private func discard(database: String, on connection: Connection) throws {
        let users = try connection.query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'")
        guard users.int64(0, 0) == 0 else {
            databases.withLock { $0.append(database) }
            return
        }
        _ = try? connection.execute("DROP DATABASE IF EXISTS \"\(database)\"")
    }

    /// A connection to a fresh database, with a deadline in half a minute.
    public func freshConnection(
        named name: String = "test", migrated: Bool = true
    ) throws -> Connection {
        try Connection.open(
            freshDatabase(named: name, migrated: migrated), deadline: .now + .seconds(30))
    }

    private static func run(_ sql: String, on settings: ConnectionSettings) throws {
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        try connection.execute(sql)
    }

    // MARK: Places

    private static let places = ["/tmp", "/dev/shm"]

    /// Where servers have their files: in memory, unless there is little of it.
    private static let place: String = {
        let enough = 8 << 30
        var status = statvfs()
        let memory = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8))?
            .firstMatch(of: #/MemAvailable: +(\d+) kB/#).flatMap { Int($0.1) }
        guard let memory, memory << 10 >= enough, statvfs("/dev/shm", &status) == 0,
            Int(status.f_bavail) * Int(status.f_frsize) >= enough
        else { return "/tmp" }
        return "/dev/shm"
    }()

    // MARK: Removal

    private func discard() {
        try? server.stop(limit: .zero)
        Self.discard(dataDirectory)
        for place in Self.places {
            let own = Self.directory(ofProcess: getpid(), in: place) ?? ""
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            for name in names where "\(place)/\(name)".hasPrefix(own + "-") {
                Self.discard("\(place)/\(name)")
            }
        }
    }

    /// Stops the server in a data directory and removes the directory, also one that sluice
    /// itself has created. Does nothing while a process uses it.
    public static func discard(_ dataDirectory: String) {
        precondition(
            places.contains { dataDirectory.hasPrefix("\($0)/\(prefix)") }, "BUG: \(dataDirectory)")
        // Marks the cluster as throwaway.
        if let mark = fopen(dataDirectory + "/postgres/throwaway", "a") { fclose(mark) }
        try? PrivateCluster.discard(dataDirectory: dataDirectory)
    }

    /// Removes the leftovers of test processes that have ended.
    private static func discardLeftovers() {
        for place in places {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] {
                let parts = name.dropFirst(prefix.count).split(separator: "-")
                guard name.hasPrefix(prefix), parts.count >= 2, let owner = Int32(parts[0]) else {
                    continue
                }
                let own = "\(place)/\(prefix)\(parts[0])-\(parts[1])"
                if Self.directory(ofProcess: owner, in: place) != own {
                    discard("\(place)/\(name)")
                }
            }
        }
    }

    /// The data directory of a test process. Its name contains id and start time, since ids are
    /// reused. Nil if no such process runs.
    private static func directory(ofProcess id: Int32, in place: String) -> String? {
        guard let file = fopen("/proc/\(id)/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        // State and start time are fields 3 and 22, counted after the name in parentheses, which
        // may contain spaces. A zombie counts as ended.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[name...].split(separator: " ")
        guard fields.count > 20, fields[1] != "Z" else { return nil }
        return "\(place)/\(prefix)\(id)-\(fields[20])"
    }
}
