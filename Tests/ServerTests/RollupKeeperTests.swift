import Instruments
import Logging
import Postgres
import TestSupport
import Testing

@testable import Server

@Suite struct RollupKeeperTests {
    @Test(.timeLimit(.minutes(3)), arguments: [true, false])
    func `the first readings are followed by statistics, whether hours are summed or not`(
        isOn: Bool
    ) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "upkeep")
        let connection = try Connection.open(settings, deadline: .now + .seconds(150))
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-10');
            INSERT INTO sluice.vital SELECT 1, '2026-02-10', 1, i FROM generate_series(1, 99) i
            """)
        try connection.execute("SELECT pg_stat_force_next_flush()")
        let database = Database(settings)
        defer { database.close() }
        let keeper = RollupKeeper(
            database: database, isOn: isOn, registry: Registry(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), delay: .zero)
        let running = Task { try await keeper.run() }
        let isAnalyzed = try await eventually {
            let rows = try connection.query(
                "SELECT reltuples = 99 FROM pg_class WHERE oid = 'sluice.vital'::regclass")
            return rows.bool(0, 0)
        }
        #expect(isAnalyzed)
        running.cancel()
        _ = await running.result
    }
}
