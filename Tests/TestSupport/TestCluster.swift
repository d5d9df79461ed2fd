import Foundation
import Glibc
public import Postgres
import Synchronization

/// One throwaway PostgreSQL cluster for all tests of a process, and a fresh database for each
/// test that needs one.
///
/// It is created at first use and removed when the process exits. Leftovers of a killed process
/// are removed by the next one, which recognises them by the process id and start time in their
/// names.
public final class TestCluster: Sendable {
    /// Starts the cluster at its first use.
    public static let shared = TestCluster()

    private static let prefix = "sluice-test-"
    private static let template = "sluice_template"

    /// The running server.
    public let server: PrivateCluster
    private let dataDirectory: String
    private let databaseCount = Atomic(0)

    private init() {
        do {
            Self.discardLeftovers()
            dataDirectory = Self.directory(ofProcess: getpid()) ?? ""
            server = try Self.startServer(dataDirectory: dataDirectory)
            try Self.run("CREATE DATABASE \(Self.template)", on: server.settings)
            var settings = server.settings
            settings.database = Self.template
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            _ = try Migrator().run(on: connection)
            // As an operator may do. Each statement of a test then shows that it works beside it:
            // PostgreSQL refuses to change rows of a published table without a replica identity.
            try connection.execute(
                "CREATE PUBLICATION everything FOR TABLES IN SCHEMA sluice, sluice_partitions")
            connection.close()
            atexit { TestCluster.shared.discard() }
        } catch {
            fatalError("no test cluster: \(error)")
        }
    }

    /// Starts a separate throwaway server with its own data directory, for tests that stop or
    /// kill it.
    public static func startServer(dataDirectory: String) throws -> PrivateCluster {
        var configuration = PrivateCluster.Configuration(dataDirectory: dataDirectory)
        configuration.isThrowaway = true
        configuration.path = getenv("PATH").map { String(cString: $0) }
        configuration.binDirectory = getenv("SLUICE_POSTGRES_BIN").map { String(cString: $0) }
        return try PrivateCluster(configuration)
    }

    /// An unused path in /tmp that is removed like the cluster's directory.
    public static func freshDirectory() -> String {
        let number = directoryCount.add(1, ordering: .relaxed).newValue
        return "\(directory(ofProcess: getpid()) ?? "")-\(number)"
    }

    private static let directoryCount = Atomic(0)

    /// - Parameters:
    ///   - name: for people who look at the cluster; a number is added.
    ///   - migrated: with the schema; without, the database is empty.
    public func freshDatabase(
        named name: String = "test", migrated: Bool = true
    ) throws -> ConnectionSettings {
        let number = databaseCount.add(1, ordering: .relaxed).newValue
        var settings = server.settings
        settings.database = "\(name)_\(number)"
        let template = migrated ? " TEMPLATE \(Self.template)" : ""
        try Self.run("CREATE DATABASE \"\(name)_\(number)\"\(template)", on: server.settings)
        return settings
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

    // MARK: Removal

    private func discard() {
        try? server.stop(limit: .zero)
        Self.discard(dataDirectory)
        for number in 0..<Self.directoryCount.load(ordering: .relaxed) {
            Self.discard("\(dataDirectory)-\(number + 1)")
        }
    }

    /// Stops the server in a data directory and removes the directory, also one that sluice
    /// itself has created. Does nothing while a process uses it.
    public static func discard(_ dataDirectory: String) {
        precondition(dataDirectory.hasPrefix("/tmp/" + prefix), "BUG: \(dataDirectory)")
        // Marks the cluster as throwaway.
        if let mark = fopen(dataDirectory + "/postgres/throwaway", "a") { fclose(mark) }
        try? PrivateCluster.discard(dataDirectory: dataDirectory)
    }

    /// Removes the leftovers of test processes that have ended.
    private static func discardLeftovers() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? [] {
            let parts = name.dropFirst(prefix.count).split(separator: "-")
            guard name.hasPrefix(prefix), parts.count >= 2, let owner = Int32(parts[0]) else {
                continue
            }
            if Self.directory(ofProcess: owner) != "/tmp/\(prefix)\(parts[0])-\(parts[1])" {
                discard("/tmp/" + name)
            }
        }
    }

    /// The data directory of a test process. Its name contains id and start time, since ids are
    /// reused. Nil if no such process runs.
    private static func directory(ofProcess id: Int32) -> String? {
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
        return "/tmp/\(prefix)\(id)-\(fields[20])"
    }
}
