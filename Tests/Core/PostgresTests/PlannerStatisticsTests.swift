import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PlannerStatisticsTests {
    private let settings: ConnectionSettings
    private let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "statistics")
        connection = try Connection.open(settings, deadline: .now + .seconds(100))
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-12');
            INSERT INTO sluice.gps
                SELECT i, timestamptz '2026-02-10 00:00Z' + i * interval '1 min', i, i, i
                FROM generate_series(1, 3000) i
            """)
    }

    private func due() throws -> [String] {
        try PlannerStatistics.tables(on: connection).filter(\.isDue).map(\.name)
    }

    private func count(_ sql: String) throws -> Int {
        // What this session has not reported yet is not counted.
        try connection.execute("SELECT pg_stat_force_next_flush()")
        return Int(try connection.query("SELECT count(*) FROM \(sql)").int64(0, 0))
    }

    private static let ofTable = "pg_stats WHERE schemaname = 'sluice' AND tablename = 'gps'"
    private static let ofDays = "pg_stats WHERE schemaname = 'sluice_partitions'"

    @Test func `a table with rows gets statistics, and its partitions are not analysed again`()
        throws
    {
        _ = try count("sluice.gps")
        #expect(try due().contains("sluice.gps"))
        #expect(try due().contains("sluice.metric"))
        let analyzed = try PlannerStatistics.refresh(on: connection)
        #expect(analyzed.contains("sluice.gps") && analyzed.contains("sluice.metric"))
        #expect(!analyzed.contains("sluice.vital"))
        #expect(try count(Self.ofTable) == 8)
        #expect(try count(Self.ofDays) == 0)
        #expect(try due().isEmpty)
        #expect(try PlannerStatistics.refresh(on: connection).isEmpty)
        #expect(
            try count("pg_locks WHERE relation IS NOT NULL AND mode = 'ShareUpdateExclusiveLock'")
                == 0)
    }

    @Test func `sealed days are not read`() throws {
        try SealedDay.seal("2026-02-10", kinds: ["gps"], on: connection)
        try connection.execute(
            "INSERT INTO sluice.gps SELECT i, '2026-02-11 00:00Z', i, i, i FROM generate_series(1, 99) i"
        )
        _ = try count("sluice.gps")
        #expect(try PlannerStatistics.refresh(on: connection).contains("sluice.gps"))
        #expect(try count(Self.ofTable) == 8)
        #expect(try count(Self.ofDays) == 0)
        #expect(
            try count("pg_class WHERE relname = 'gps_20260210' AND relkind = 'f' AND reltuples < 0")
                == 1)
    }

    @Test func `rows that have doubled, and another night, are analysed again`() throws {
        _ = try count("sluice.gps")
        try PlannerStatistics.refresh(on: connection)
        try connection.execute(
            "INSERT INTO sluice.gps SELECT * FROM sluice.gps WHERE device_key > 100")
        _ = try count("sluice.gps")
        #expect(try due().isEmpty)
        try connection.execute(
            "INSERT INTO sluice.gps SELECT * FROM sluice.gps WHERE device_key <= 100")
        try connection.execute("INSERT INTO sluice.gps SELECT * FROM sluice.gps LIMIT 100")
        _ = try count("sluice.gps")
        #expect(try PlannerStatistics.refresh(on: connection) == ["sluice.gps"])
        // As a crash does. The time is then as unknown as that of an earlier night.
        try connection.execute(
            "SELECT pg_stat_reset_single_table_counters('sluice.gps'::regclass)")
        #expect(try PlannerStatistics.refresh(on: connection) == ["sluice.gps"])
    }

    @Test func `a table that somebody else has locked is left alone, without a wait`() throws {
        _ = try count("sluice.gps")
        let other = try Connection.open(settings, deadline: .now + .seconds(100))
        try other.execute("BEGIN; LOCK TABLE ONLY sluice.gps IN SHARE UPDATE EXCLUSIVE MODE")
        let analyzed = try PlannerStatistics.refresh(on: connection)
        #expect(!analyzed.contains("sluice.gps") && analyzed.contains("sluice.metric"))
        #expect(try FailingItems.counts(on: connection).isEmpty)
        try other.execute("ROLLBACK")
        #expect(try PlannerStatistics.refresh(on: connection) == ["sluice.gps"])
    }

    @Test func `a partition that can't be read delays its table only, which then rests`() throws {
        _ = try count("sluice.gps")
        let other = try Connection.open(settings, deadline: .now + .seconds(100))
        try other.execute("BEGIN; LOCK TABLE sluice_partitions.gps_20260211")
        let start = ContinuousClock.now
        let analyzed = try PlannerStatistics.refresh(on: connection)
        #expect(!analyzed.contains("sluice.gps") && analyzed.contains("sluice.metric"))
        #expect(try FailingItems.counts(on: connection) == [.statistics: 1])
        // It is not tried again at once. That it failed was the first row of another table.
        #expect(try PlannerStatistics.refresh(on: connection) == ["sluice.failing_item"])
        #expect(ContinuousClock.now - start < .seconds(20))
        try other.execute("ROLLBACK")
        try connection.execute("UPDATE sluice.failing_item SET next_at = now()")
        #expect(try PlannerStatistics.refresh(on: connection) == ["sluice.gps"])
        #expect(try FailingItems.counts(on: connection).isEmpty)
    }

    @Test func `a role that does not own the tables analyses nothing`() throws {
        _ = try count("sluice.gps")
        try connection.execute(
            """
            CREATE ROLE statistics_stranger;
            GRANT USAGE ON SCHEMA sluice TO statistics_stranger;
            GRANT ALL ON ALL TABLES IN SCHEMA sluice TO statistics_stranger;
            SET ROLE statistics_stranger
            """)
        #expect(try PlannerStatistics.refresh(on: connection).isEmpty)
        #expect(try due().contains("sluice.gps"))
        try connection.execute("RESET ROLE; DROP OWNED BY statistics_stranger")
        try connection.execute("DROP ROLE statistics_stranger")
    }

    @Test(
        arguments: [
            (9_999, nil, false, false), (10_000, nil, false, true), (99_999, 10_000, false, false),
            (100_000, 10_000, false, true), (10_000, 10_000, true, true),
        ] as [(Int, Int?, Bool, Bool)])
    func `a table is neglected if plans suffer`(
        rows: Int, analyzed: Int?, isOld: Bool, isNeglected: Bool
    ) {
        let table = PlannerStatistics.Table(
            "sluice.gps", rows: rows, analyzedRows: analyzed, isOld: isOld)
        #expect(table.isNeglected == isNeglected)
    }
}
