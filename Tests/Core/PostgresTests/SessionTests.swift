import Postgres
import TestSupport
import Testing

/// Settings that hold in every session, whatever server, role and URL say, and what happens to a
/// session in which they don't.
@Suite(.timeLimit(.minutes(10)))
struct SessionTests {
    let settings: ConnectionSettings
    /// A superuser's session.
    let admin: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "session", migrated: false)
        admin = try Connection.open(settings, deadline: .now + .seconds(30))
    }

    private func setting(_ name: String, _ connection: Connection) throws -> String {
        try connection.query("SELECT current_setting('\(name)')").string(0, 0)
    }

    private func open(_ settings: ConnectionSettings) throws -> Connection {
        try Connection.open(settings, deadline: .now + .seconds(30))
    }

    private var database: String { settings.database ?? "" }

    /// The setting is made for the database; a setting of the role has the same effect.
    @Test(arguments: [
        ("off", "on"), ("local", "on"), ("on", "on"), ("remote_write", "remote_write"),
        ("remote_apply", "remote_apply"),
    ])
    func `a session always waits for the disk, and for standbys as configured`(
        said: String, is value: String
    ) async throws {
        try admin.execute("ALTER DATABASE \(database) SET synchronous_commit = \(said)")
        #expect(try setting("synchronous_commit", open(settings)) == value)
        let pool = Database(settings)
        defer { pool.close() }
        let pooled = try await pool.withConnection {
            try $0.query("SELECT current_setting('synchronous_commit')").string(0, 0)
        }
        #expect(pooled == value)
        let own = try ConnectionSettings("\(settings) options='-c synchronous_commit=\(said)'")
        #expect(try setting("synchronous_commit", open(own)) == value)
    }

    @Test func `neither a reload nor a changed role affects an open session`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let server = try TestCluster.startServer(dataDirectory: directory)
        defer { TestCluster.discard(directory) }
        let connection = try open(server.settings)
        for statement in [
            "ALTER ROLE CURRENT_USER SET synchronous_commit = off",
            "ALTER SYSTEM SET synchronous_commit = off",
            "ALTER SYSTEM SET TimeZone = 'Asia/Tokyo'", "SELECT pg_reload_conf()",
        ] { try connection.execute(statement) }
        // The value that RESET would set changes when the session has read the file.
        let deadline = ContinuousClock.now + .seconds(20)
        var isRead = false
        while !isRead, ContinuousClock.now < deadline {
            isRead = try connection.query(
                "SELECT reset_val = 'off' FROM pg_settings WHERE name = 'synchronous_commit'"
            ).bool(0, 0)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(isRead)
        #expect(try setting("synchronous_commit", connection) == "on")
        #expect(try setting("TimeZone", connection) == "UTC")
        #expect(try setting("synchronous_commit", open(server.settings)) == "on")
    }

    @Test(arguments: [
        "-c lock_timeout=7s", "-clock_timeout=7s", "--lock-timeout=7s", "--lock_timeout=7000",
        "-c work_mem=1MB -c LOCK_TIMEOUT=7s", "-c  lock_timeout=7\\ s -c search_path=a,\\ b",
    ])
    func `a setting in the URL's options is not overridden`(options: String) throws {
        let escaped = options.replacing("\\", with: "\\\\")
        var own = try ConnectionSettings("\(settings) options='\(escaped)'")
        own.sessionSettings["lock_timeout"] = "1s"
        own.sessionSettings["deadlock_timeout"] = "9s"
        let connection = try open(own)
        #expect(try setting("lock_timeout", connection) == "7s")
        #expect(try setting("deadlock_timeout", connection) == "9s")
    }

    @Test func `a setting that the server does not know fails the connection, with its code`() {
        var wrong = settings
        wrong.sessionSettings["no_such_setting"] = "1"
        let error = #expect(throws: PostgresError.self) { try open(wrong) }
        #expect(error?.kind == .connectionFailed && error?.sqlState == "42704")
    }

    // MARK: Sessions that are not reused

    /// A pool of one connection, so that the same slot is used again.
    private var single: Database {
        var limits = Database.Limits()
        limits.connectionsMax = 1
        return Database(settings, limits: limits)
    }

    @Test func `a pool does not reuse a session that is read-only`() async throws {
        try admin.execute("CREATE TABLE t ()")
        try admin.execute("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        let pool = single
        defer { pool.close() }
        func write() async throws {
            try await pool.withConnection { _ = try $0.execute("INSERT INTO t DEFAULT VALUES") }
        }
        let error = await #expect(throws: PostgresError.self) { try await write() }
        #expect(error?.sqlState == "25006" && error?.kind == .refused)
        try admin.execute("ALTER DATABASE \(database) RESET default_transaction_read_only")
        try await write()
        // Also if the failure was caught before the pool saw it.
        try admin.execute("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        try admin.execute(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        try await pool.withConnection { _ = try? $0.execute("INSERT INTO t DEFAULT VALUES") }
        try admin.execute("ALTER DATABASE \(database) RESET default_transaction_read_only")
        try await write()
        #expect(try admin.query("SELECT count(*) FROM t").int64(0, 0) == 2)
    }

    @Test func `a pool does not reuse a session whose prepared statements are gone`() async throws {
        let pool = single
        defer { pool.close() }
        @Sendable func ask(_ connection: Connection) throws -> Int64 {
            var parameters = Parameters()
            parameters.append(int8: 41)
            return try connection.query(keeping: "SELECT $1 + 1", parameters).int64(0, 0)
        }
        #expect(try await pool.withConnection { try ask($0) } == 42)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.withConnection { connection in
                try connection.execute("DEALLOCATE ALL")
                _ = try ask(connection)
            }
        }
        #expect(error?.sqlState == "26000" && error?.failureClass == .retry)
        #expect(try await pool.withConnection { try ask($0) } == 42)
    }

    @Test func `a kept statement that another program has prepared ends the session`() throws {
        let statement = KeptStatement("mine", "SELECT 1::int8", types: [])
        try admin.execute("PREPARE \"\(statement.name)\" AS SELECT 2::int8")
        let error = #expect(throws: PostgresError.self) { try admin.query(kept: statement) }
        #expect(error?.sqlState == "42P05" && error?.failureClass == .retry)
        #expect(!admin.isOpen)
        #expect(try open(settings).query(kept: statement).int64(0, 0) == 1)
    }

    // MARK: Names

    @Test func `a kept statement's name depends on its text, not on the order of use`() throws {
        let other = try open(settings)
        func askOne(_ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(int8: 1)
            try connection.query(keeping: "SELECT $1", parameters)
        }
        func askTwo(_ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(int8: 1)
            try connection.query(keeping: "SELECT $1 + 1", parameters)
        }
        try askOne(admin)
        try askTwo(admin)
        try askTwo(other)
        try askOne(other)
        func names(_ connection: Connection) throws -> [String: String] {
            let rows = try connection.query("SELECT statement, name FROM pg_prepared_statements")
            return Dictionary(
                uniqueKeysWithValues: (0..<rows.count).map {
                    (rows.string($0, 0), rows.string($0, 1))
                })
        }
        let kept = try names(admin)
        #expect(kept.count == 2)
        #expect(try names(other) == kept)
        for name in kept.values { #expect(name.contains(/^sluice_query_[0-9a-f]{16}$/)) }
    }

    @Test func `another text, other types and another prefix give another name`() {
        let names = [
            KeptStatement("a", "SELECT $1", types: [.int8]),
            KeptStatement("a", "SELECT $1 ", types: [.int8]),
            KeptStatement("a", "SELECT $1", types: [.text]),
            KeptStatement("a", "SELECT $1", types: [.int8, .int8]),
            KeptStatement("b", "SELECT $1", types: [.int8]),
            KeptStatement(String(repeating: "long", count: 30), "SELECT $1", types: [.int8]),
        ].map(\.name)
        #expect(Set(names).count == names.count)
        // The server truncates longer names.
        #expect(names.allSatisfy { $0.utf8.count <= 63 })
    }
}
