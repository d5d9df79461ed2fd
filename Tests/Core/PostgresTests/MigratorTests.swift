import Dispatch
import Glibc
import Postgres
import Schema
import Synchronization
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MigratorTests {
    private static func step(_ number: Int, _ sql: String) -> Schema.Migration {
        Schema.Migration(number: number, name: "step_\(number)", sql: [UInt8](sql.utf8))
    }

    private func empty() throws -> Connection {
        try TestCluster.shared.freshConnection(named: "migrator", migrated: false)
    }

    @Test func `the second run has nothing to do`() throws {
        let connection = try empty()
        let first = try Migrator().run(on: connection)
        #expect(first.applied == Schema.migrations.map(\.name))
        #expect(first.version == Schema.migrations.count)
        let second = try Migrator().run(on: connection)
        #expect(second.applied.isEmpty)
        #expect(second.version == Schema.migrations.count)
        #expect(connection.isIdle)
    }

    @Test func `two migrators at once share the steps`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "migrator", migrated: false)
        let applied = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            do {
                let connection = try Connection.open(settings, deadline: .now + .seconds(30))
                let report = try Migrator().run(on: connection)
                applied.withLock { $0 += report.applied }
            } catch {
                Issue.record(error)
            }
        }
        #expect(applied.withLock { $0.sorted() } == Schema.migrations.map(\.name).sorted())
    }

    @Test func `a database that is newer is rejected and not changed`() throws {
        let connection = try empty()
        let steps = [Self.step(1, "CREATE SCHEMA a"), Self.step(2, "CREATE SCHEMA b")]
        _ = try Migrator(migrations: steps).run(on: connection)
        #expect(throws: MigrationError.databaseNewer(database: 2, binary: 1)) {
            try Migrator(migrations: [steps[0]]).run(on: connection)
        }
        #expect(connection.isIdle)
    }

    @Test func `a step that differs from the one that ran is rejected`() throws {
        let connection = try empty()
        _ = try Migrator(migrations: [Self.step(1, "CREATE SCHEMA a")]).run(on: connection)
        #expect(throws: MigrationError.checksumDiffers(number: 1)) {
            try Migrator(
                migrations: [Self.step(1, "CREATE SCHEMA b"), Self.step(2, "CREATE SCHEMA c")]
            ).run(on: connection)
        }
    }

    @Test func `a failed step is rolled back, and the steps before it stay`() throws {
        let connection = try empty()
        let steps = [
            Self.step(1, "CREATE SCHEMA a"), Self.step(2, "CREATE SCHEMA b; SELECT 1 / 0"),
        ]
        let error = #expect(throws: MigrationError.self) {
            try Migrator(migrations: steps).run(on: connection)
        }
        guard case .failed(2, "step_2", let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.sqlState == "22012")
        let rows = try connection.query(
            "SELECT to_regnamespace('a') IS NOT NULL, to_regnamespace('b') IS NULL, "
                + "(SELECT count(*) FROM sluice.migration)")
        #expect(rows.bool(0, 0) && rows.bool(0, 1) && rows.int64(0, 2) == 1)
    }

    /// Citus needs that, unless a superuser migrates.
    @Test func `the schema is committed before the first step`() throws {
        let connection = try empty()
        #expect(throws: MigrationError.self) {
            try Migrator(migrations: [Self.step(1, "SELECT 1 / 0")]).run(on: connection)
        }
        let rows = try connection.query(
            "SELECT to_regnamespace('sluice') IS NOT NULL, to_regclass('sluice.migration') IS NULL")
        #expect(rows.bool(0, 0) && rows.bool(0, 1))
    }

    @Test func `an owner who may not create roles gets the schema and a notice`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "migrator", migrated: false)
        let admin = try Connection.open(settings, deadline: .now + .seconds(30))
        let database = try #require(settings.database)
        let owner = "\(database)_owner"
        // As in a cluster without the role: the test hides it under another name.
        try admin.execute(
            """
            CREATE ROLE "\(owner)" LOGIN;
            ALTER DATABASE "\(database)" OWNER TO "\(owner)";
            """)
        var ownerSettings = ConnectionSettings(
            socketDirectory: try #require(settings.host), user: owner, database: database)
        ownerSettings.applicationName = "owner"
        let connection = try Connection.open(ownerSettings, deadline: .now + .seconds(30))
        let renamed = Schema.migrations.map { step in
            Schema.Migration(
                number: step.number, name: step.name,
                sql: [UInt8](
                    String(decoding: step.sql, as: UTF8.self)
                        .replacing("sluice_reader", with: "\(database)_reader").utf8))
        }
        let report = try Migrator(migrations: renamed).run(on: connection)
        #expect(report.applied.count == Schema.migrations.count)
        #expect(report.notices.count == 1)
        #expect(report.notices.first?.contains("\(database)_reader") == true)
        #expect(report.notices.first?.contains("select sluice.grant_reader(") == true)
        try connection.execute("SELECT sluice.ensure_days('2026-02-10', '2026-02-10')")
        // The remedy of the notice.
        try admin.execute("CREATE ROLE \"\(database)_analyst\"")
        try connection.execute("SELECT sluice.grant_reader('\(database)_analyst')")
        try admin.execute("SET ROLE \"\(database)_analyst\"")
        #expect(try admin.query("SELECT count(*) FROM analytics.gps").int64(0, 0) == 0)
        try admin.execute("RESET ROLE")
    }

    @Test func `every file of the directory is a step of the binary`() throws {
        let directory = Project.file("sql").path()
        // Other files are no steps.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".sql") && $0.first?.isNumber == true }
        let expected = Schema.migrations.map { step in
            let digits = String(step.number)
            return "\(String(repeating: "0", count: 4 - digits.count))\(digits)_\(step.name).sql"
        }
        #expect(names.sorted() == expected)
    }
}
