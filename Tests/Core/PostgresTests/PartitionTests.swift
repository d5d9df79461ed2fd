import Dispatch
import Glibc
import Postgres
import Readings
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PartitionTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "partition")
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
    }

    /// Tables of readings and of their rollups.
    private static let tables = Int32(DayTable.allCases.count)

    private func ensure(_ first: String, _ last: String, on connection: Connection) throws -> Int32
    {
        try Self.ensure(first, last, on: connection)
    }

    private static func ensure(
        _ first: String, _ last: String, on connection: Connection
    ) throws -> Int32 {
        try connection.query("SELECT sluice.ensure_days('\(first)', '\(last)')").int32(0, 0)
    }

    @Test func `missing days are created once, for all kinds`() throws {
        #expect(try ensure("2026-02-27", "2026-03-02", on: connection) == 4 * Self.tables)
        #expect(try ensure("2026-03-01", "2026-03-03", on: connection) == Self.tables)
        #expect(try ensure("2026-02-27", "2026-03-03", on: connection) == 0)
        let rows = try connection.query(
            """
            SELECT count(*), count(*) FILTER (WHERE i.relkind = 'i')
            FROM pg_inherits p JOIN pg_class i ON i.oid = p.inhrelid
            WHERE p.inhparent IN ('sluice.gps'::regclass, 'sluice.gps_device_key_t'::regclass)
            """)
        #expect(rows.int64(0, 0) == 10)
        #expect(rows.int64(0, 1) == 5)
    }

    /// Without, a publication of all tables makes every DELETE and UPDATE of them fail.
    @Test func `every table has a replica identity, also new days and days that return`() throws {
        _ = try ensure("2026-02-27", "2026-02-28", on: connection)
        try connection.query("SELECT sluice.make_room('gps', '2026-03-02')")
        let rows = try connection.query(
            """
            SELECT c.oid::regclass::text FROM pg_class c
            WHERE c.relnamespace IN ('sluice'::regnamespace, 'sluice_partitions'::regnamespace)
                AND c.relkind IN ('r', 'p') AND c.relreplident <> 'f'
                AND NOT EXISTS (
                    SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == [])
    }

    /// Otherwise the views by day expect many times the days that a range has.
    @Test func `while a partition holds one day, nothing is expanded`() throws {
        let plan = try connection.query(
            """
            EXPLAIN SELECT * FROM sluice.day_partition
            WHERE day BETWEEN '2026-03-01' AND '2026-03-07'
            """)
        let lines = (0..<plan.count).map { plan.string($0, 0) }
        #expect(!lines.contains { $0.contains("generate_series") }, "\(lines)")
    }

    @Test(arguments: [1, 7, 30])
    func `each day falls in one partition, and each partition is created once`(
        length: Int
    ) throws {
        try Migrator.choosePartitionDays(length, on: connection)
        for (first, last) in [("1999-12-20", "2000-01-20"), ("2026-02-25", "2026-03-20")] {
            let range = "'\(first)', '\(last)'"
            let missing = try connection.query(
                "SELECT count(*), count(DISTINCT partition) FROM sluice.missing_days(\(range))")
            let days = try connection.query("SELECT date '\(last)' - date '\(first)' + 1")
            #expect(missing.int64(0, 0) == Int64(days.int32(0, 0) * Self.tables))
            #expect(Int64(try ensure(first, last, on: connection)) == missing.int64(0, 1))
            #expect(try ensure(first, last, on: connection) == 0)
            #expect(
                try connection.query("SELECT FROM sluice.missing_days(\(range))").count == 0)
        }
        // Seven days begin on Mondays. The ends of all days are stored where their names say.
        let rows = try connection.query(
            """
            INSERT INTO sluice.vital
            SELECT 1, t, 1, 1 FROM sluice.day_partition d
            CROSS JOIN unnest(ARRAY[interval '0', interval '1 day' - interval '1 us']) i
            CROSS JOIN LATERAL (SELECT (d.day + i) AT TIME ZONE 'UTC' AS t) o
            WHERE d.kind = 'vital'
            RETURNING to_date(right(tableoid::regclass::text, 8), 'YYYYMMDD') - date '2000-01-03',
                (t AT TIME ZONE 'UTC')::date - date '2000-01-03'
            """)
        #expect(rows.count >= 2 * 56)
        for row in 0..<rows.count {
            let (first, day) = (Int(rows.int32(row, 0)), Int(rows.int32(row, 1)))
            #expect(first.isMultiple(of: length) && (first..<first + length).contains(day))
        }
    }

    @Test func `the length of partitions can be chosen until there is one`() throws {
        for days in [30, 7] { try Migrator.choosePartitionDays(days, on: connection) }
        _ = try ensure("2026-02-10", "2026-02-10", on: connection)
        try Migrator.choosePartitionDays(7, on: connection)
        #expect(throws: MigrationError.partitionsExist(days: 7)) {
            try Migrator.choosePartitionDays(1, on: connection)
        }
        // Older binaries take a partition for one day.
        #expect(throws: PostgresError.self) {
            try Migrator.demandCurrent(on: connection, version: 28)
        }
    }

    @Test func `a day is a UTC day whatever the session's zone and date style`() throws {
        try connection.execute("SET TimeZone = 'Pacific/Auckland'; SET DateStyle = 'German'")
        #expect(try ensure("2026-02-10", "2026-02-10", on: connection) == Self.tables)
        try connection.execute(
            """
            INSERT INTO sluice.vital VALUES (1, '2026-02-10 00:00:00+00', 1, 1),
                (1, '2026-02-10 23:59:59.999999+00', 1, 1)
            """)
        #expect(throws: PostgresError.self) {
            try connection.execute(
                "INSERT INTO sluice.vital VALUES (1, '2026-02-11 00:00+00', 1, 1)")
        }
        let rows = try connection.query("SELECT count(*) FROM sluice_partitions.vital_20260210")
        #expect(rows.int64(0, 0) == 2)
    }

    @Test(arguments: [("2026-02-10", "2026-02-09"), ("2000-01-01", "2026-01-01")])
    func `an empty or too long range is rejected`(first: String, last: String) {
        let error = #expect(throws: PostgresError.self) {
            try ensure(first, last, on: connection)
        }
        #expect(error?.sqlState == "22023")
    }

    @Test func `a writer in mid-transaction neither waits nor blocks others`() throws {
        _ = try ensure("2026-02-10", "2026-02-10", on: connection)
        let writer = try Connection.open(settings, deadline: .now + .seconds(30))
        try writer.execute("BEGIN")
        let tuple = TupleBytes.gps(device: 1, time: CopyTests.noon)
        let copy = "COPY sluice.gps (device_key, t, lat, lon, acc) FROM STDIN (FORMAT binary)"
        try writer.copy(copy) { _, writer throws(PostgresError) in try writer.write(tuple) }
        // Any wait for a lock fails here.
        try connection.execute("SET lock_timeout = '20s'")
        try writer.execute("SET LOCAL lock_timeout = '20s'")
        #expect(try ensure("2026-02-09", "2026-02-12", on: connection) == 3 * Self.tables)
        // The same transaction continues, and also writes to the new day.
        let next = TupleBytes.gps(device: 1, time: CopyTests.noon + 86_400_000_000)
        try writer.copy(copy) { _, writer throws(PostgresError) in try writer.write(next) }
        // The other way round: a COPY starts while the days are created but not committed.
        try connection.execute("BEGIN")
        #expect(try ensure("2026-02-13", "2026-02-13", on: connection) == Self.tables)
        try writer.copy(copy) { _, writer throws(PostgresError) in try writer.write(tuple) }
        try writer.commit()
        try connection.commit()
        #expect(try connection.query("SELECT count(*) FROM sluice.gps").int64(0, 0) == 3)
    }

    /// PostgreSQL shows the commit of another session a moment before it tells this session that
    /// its list of partitions is stale. Lanes retry for the same reason.
    private static func patiently(_ work: () throws -> Void) throws {
        for attempt in 1...20 {
            do {
                return try work()
            } catch let error as PostgresError where error.sqlState == "23514" && attempt < 20 {
                usleep(10_000)
            }
        }
    }

    @Test func `several sessions at once create each day once`() throws {
        let made = Mutex<Int32>(0)
        DispatchQueue.concurrentPerform(iterations: 6) { [settings] number in
            do {
                let connection = try Connection.open(settings, deadline: .now + .seconds(30))
                for day in 1...5 {
                    let last = number % 2 == 0 ? day : day + 3
                    let count = try Self.ensure(
                        "2026-04-0\(day)", "2026-04-0\(last)", on: connection)
                    made.withLock { $0 += count }
                    let time = 828_316_800_000_000 + Int64(day - 1) * 86_400_000_000
                    let tuple = TupleBytes.vital(device: Int64(number), time: time)
                    try Self.patiently {
                        try connection.copy(
                            "COPY sluice.vital (device_key, t, code, val) FROM STDIN (FORMAT binary)"
                        ) { _, writer throws(PostgresError) in try writer.write(tuple) }
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(made.withLock { $0 } == 8 * Self.tables)
        #expect(try connection.query("SELECT count(*) FROM sluice.vital").int64(0, 0) == 30)
    }

    @Test func `a day's partition is set up for rows that never change`() throws {
        _ = try ensure("2026-02-10", "2026-02-10", on: connection)
        let rows = try connection.query(
            """
            SELECT array_to_string(reloptions, ' ') FROM pg_class
            WHERE oid = 'sluice_partitions.event_20260210'::regclass
            """)
        #expect(rows.string(0, 0).contains("autovacuum_freeze_min_age=0"))
        let compression = try connection.query(
            """
            SELECT attcompression::text FROM pg_attribute
            WHERE attrelid = 'sluice_partitions.event_20260210'::regclass AND attname = 'metadata'
            """)
        // Not every server is built with LZ4.
        let knowsLZ4 = try connection.query(
            "SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        )
        #expect(compression.string(0, 0) == (knowsLZ4.bool(0, 0) ? "l" : ""))
    }
}
