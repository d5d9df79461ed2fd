import Foundation
public import Postgres

/// A durable PostgreSQL server like an operator's: it listens on 127.0.0.1, and standbys can
/// follow its log. It can be copied as a standby, frozen, killed and promoted.
///
/// Stopped and removed when this object is released.
public final class TestServer: @unchecked Sendable {
    // `@unchecked`: nothing changes after `init`.

    /// The port on which it listens.
    public let port: Int
    private let home: String
    private let data: String

    private static let user = geteuid() == 0 ? "postgres" : NSUserName()

    /// A running new cluster with an empty, migrated database `telemetry`.
    public init() throws {
        (port, home) = (TestCluster.freePort(), TestCluster.freshDirectory(isServers: true))
        data = home + "/data"
        try Self.makeHome(home)
        try Self.run("initdb --no-sync --auth=trust --username=writer --pgdata=\(data)")
        try configure(
            [
                "wal_level = replica", "max_wal_senders = 8", "wal_keep_size = '256MB'",
                "wal_log_hints = on",
            ])
        try start()
        try execute("CREATE DATABASE telemetry", database: "postgres")
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        _ = try Migrator().run(on: connection)
        connection.close()
    }

    /// A copy of a running server.
    private init(copyOf primary: TestServer, follows: Bool) throws {
        (port, home) = (TestCluster.freePort(), TestCluster.freshDirectory(isServers: true))
        data = home + "/data"
        try Self.makeHome(home)
        try Self.run(
            "pg_basebackup --no-sync --checkpoint=fast --wal-method=stream --pgdata=\(data) "
                + (follows ? "--write-recovery-conf " : "")
                + "--dbname='host=127.0.0.1 port=\(primary.port) user=writer "
                + "application_name=standby'")
        try configure([])
    }

    deinit {
        kill9()
        try? FileManager.default.removeItem(atPath: home)
    }

    /// A running standby that has all data up to now.
    public func makeStandby() throws -> TestServer {
        let standby = try TestServer(copyOf: self, follows: true)
        try standby.start()
        return standby
    }

    /// A stopped copy of the present state.
    public func makeCopy() throws -> TestServer {
        try TestServer(copyOf: self, follows: false)
    }

    /// Settings with which a client connects.
    public var settings: ConnectionSettings { Self.settings([self]) }

    /// Settings with several servers, in this order; clients use the one that accepts writes.
    public static func settings(_ servers: [TestServer]) -> ConnectionSettings {
        do {
            return try ConnectionSettings(url(servers))
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    /// The URL for `DATABASE_URL`.
    public static func url(_ servers: [TestServer]) -> String {
        let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return "postgresql://writer@\(hosts)/telemetry?connect_timeout=2"
            + "&target_session_attrs=read-write"
    }

    // MARK: -

    /// Returns when it accepts connections.
    public func start() throws {
        do {
            try Self.run("pg_ctl start --wait --timeout=60 --pgdata=\(data) --log=\(home)/log")
        } catch {
            let log = (try? String(contentsOfFile: home + "/log", encoding: .utf8)) ?? ""
            throw PostgresError(.connectionFailed, message: "\(error): \(log.suffix(1000))")
        }
    }

    /// Returns when it accepts writes.
    public func promote() throws {
        try Self.run("pg_ctl promote --wait --timeout=60 --pgdata=\(data)")
    }

    /// Kills all of its processes at once.
    public func kill9() {
        for _ in 0..<100 {
            let left = processes
            guard !left.isEmpty else {
                // The process id may still belong to a zombie.
                unlink(data + "/postmaster.pid")
                return
            }
            for process in left { kill(process, SIGKILL) }
            usleep(10_000)
        }
    }

    /// Sends a signal, such as SIGSTOP or SIGCONT, to those of its processes whose title contains
    /// a text.
    ///
    /// - Returns: the number of these processes.
    @discardableResult
    public func signal(_ number: Int32, to title: String) -> Int {
        let found = processes.filter { process in
            let words = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            return words?.contains(title) ?? false
        }
        for process in found { kill(process, number) }
        return found.count
    }

    /// Runs statements in a separate session, as the owner of everything.
    @discardableResult
    public func execute(_ sql: String, database: String = "telemetry") throws -> Int {
        var settings = settings.takingStandbys
        settings.database = database
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        return try connection.execute(sql)
    }

    /// Runs a query and returns the first value of the first row.
    public func ask(_ sql: String) throws -> String {
        let connection = try Connection.open(
            settings.takingStandbys, deadline: .now + .seconds(30))
        defer { connection.close() }
        return try connection.query("SELECT (\(sql))::text").string(0, 0)
    }

    // MARK: -

    private static func makeHome(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777])
        chmod(path, 0o777)
    }

    private func configure(_ lines: [String]) throws {
        let all =
            lines + [
                "port = \(port)", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''",
                "shared_buffers = '32MB'",
            ]
        let handle = try FileHandle(
            forWritingTo: URL(fileURLWithPath: data + "/postgresql.conf"))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((all.joined(separator: "\n") + "\n").utf8))
    }

    private var processes: [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { id in
            let place = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(id)/cwd")
            return place == data
        }
    }

    /// Runs one of PostgreSQL's programs as the server's user.
    private static func run(_ command: String) throws {
        let directory = URL(fileURLWithPath: TestCluster.shared.server.binDirectory).path
        let prefix = geteuid() == 0 ? "setpriv --reuid=\(user) --regid=\(user) --clear-groups " : ""
        // Foundation's `Process` waits for every process that has its files open, and servers do.
        let status = system("cd / && \(prefix)\(directory)/\(command) </dev/null >/dev/null 2>&1")
        guard status == 0 else {
            throw PostgresError(.connectionFailed, message: "\(command): status \(status)")
        }
    }
}
