import Foundation
import Postgres
import TestSupport
import Testing

/// A real PgBouncer between the server and its PostgreSQL.
@Suite(
    .timeLimit(.minutes(4)), .serialized,
    .enabled(
        if: TestPooler.program != nil && CaptureClient.python != nil,
        "no PgBouncer or no Python: deploy/install-dependencies test"))
struct PoolerTests {
    private static let password = "behind"

    /// A listening database server, for one test.
    private final class Rig {
        let directory = TestCluster.freshDirectory(isServers: true)
        let database: PrivateCluster
        let server: TestPooler.Server

        init() throws {
            let (database, port) = try TestCluster.startListeningServer(
                dataDirectory: directory, password: PoolerTests.password)
            self.database = database
            server = TestPooler.Server(port: port, password: PoolerTests.password)
        }

        deinit { TestCluster.discard(directory) }

        /// Settings of the database without the pooler.
        var direct: ConnectionSettings {
            var settings = database.settings
            settings.database = server.database
            return settings
        }

        func environment(_ pooler: TestPooler) -> [String: String] {
            [
                "DATABASE_URL": pooler.url(), "INGEST_API_KEY": "test-key",
                "SLUICE_DATA_DIR": directory + "-server", "SLUICE_PATIENCE": "500ms",
                "SLUICE_BACKOFF_MAX": "200ms", "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
            ]
        }
    }

