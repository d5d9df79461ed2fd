import Postgres
import Readings
import TestSupport
import Testing

@testable import Analysts

@Suite(.timeLimit(.minutes(10)))
struct RoleTests {
    private static func open(
        _ settings: ConnectionSettings, as role: String
    ) throws(PostgresError) -> Connection {
        var settings = settings
        settings.user = role
        return try Connection.open(settings, deadline: .now + .seconds(30))
    }

    @Test func `an analyst reads analytics and nothing else, within limits`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "analyst")
        let owner = try Connection.open(settings, deadline: .now + .seconds(60))
        // So roles of other tests do not count as users of this database.
        let database = try #require(settings.database)
        try owner.execute("REVOKE CONNECT ON DATABASE \(database) FROM PUBLIC")
        let made = try Analysts.create("reads_only", validUntil: nil, on: owner)
        #expect(made.password.count == 24 && made.gaps == [])
        var analyst = try Self.open(settings, as: "reads_only")
        // Without a schema name: the role's search_path finds them.
        for relation in ["gps", "session", "completeness", "sessions_by()", "fleet"] {
            try analyst.execute("SELECT * FROM \(relation)")
        }
        for statement in [
            "SELECT * FROM sluice.gps", "SELECT * FROM sluice.api_key",
            "SELECT * FROM sluice.device_state", "CREATE TABLE mine ()",
            "SET default_transaction_read_only = off; DELETE FROM analytics.device",
            "SET default_transaction_read_only = off; CREATE TABLE analytics.mine ()",
            "SET default_transaction_read_only = off; UPDATE sluice.device SET user_id = ''",
            "CREATE ROLE another", "SELECT pg_read_file('/etc/passwd')",
        ] {
            let error = #expect(throws: PostgresError.self, "\(statement)") {
                try analyst.execute(statement)
            }
            #expect(["42501", "25006", "55000"].contains(error?.sqlState), "\(statement)")
            // A connection whose session is read-only is closed.
            if !analyst.isOpen { analyst = try Self.open(settings, as: "reads_only") }
        }
        for statement in [
            "CREATE TEMPORARY TABLE large ()", "SELECT lo_create(0)", "SELECT lo_creat(-1)",
            "SELECT lo_from_bytea(0, 'large')", "SELECT lo_import('/etc/hostname')",
        ] {
            let error = #expect(throws: PostgresError.self, "\(statement)") {
                try analyst.execute("BEGIN READ WRITE; \(statement)")
            }
            #expect(error?.sqlState == "42501", "\(statement)")
            try analyst.execute("ROLLBACK")
        }
        try analyst.execute("RESET ALL")
        for (key, value) in [
            ("default_transaction_read_only", "on"), ("statement_timeout", "5min"),
            ("idle_in_transaction_session_timeout", "5min"), ("temp_file_limit", "10GB"),
            ("jit", "off"),
        ] {
            #expect(try analyst.query("SHOW \(key)").string(0, 0) == value)
        }
        let others = try (1..<Analysts.connectionsMax).map { _ in
            try Self.open(settings, as: "reads_only")
        }
        let refused = #expect(throws: PostgresError.self) {
            try Self.open(settings, as: "reads_only")
        }
        #expect(refused?.message.contains("too many connections") == true)
        #expect(
            try Analysts.list(on: owner).filter { $0.name == "reads_only" }
                == [
                    Analyst(
                        name: "reads_only", validUntil: nil, connections: Analysts.connectionsMax,
                        isWhole: true, isLimited: true)
                ])

        #expect(try Analysts.drop("reads_only", on: owner) == 0)
        #expect(try !Analysts.list(on: owner).contains { $0.name == "reads_only" })
        #expect(throws: PostgresError.self) { try analyst.query("SELECT 1") }
        #expect(throws: PostgresError.self) { try Self.open(settings, as: "reads_only") }
        for other in others { other.close() }
    }

    @Test func `a role that was dropped halfway is dropped, or made whole again`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "halfway")
        let owner = try Connection.open(settings, deadline: .now + .seconds(60))
        _ = try Analysts.create("halfway", validUntil: nil, on: owner)
        // As on a coordinator whose workers lack the role.
        try owner.execute("ALTER ROLE halfway NOLOGIN; ALTER ROLE halfway RESET ALL")
        #expect(try Analysts.list(on: owner).first { $0.name == "halfway" }?.isWhole == false)
        let end = Timestamp(unixSeconds: 4_000_000_000)
        _ = try Analysts.create("halfway", validUntil: end, on: owner)
        let again = try #require(try Analysts.list(on: owner).first { $0.name == "halfway" })
        #expect(again.isWhole && again.isLimited && again.validUntil == end)
        let analyst = try Self.open(settings, as: "halfway")
        try analyst.execute("SELECT * FROM gps")
        #expect(try analyst.query("SHOW statement_timeout").string(0, 0) == "5min")
        #expect(throws: AnalystFault.roleExists("halfway")) {
            try Analysts.create("halfway", validUntil: nil, on: owner)
        }
        try owner.execute("CREATE TABLE public.hers (); ALTER TABLE public.hers OWNER TO halfway")
        #expect(throws: AnalystFault.ownsObjects("halfway")) {
            try Analysts.drop("halfway", on: owner)
        }
        try owner.execute("DROP TABLE public.hers")
        try Analysts.drop("halfway", on: owner)
        // The coordinator's part, if a worker lacks the role.
        _ = try Analysts.create("halfway", validUntil: nil, on: owner)
        try Analysts.remove("halfway", isLocal: true, on: owner)
        #expect(try !Analysts.list(on: owner).contains { $0.name == "halfway" })
        #expect(owner.isIdle)
    }

    @Test func `privileges that other roles may need are kept, and reported`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "shared")
        let owner = try Connection.open(settings, deadline: .now + .seconds(60))
        let database = try #require(settings.database)
        try owner.execute(
            """
            REVOKE CONNECT ON DATABASE \(database) FROM PUBLIC;
            CREATE ROLE neighbour LOGIN;
            GRANT CONNECT ON DATABASE \(database) TO neighbour
            """)
        defer { _ = try? owner.execute("DROP OWNED BY neighbour; DROP ROLE neighbour") }
        let shared = try Analysts.create("shares", validUntil: nil, on: owner)
        #expect(shared.gaps == [.temporaryTables, .largeObjects])
        let neighbour = try Self.open(settings, as: "neighbour")
        try neighbour.execute("CREATE TEMPORARY TABLE work (); SELECT lo_create(4711)")
        neighbour.close()
        // An existing large object also counts as use.
        try owner.execute("REVOKE CONNECT ON DATABASE \(database) FROM neighbour")
        let beside = try Analysts.create("beside_objects", validUntil: nil, on: owner)
        #expect(beside.gaps == [.largeObjects])
        try owner.execute("SELECT lo_unlink(4711)")
        #expect(try Analysts.create("alone", validUntil: nil, on: owner).gaps == [])
        for name in ["shares", "beside_objects", "alone"] {
            try Analysts.drop(name, on: owner)
        }
        // The owner can still create them.
        try owner.execute("CREATE TEMPORARY TABLE work ()")
    }

    @Test func `invalid changes of roles are rejected, and nothing is changed`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "refusals")
        let owner = try Connection.open(settings, deadline: .now + .seconds(60))
        try owner.execute("CREATE ROLE somebody LOGIN; CREATE ROLE maker LOGIN CREATEROLE")
        defer { _ = try? owner.execute("DROP ROLE somebody; DROP ROLE maker") }
        for name in ["", "Ann", "a b", "a\"b", "pg_x", "9a", "ä", "sluice_reader", "public"] {
            #expect(throws: AnalystFault.nameInvalid(name)) {
                try Analysts.create(name, validUntil: nil, on: owner)
            }
        }
        #expect(throws: AnalystFault.roleExists("somebody")) {
            try Analysts.create("somebody", validUntil: nil, on: owner)
        }
        #expect(throws: AnalystFault.notAnalyst("somebody")) {
            try Analysts.drop("somebody", on: owner)
        }
        #expect(throws: AnalystFault.notAnalyst("sluice")) {
            try Analysts.drop("sluice", on: owner)
        }
        #expect(throws: AnalystFault.unknown("nobody_at_all")) {
            try Analysts.drop("nobody_at_all", on: owner)
        }
        let weak = try Self.open(settings, as: "somebody")
        #expect(throws: AnalystFault.mayNotCreateRoles(role: "somebody")) {
            try Analysts.create("new_one", validUntil: nil, on: weak)
        }
        let roles = try owner.query("SELECT count(*) FROM pg_roles WHERE rolname = 'new_one'")
        #expect(roles.int64(0, 0) == 0)

        // A role that may create roles but is no superuser.
        let maker = try Self.open(settings, as: "maker")
        if maker.serverVersion < 160_000 {
            let made = try Analysts.create("made_by_maker", validUntil: nil, on: maker)
            #expect(made.gaps == [.temporaryTables, .largeObjects, .temporaryFiles])
            let analyst = try Self.open(settings, as: "made_by_maker")
            try analyst.execute("SELECT * FROM gps")
            // It may not end sessions of another role, so they continue.
            #expect(try Analysts.drop("made_by_maker", on: maker) == 1)
        }
    }

    @Test func `the password is valid until it expires, and is never logged`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        let (server, port) = try TestCluster.startListeningServer(
            dataDirectory: directory, password: "s3cret")
        defer {
            try? server.stop()
            TestCluster.discard(directory)
        }
        var settings = server.settings
        settings.database = "telemetry"
        let owner = try Connection.open(settings, deadline: .now + .seconds(60))
        _ = try Migrator().run(on: owner)
        owner.deadline = .now + .seconds(60)
        try owner.execute("SET log_statement = 'all'")
        let later = Timestamp(unixSeconds: 4_000_000_000)
        let password = try Analysts.create("carla", validUntil: later, on: owner).password
        let past = try Analysts.create(
            "gone", validUntil: Timestamp(unixSeconds: 1_000_000_000), on: owner
        ).password
        #expect(password != past)
        func url(_ name: String, _ password: String) throws -> ConnectionSettings {
            try ConnectionSettings(
                "host=127.0.0.1 port=\(port) dbname=telemetry user=\(name) password=\(password)")
        }
        let connection = try Connection.open(
            url("carla", password), deadline: .now + .seconds(30))
        try connection.execute("SELECT * FROM gps")
        for (name, word) in [("carla", "wrong"), ("carla", past), ("gone", past)] {
            let error = #expect(throws: PostgresError.self) {
                try Connection.open(url(name, word), deadline: .now + .seconds(30))
            }
            #expect(error?.kind == .connectionFailed, "\(name)")
        }
        #expect(
            try Analysts.list(on: owner).map(\.validUntil)
                == [later, Timestamp(unixSeconds: 1_000_000_000)])
        let secrets = try owner.query(
            "SELECT count(*) FROM pg_authid WHERE rolpassword LIKE 'SCRAM-SHA-256$%' "
                + "AND rolname IN ('carla', 'gone')")
        #expect(secrets.int64(0, 0) == 2)
    }
}
