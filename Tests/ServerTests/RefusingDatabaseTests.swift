import Foundation
import Postgres
import Schema
import TestSupport
import Testing

/// A node that has served before holds acknowledged data. It listens and spools at once, whatever
/// its database does, and needs no restart when the database recovers.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RefusingDatabaseTests {
    enum Condition: String, CaseIterable, CustomTestStringConvertible {
        case roleReadOnly, tableLocked, statementsTimeOut, notesLocked, migrationPending
        case loginForbidden, connectionsUsedUp, standby

        var testDescription: String { rawValue }
    }

    /// A database owned by a role that is no superuser, and the conditions that a test makes.
    private final class Scene {
        let role: String
        /// The environment of the server under test.
        var environment: [String: String]
        /// Settings of a superuser.
        private(set) var settings: ConnectionSettings
        private var holder: Connection?
        private var cluster: PrivateCluster?
        private let directory = TestCluster.freshDirectory()

        init(_ condition: Condition) throws {
            if condition == .standby {
                let cluster = try TestCluster.startServer(dataDirectory: directory)
                let connection = try Connection.open(
                    cluster.settings, deadline: .now + .seconds(30))
                try connection.execute("alter system set wal_level = replica")
                try connection.execute("alter system set max_wal_senders = 2")
                connection.close()
                try cluster.stop()
                self.cluster = try TestCluster.startServer(dataDirectory: directory)
                settings = cluster.settings
                role = cluster.settings.user ?? ""
            } else {
                settings = try TestCluster.shared.freshDatabase(named: "restart", migrated: false)
                role = "writer_\(settings.database ?? "")"
                try Self.run("create role \(role) login", settings)
                try Self.run("alter database \(settings.database ?? "") owner to \(role)", settings)
            }
            environment = [
                "INGEST_API_KEY": "test-key",
                "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
                "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
                "SLUICE_PATIENCE": "500ms", "SLUICE_BACKOFF_MAX": "200ms",
                "SLUICE_START_WAIT_MAX": "2s", "SLUICE_STALL_MAX": "2s",
            ]
            environment["DATABASE_URL"] = url
        }

        deinit {
            holder?.close()
            try? cluster?.stop()
            if cluster != nil { TestCluster.discard(directory) }
        }

        private var url: String {
            var settings = settings
            settings.user = role
            return settings.connectionStringWithoutPassword
        }

        private static func run(_ sql: String, _ settings: ConnectionSettings) throws {
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            defer { connection.close() }
            try connection.execute(sql)
        }

        func run(_ sql: String) throws { try Self.run(sql, settings) }

        /// Migrates, so that the server only needs to write.
        func migrate() throws {
            var settings = settings
            settings.user = role
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            _ = try Migrator().run(on: connection)
            connection.close()
        }

        func make(_ condition: Condition) throws {
            switch condition {
            case .roleReadOnly: try run("alter role \(role) set default_transaction_read_only = on")
            case .statementsTimeOut: try run("alter role \(role) set statement_timeout = '1ms'")
            case .loginForbidden: try run("alter role \(role) nologin")
            case .connectionsUsedUp: try run("alter role \(role) connection limit 0")
            case .tableLocked: try hold("sluice.gps")
            case .notesLocked: try hold("sluice.migration")
            case .migrationPending:
                // The node restarts as a newer version, on a database of the older version.
                settings = try TestCluster.shared.freshDatabase(named: "older", migrated: false)
                try run("alter database \(settings.database ?? "") owner to \(role)")
                environment["DATABASE_URL"] = url
                // The node takes it for the one that it has served.
                let directory = try #require(environment["SLUICE_DATA_DIR"])
                try FileManager.default.removeItem(atPath: directory + "/epoch")
                var settings = settings
                settings.user = role
                let connection = try Connection.open(settings, deadline: .now + .seconds(30))
                let older = Schema.migrations.dropLast(2)
                _ = try Migrator(migrations: Array(older)).run(on: connection)
                connection.close()
                try make(.roleReadOnly)
            case .standby:
                let data = (cluster?.home ?? "") + "/data"
                try cluster?.stop()
                try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
                cluster = try TestCluster.startServer(dataDirectory: directory)
            }
        }

        private func hold(_ table: String) throws {
            holder = try Connection.open(settings, deadline: .now + .seconds(600))
            try holder?.execute("begin; lock table \(table) in access exclusive mode")
        }

        func lift(_ condition: Condition) throws {
            switch condition {
            case .roleReadOnly, .migrationPending:
                try run("alter role \(role) reset default_transaction_read_only")
            case .statementsTimeOut: try run("alter role \(role) reset statement_timeout")
            case .loginForbidden: try run("alter role \(role) login")
            case .connectionsUsedUp: try run("alter role \(role) connection limit -1")
            case .tableLocked, .notesLocked: try holder?.execute("rollback")
            case .standby: try run("select pg_promote()")
            }
            // Sessions keep the settings that they started with.
            try run(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                where usename = '\(role)' and pid <> pg_backend_pid()
                """)
        }
    }

    private func sample(day: String) -> String {
        Fixtures.sample.replacing("2026-02-10", with: day)
    }

    private func isStored(_ count: Int, _ settings: ConnectionSettings) async throws -> Bool {
        try await eventually(every: .milliseconds(50)) {
            (try? Fixtures.count("sluice.gps", settings)) == count
        }
    }

    @Test(arguments: Condition.allCases)
    func `a node that has served before listens and spools whatever its database does`(
        _ condition: Condition
    ) async throws {
        let scene = try Scene(condition)
        var server = try await RunningServer.start(environment: scene.environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try await server.end() == 0)
        let before = condition == .migrationPending ? 0 : 1

        try scene.make(condition)
        server = try await RunningServer.start(environment: scene.environment)
        #expect(try await server.post(sample(day: "2026-02-11")).status == 202)
        #expect(try await server.get("/health").status == 200)
        // A stop does not wait for the database, and spooled batches survive it.
        #expect(try await server.end(SIGTERM) == 0, "\(server.log)")
        #expect(!server.log.contains(#/connectionFailed"?\n/#), "\(server.log)")

        server = try await RunningServer.start(environment: scene.environment)
        #expect(try await server.post(sample(day: "2026-02-12")).status == 202)
        try scene.lift(condition)
        #expect(try await isStored(before + 2, scene.settings), "\(server.log)")
        let isServed = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample).status == 200
        }
        #expect(isServed, "\(server.log)")
        #expect(try await server.end(SIGTERM) == 0)
    }

    /// Nothing is acknowledged yet, and an operator is present who can correct the configuration.
    @Test(arguments: [
        (Condition.roleReadOnly, "read-only"), (.tableLocked, "lock"),
        (.loginForbidden, "not permitted to log in"), (.connectionsUsedUp, "too many connections"),
    ])
    func `a node that has never served reports the fault, each time`(
        _ condition: Condition, words: String
    ) async throws {
        let scene = try Scene(condition)
        try scene.migrate()
        try scene.make(condition)
        for _ in 0..<2 {
            let outcome = try await Subprocess.sluice(
                "serve", "--port", "0", environment: scene.environment)
            #expect(outcome.status == 69)
            let complaint = outcome.err.split(separator: "\n").last ?? ""
            #expect(complaint.hasPrefix("sluice: ") && complaint.contains(words), "\(outcome.err)")
        }
    }

    @Test func `a node with a frozen private database still listens`() async throws {
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        let environment = [
            "SLUICE_DATA_DIR": directory, "INGEST_API_KEY": "test-key",
            "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
            "SLUICE_PATIENCE": "500ms", "SLUICE_BACKOFF_MAX": "200ms",
            "SLUICE_START_WAIT_MAX": "2s", "SLUICE_STALL_MAX": "2s",
        ]
        var server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        let file = try String(
            contentsOfFile: directory + "/postgres/data/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(pid_t(file.split(separator: "\n")[0]))
        kill(postmaster, SIGSTOP)
        defer { kill(postmaster, SIGCONT) }

        server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(sample(day: "2026-02-11")).status == 202)
        kill(postmaster, SIGCONT)
        let settings = try #require(PrivateCluster.runningSettings(dataDirectory: directory))
        #expect(try await isStored(2, settings), "\(server.log)")

        // Nor does it prevent a stop.
        kill(postmaster, SIGSTOP)
        #expect(try await server.end(SIGTERM) == 0, "\(server.log)")
        #expect(PrivateCluster.runningSettings(dataDirectory: directory) == nil)

        // A cluster that has to be started first.
        server = try await RunningServer.start(environment: environment)
        let isServed = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample).status == 200
        }
        #expect(isServed, "\(server.log)")
        #expect(try await server.end(SIGTERM) == 0)
    }
}