    private func examine(
        _ environment: [String: String]
    ) async throws -> [String: (severity: String, found: String)] {
        struct Report: Decodable {
            struct Finding: Decodable {
                let area: String
                let name: String
                let severity: String
                let found: String
            }
            let findings: [Finding]
        }
        let outcome = try await Subprocess.sluice("doctor", "--json", environment: environment)
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.out.utf8))
        return Dictionary(
            report.findings.filter { $0.area == "database" }
                .map { ($0.name, ($0.severity, $0.found)) }
        ) { first, _ in first }
    }

    // MARK: Session pooling

    @Test func `with session pooling, all data is stored correctly`()
        async throws
    {
        let rig = try Rig()
        let pooler = try TestPooler(.session, rig.server)
        let environment = rig.environment(pooler)
        let server = try await RunningServer.start(environment: environment)
        async let captures: Void = CaptureClient.run("samples", server.url)
        async let meals = MealClient.run("samples", server.url)
        for second in 0..<40 {
            let body = Fixtures.batch(
                "device-\(second % 7)", seconds: second..<second + 3, day: Fixtures.yesterday)
            #expect(try await server.post(body).status == 200)
        }
        #expect(try await server.post(Fixtures.sample).body.contains(#""stored":3"#))
        try await captures
        _ = try await meals
        #expect(try Fixtures.count("sluice.vital", rig.direct) == 1)
        #expect(try Fixtures.count("sluice.event", rig.direct) == 1)
        #expect(try Fixtures.count("sluice.capture", rig.direct) > 0)
        #expect(try Fixtures.count("sluice.meal_log", rig.direct) > 0)
        #expect(try Fixtures.count("sluice.unit_set_aside", rig.direct) == 0)
        let pooled = try #require(try await examine(environment)["pooler"])
        #expect(pooled.severity == "ok")
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test(arguments: ["", "ignore_startup_parameters = options"])
    func `a session through a pooler has its settings`(line: String) throws {
        let rig = try Rig()
        let admin = try Connection.open(rig.direct, deadline: .now + .seconds(60))
        try admin.execute(
            """
            ALTER ROLE writer SET synchronous_commit = local;
            ALTER ROLE writer SET TimeZone = 'Asia/Tokyo'
            """)
        // The server's own session is reused, with the state that the last client left.
        let pooler = try TestPooler(
            .session, rig.server, settings: [line, "default_pool_size = 2", "server_reset_query ="])
        // Without that line PgBouncer accepts no options.
        let options = line.isEmpty ? nil : "-c lock_timeout=7s"
        var settings = try ConnectionSettings(pooler.url(options: options))
        settings.sessionSettings["lock_timeout"] = "1s"
        let statement = KeptStatement("one", "SELECT 1::int8", types: [])
        for _ in 0..<3 {
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            #expect(connection.isPooled)
            let rows = try connection.query(
                """
                SELECT current_setting('synchronous_commit'), current_setting('TimeZone'),
                    current_setting('lock_timeout'), pg_backend_pid()
                """)
            #expect(rows.string(0, 0) == "on")
            #expect(rows.string(0, 1) == "UTC")
            #expect(rows.string(0, 2) == (line.isEmpty ? "1s" : "7s"))
            #expect(rows.int32(0, 3) == connection.backendID)
            #expect(try connection.query(kept: statement).int64(0, 0) == 1)
            connection.close()
        }
        admin.close()
    }

    // MARK: Transaction and statement pooling

    @Test(arguments: [TestPooler.Mode.transaction, .statement])
    func `a pooler that shares sessions is rejected with a clear message`(mode: TestPooler.Mode)
        async throws
    {
        let rig = try Rig()
        let pooler = try TestPooler(mode, rig.server)
        let environment = rig.environment(pooler)
        for arguments in [["serve", "--port", "0"], ["migrate"], ["keys", "list"]] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, arguments, environment: environment)
            #expect(outcome.status == 69, "\(arguments): \(outcome)")
            #expect(outcome.err.contains("pooler in \(mode) mode"), "\(outcome.err)")
            #expect(outcome.err.contains("pool_mode = session"), "\(outcome.err)")
        }
        let findings = try await examine(environment)
        let pooled = try #require(findings["pooler"], "\(findings)")
        #expect(pooled.severity == "problem" && pooled.found.contains("pooler in \(mode) mode"))
        let there = try Connection.open(rig.direct, deadline: .now + .seconds(30))
        let schema = try there.query("SELECT to_regnamespace('sluice') IS NULL")
        #expect(schema.bool(0, 0))
        there.close()
    }

    /// With few and with many sessions idle in the pool, and with sessions used in turn.
    @Test func `every connection gets the same answer, however many open at once`() async throws {
        let rig = try Rig()
        for mode in TestPooler.Mode.allCases {
            for inTurn in [0, 1] {
                let pooler = try TestPooler(
                    mode, rig.server,
                    settings: ["default_pool_size = 60", "server_round_robin = \(inTurn)"])
                defer { pooler.stop() }
                let settings = try ConnectionSettings(pooler.url())
                for count in [1, 2, 3, 5, 12, 1] {
                    let kinds = await Self.kinds(count, settings)
                    #expect(
                        kinds.allSatisfy { $0 == (mode == .session ? nil : .sessionsShared) },
                        "\(mode), \(inTurn): \(kinds)")
                }
            }
        }
    }

    /// Opens connections at once; nil is one without a fault.
    private static func kinds(
        _ count: Int, _ settings: ConnectionSettings
    ) async -> [PostgresError.Kind?] {
        await withTaskGroup(of: PostgresError.Kind?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do throws(PostgresError) {
                        try Connection.open(settings, deadline: .now + .seconds(30)).close()
                        return nil
                    } catch {
                        return error.kind
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `session pooling is recognised even if no session is left`() throws {
        let rig = try Rig()
        let pooler = try TestPooler(.session, rig.server, settings: ["default_pool_size = 1"])
        let settings = try ConnectionSettings(pooler.url())
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        #expect(connection.isPooled)
        #expect(try connection.query("SELECT 1::int8").int64(0, 0) == 1)
    }

    @Test
    func `a node whose pooler starts to share sessions spools, reports the cause, and recovers`()
        async throws
    {
        let rig = try Rig()
        let pooler = try TestPooler(.session, rig.server)
        let server = try await RunningServer.start(environment: rig.environment(pooler))
        #expect(try await server.post(Fixtures.sample).status == 200)
        pooler.stop()
        let shared = try TestPooler(.transaction, rig.server, port: pooler.port)
        for second in 1...30 {
            let body = Fixtures.batch("d", seconds: [second], day: Fixtures.yesterday)
            #expect(try await server.post(body).status == 202)
        }
        let isTold = try await eventually(every: .milliseconds(50)) {
            server.log.contains("pool_mode = session")
        }
        #expect(isTold, "\(server.log)")
        shared.stop()
        let again = try TestPooler(.session, rig.server, port: pooler.port)
        let isStored = try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("sluice.gps", rig.direct) == 31
        }
        #expect(isStored, "\(server.log)")
        #expect(try await server.end() == 0)
        again.stop()
    }
}
