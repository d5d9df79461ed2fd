import Glibc
import Postgres
import TestSupport
import Testing

@testable import Analysts

/// Two analysts of a private cluster, connected as they are: over TCP with their passwords.
@Suite(.timeLimit(.minutes(10)))
struct GuardTests {
    /// A running cluster; its directory is removed with this object.
    private final class Scene {
        let cluster: PrivateCluster
        let owner: Connection
        private let directory = TestCluster.freshDirectory(isServers: true)
        private var passwords: [String: String] = [:]

        init() throws {
            var configuration = PrivateCluster.Configuration(dataDirectory: directory)
            configuration.isThrowaway = true
            configuration.path = getenv("PATH").map { String(cString: $0) }
            configuration.binDirectory = getenv("SLUICE_POSTGRES_BIN").map { String(cString: $0) }
            configuration.analysts = AnalystListener(port: 0, role: Analysts.reader)
            cluster = try PrivateCluster(configuration)
            owner = try Connection.open(cluster.settings, deadline: .now + .seconds(300))
            _ = try Migrator().run(on: owner)
            owner.deadline = .now + .seconds(300)
            for name in ["ann", "bob"] {
                passwords[name] = try Analysts.create(name, validUntil: nil, on: owner).password
            }
            try Analysts.guardAll(on: owner)
        }

        deinit {
            owner.close()
            try? cluster.stop()
            TestCluster.discard(directory)
        }

        func open(_ name: String, database: String = "sluice") throws -> Connection {
            try Connection.open(
                ConnectionSettings(
                    "host=127.0.0.1 port=\(try #require(cluster.analystPort)) user=\(name) "
                        + "dbname=\(database) password=\(passwords[name] ?? "")"),
                deadline: .now + .seconds(60))
        }
    }

    private static let refused = [
        // The keys that earlier versions used, and any other.
        "SELECT pg_advisory_lock(1936487779, 1)", "SELECT pg_try_advisory_xact_lock_shared(1)",
        "LOCK TABLE sluice.migration IN ACCESS SHARE MODE",
        "LOCK TABLE sluice.archive_turn IN ACCESS SHARE MODE",
        "SELECT FROM sluice.day_turn FOR KEY SHARE", "LOCK TABLE gps IN ROW SHARE MODE",
        "SELECT * FROM gps FOR UPDATE", "SELECT sluice.raise_watermarks()",
        "CREATE TABLE public.mine ()", "CREATE TEMPORARY TABLE mine ()", "SELECT lo_create(0)",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql RETURN 1", "CREATE SCHEMA mine",
        "CREATE EXTENSION dblink", "CREATE PUBLICATION mine FOR ALL TABLES",
        "SELECT pg_logical_emit_message(false, 'mine', repeat('x', 1000))",
        "SELECT pg_create_physical_replication_slot('mine', true)", "SELECT pg_switch_wal()",
        "SET ROLE sluice", "SET SESSION AUTHORIZATION sluice", "ALTER ROLE ann SUPERUSER",
        "ALTER ROLE ann CONNECTION LIMIT -1", "ALTER ROLE ann SET temp_file_limit = -1",
        "ALTER ROLE ann VALID UNTIL 'infinity'", "ALTER ROLE bob SET statement_timeout = '1ms'",
        "ALTER ROLE bob NOLOGIN", "COMMENT ON ROLE ann IS 'nobody'", "GRANT sluice TO ann",
        "ALTER DATABASE sluice SET statement_timeout = '1ms'", "COPY gps TO '/tmp/gps'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sluice'",
        "PREPARE TRANSACTION 'mine'",
    ]

    @Test func `an analyst can't lock, make or change anything, nor leave the database`() throws {
        let scene = try Scene()
        let ann = try scene.open("ann")
        for statement in Self.refused {
            try ann.execute("BEGIN READ WRITE")
            let error = #expect(throws: PostgresError.self, "\(statement)") {
                try ann.execute(statement)
            }
            // 55000: prepared transactions are switched off; 55P03 would be a wait for a lock.
            #expect(
                ["42501", "55000", "0LP01"].contains(error?.sqlState),
                "\(statement): \(String(describing: error))")
            try ann.rollback()
        }
        let texts = try ann.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE usename = 'sluice' AND query NOT IN ('', '<insufficient privilege>')
            """)
        #expect(texts.int64(0, 0) == 0)
        for database in ["postgres", "template1"] {
            let error = #expect(throws: PostgresError.self) {
                try scene.open("ann", database: database)
            }
            #expect(error?.sqlState == "28000", "\(String(describing: error))")
        }
        // Others keep connections, however many analysts there are.
        let room = try scene.owner.query(
            """
            SELECT current_setting('max_connections')::int - datconnlimit, datconnlimit
            FROM pg_database WHERE datname = current_database()
            """)
        #expect(room.int32(0, 0) == 40 && room.int32(0, 1) > 0)
        #expect(try Analysts.guardAll(on: scene.owner) == Analysts.Report())
    }

    @Test func `what analysts can change is restored`() throws {
        let scene = try Scene()
        let ann = try scene.open("ann")
        try ann.execute(
            """
            BEGIN READ WRITE; ALTER ROLE ann RESET ALL; ALTER ROLE ann SET lock_timeout = 0;
            ALTER ROLE ann IN DATABASE sluice SET statement_timeout = 0;
            SET ROLE \(Analysts.reader); DROP OWNED BY \(Analysts.reader); COMMIT
            """)
        func show(_ name: String) throws -> String {
            try scene.open("ann").query("SHOW \(name)").string(0, 0)
        }
        #expect(try show("statement_timeout") == "0")
        // Only a superuser may change it.
        #expect(try show("temp_file_limit") == "10GB")
        // A later migration adds a view; nobody was told that it is for analysts.
        try scene.owner.execute("CREATE VIEW analytics.later AS SELECT 1 AS one")
        #expect(throws: PostgresError.self) { try scene.open("bob").query("SELECT * FROM later") }
        let report = try Analysts.guardAll(on: scene.owner)
        #expect(report.restored.contains { $0.contains("grant_reader") }, "\(report)")
        for (name, value) in Analysts.limits { #expect(try show(name) == value, "\(name)") }
        try scene.owner.execute("CREATE VIEW analytics.last AS SELECT 1 AS one")
        for view in ["gps", "later", "last"] {
            try scene.open("bob").execute("SELECT * FROM \(view)")
        }
        #expect(try Analysts.guardAll(on: scene.owner) == Analysts.Report())
    }

    @Test func `a transaction that takes too long is ended, and only that`() throws {
        let scene = try Scene()
        let (ann, bob) = (try scene.open("ann"), try scene.open("bob"))
        try ann.execute("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT * FROM gps")
        try scene.owner.execute("BEGIN; SELECT pg_sleep(0.1)")
        let report = try Analysts.guardAll(on: scene.owner, transactionMax: .milliseconds(50))
        #expect(report.ended == ["ann"])
        try scene.owner.rollback()
        #expect(throws: PostgresError.self) { try ann.query("SELECT 1") }
        try bob.execute("SELECT * FROM gps")
    }
}
