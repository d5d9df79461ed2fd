import Glibc
public import Postgres
import Synchronization

/// One throwaway PostgreSQL cluster for all tests of a process, and a fresh database for each
/// test that asks.
///
/// It is made when first asked for and removed when the process exits; what a killed process left
/// is removed by the next one, which knows it by the process id and start time in its name.
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
            connection.close()
            atexit { TestCluster.shared.discard() }
        } catch {
            fatalError("no test cluster: \(error)")
        }
    }

    /// A throwaway server with a data directory of its own, for tests that stop or kill it.
    public static func startServer(dataDirectory: String) throws -> PrivateCluster {
        var configuration = PrivateCluster.Configuration(dataDirectory: dataDirectory)
        configuration.isThrowaway = true
        configuration.path = getenv("PATH").map { String(cString: $0) }
        configuration.binDirectory = getenv("SLUICE_POSTGRES_BIN").map { String(cString: $0) }
        return try PrivateCluster(configuration)
    }

    /// A path in /tmp that nobody uses and that is cleaned up like the cluster's.
    public static func freshDirectory() -> String {
        let number = directoryCount.add(1, ordering: .relaxed).newValue
        return "\(directory(ofProcess: getpid()) ?? "")-\(number)"
    }

    private static let directoryCount = Atomic(0)

    /// - Parameters:
    ///   - name: for whoever looks at the cluster; a number is added.
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

    /// A connection to a fresh database, with half a minute to its deadline.
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

    /// Ends what runs in a data directory and removes it, also one that sluice itself has made.
    /// Does nothing while somebody has it.
    public static func discard(_ dataDirectory: String) {
        precondition(dataDirectory.hasPrefix("/tmp/" + prefix), "BUG: \(dataDirectory)")
        // What a cluster has that may be thrown away.
        if let mark = fopen(dataDirectory + "/postgres/throwaway", "a") { fclose(mark) }
        try? PrivateCluster.discard(dataDirectory: dataDirectory)
    }

    /// Removes what test processes that are gone have left.
    private static func discardLeftovers() {
        guard let directory = opendir("/tmp") else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let parts = name.dropFirst(prefix.count).split(separator: "-")
            guard name.hasPrefix(prefix), parts.count >= 2, let owner = Int32(parts[0]) else {
                continue
            }
            if Self.directory(ofProcess: owner) != "/tmp/\(prefix)\(parts[0])-\(parts[1])" {
                discard("/tmp/" + name)
            }
        }
    }

    /// The data directory of a test process: its id and start time are in the name, since ids come
    /// round again. Nil when no such process runs.
    private static func directory(ofProcess id: Int32) -> String? {
        guard let file = fopen("/proc/\(id)/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        // State and start time are fields 3 and 22, counted behind the name in parentheses, which
        // may have spaces. A zombie has ended.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[name...].split(separator: " ")
        guard fields.count > 20, fields[1] != "Z" else { return nil }
        return "/tmp/\(prefix)\(id)-\(fields[20])"
    }
}
