import Logging
import Postgres
import Schema
import TestSupport
import Testing

@testable import Server

@Suite struct SchemaKeeperTests {
    /// What is found at the start is not what stays: a backup is restored under a running server.
    @Test(.timeLimit(.minutes(2)))
    func `a database that is replaced by one without the schema is migrated again`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "replaced")
        let keeper = SchemaKeeper(
            settings: settings,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            checkInterval: .milliseconds(100))
        try await keeper.migrate()
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        try connection.execute(
            "DROP SCHEMA sluice, sluice_partitions, sluice_sealed, analytics CASCADE")
        let running = Task { try await keeper.run() }
        let isMigrated = try await eventually {
            let rows = try? connection.query("SELECT count(*)::int FROM sluice.migration")
            return rows.map { Int($0.int32(0, 0)) == Schema.migrations.count } ?? false
        }
        #expect(isMigrated)
        running.cancel()
        _ = await running.result
    }
}
