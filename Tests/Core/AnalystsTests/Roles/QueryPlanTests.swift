import Foundation
import Postgres
import Readings
import TestSupport
import Testing

/// How many rows of which days typical queries read.
@Suite(.timeLimit(.minutes(10)))
struct QueryPlanTests {
    /// The rows of one day that a plan's node read.
    private struct Read: CustomStringConvertible {
        let table: String
        let day: String
        let isSequential: Bool
        private let loops: Int
        /// Includes rows that a filter then removed.
        private(set) var rows: Int

        /// - Returns: nil if the line names no day, or a node that was never executed.
        init?(line: String) {
            guard
                let match = line.firstMatch(
                    of: /(\w+) Scan.* on (\w+)_(202602\d\d) .*actual rows=([\d.]+) loops=(\d+)/),
                let rows = Double(match.4), let loops = Int(match.5)
            else { return nil }
            isSequential = match.1 == "Seq"
            table = String(match.2)
            day = String(match.3)
            self.loops = loops
            // A mean of the loops, which PostgreSQL 18 prints with decimals.
            self.rows = Int((rows * Double(loops)).rounded())
        }

        /// - Parameter line: a further line about the same node.
        mutating func add(line: String) {
            guard let match = line.firstMatch(of: /Rows Removed by .*: (\d+)/),
                let removed = Int(match.1)
            else { return }
            rows += removed * loops
        }

        var description: String { "\(table) \(day): \(rows)\(isSequential ? " in a row" : "")" }
    }

    /// 100 devices of 25 users, with 48 readings of each kind a day, on 13 and a half days.
    static let settings: ConnectionSettings = {
        do {
            let settings = try TestCluster.shared.freshDatabase(named: "query_plans", isKept: true)
            let connection = try Connection.open(settings, deadline: .now + .seconds(100))
            defer { connection.close() }
            try connection.execute(data)
            return settings
        } catch {
            fatalError("no data: \(error)")
        }
    }()

    /// Stores a row of that kind for each position.
    private static func insertion(_ kind: ReadingKind) -> String {
        let values = kind.schema.fieldColumns.map { column in
            switch column.fields[0].rule {
            case _ where column.isOptional: "NULL"
            case .number, .measure, .amount, .finite, .share: "lat"
            case .integer: "1"
            case .text: "'x'"
            case .object: "'{}'"
            case .time: "t"
            }
        }
        return "INSERT INTO sluice.\(kind.name) "
            + "SELECT device_key, t, \(values.joined(separator: ", ")) FROM sluice.gps;"
    }

    static let data = """
        SELECT sluice.ensure_days('2026-02-01', '2026-02-14');
        INSERT INTO sluice.device (device_key, device_id, user_id)
            SELECT i, 'device-' || i, 'user-' || i % 25 FROM generate_series(1, 100) i;
        INSERT INTO sluice.device_state
            (device_key, key_check, readings,
                \(ofRows.map { "\($0)_until" }.joined(separator: ", ")))
            SELECT i, i, \(kinds * ofDevice),
                \(ofRows.map { _ in "'2026-02-14 12:00+00'" }.joined(separator: ", "))
            FROM generate_series(1, 100) i;
        INSERT INTO sluice.gps
            SELECT i, t, i % 80, 1, NULL
            FROM generate_series(1, 100) i, generate_series(
                '2026-02-01 00:00+00'::timestamptz, '2026-02-14 12:00+00', '30 min') t;
        \(ReadingKind.allCases.filter { $0 != .gps }.map(insertion).joined(separator: "\n"))
        INSERT INTO sluice.gps_rollup
            SELECT device_key, sluice.hour_of(t), 2, 0, 30, 0 FROM sluice.gps
            WHERE t < '2026-02-14 12:00+00' GROUP BY 1, 2;
        INSERT INTO sluice.vital_rollup
            SELECT device_key, hour, 2, 1, 0, 30, 1, 1, 2, 1 FROM sluice.gps_rollup;
        INSERT INTO sluice.rollup_due
            SELECT i, '2026-02-14 12:00+00', k
            FROM generate_series(1, 100) i, unnest('{gps,vital}'::text[]) k;
        ANALYZE
        """

    private static let kinds = ReadingKind.allCases.count

    // Rows of one kind.
    private static let ofDay = 4800
    private static let ofDeviceAndDay = 48
    private static let ofDevice = 649
    private static let ofAll = 64_900

    // Sums of one kind; the last hour is not summed, and has a reading of each device.
    private static let hoursOfDay = 2400
    private static let hoursOfDeviceAndDay = 24
    private static let hoursOfAll = 32_400

    private let connection: Connection

    init() throws {
        connection = try Connection.open(Self.settings, deadline: .now + .seconds(60))
    }

    private func reads(_ sql: String) throws -> [Read] {
        let rows = try connection.query(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(sql)")
        var reads: [Read] = []
        var isOfDay = false
        for line in (0..<rows.count).map({ rows.string($0, 0) }) {
            if let read = Read(line: line) {
                reads.append(read)
                isOfDay = true
            } else if line.contains("->") {
                isOfDay = false
            } else if isOfDay {
                reads[reads.count - 1].add(line: line)
            }
        }
        return reads
    }

    private static func rows(_ reads: [Read]) -> Int { reads.reduce(0) { $0 + $1.rows } }

    private static let tenth = "time >= '2026-02-10' AND time < '2026-02-11'"

    // MARK: Hours

    /// Bounds of hours of one day; the second are known only at run time.
    static let boundsOfHours = [
        tenth,
        """
        time >= timestamptz '2026-02-10 00:00+00' + (now() - now())
            AND time < timestamptz '2026-02-11 00:00+00' + (now() - now())
        """,
        "time BETWEEN '2026-02-10 05:00+00' AND '2026-02-10 07:00+00'",
    ]

    @Test(arguments: ["vital_hour", "distance_hour"], boundsOfHours)
    func `hours read only their day's sums, once`(view: String, bounds: String) throws {
        let reads = try reads("SELECT * FROM analytics.\(view) WHERE \(bounds)")
        #expect(
            reads.allSatisfy { $0.day == "20260210" && $0.table.hasSuffix("rollup") }, "\(reads)")
        #expect(Self.rows(reads) == Self.hoursOfDay, "\(reads)")
    }

    @Test(arguments: ["vital_hour", "distance_hour"])
    func `hours of one device are read by the index`(view: String) throws {
        let reads = try reads(
            "SELECT * FROM analytics.\(view) WHERE device_id = 'device-7' AND \(Self.tenth)")
        #expect(
            reads.allSatisfy {
                $0.day == "20260210" && !$0.isSequential && $0.table.contains("rollup")
            }, "\(reads)")
        // A bitmap scan counts both the index and the rows.
        #expect(Self.rows(reads) <= 2 * Self.hoursOfDeviceAndDay, "\(reads)")
    }

    @Test(arguments: [("vital_hour", 1), ("distance_hour", 4)])
    func `hours without bounds read each sum once, and rows only of the hours that are due`(
        view: String, readingsOfHour: Int
    ) throws {
        let reads = try reads("SELECT * FROM analytics.\(view)")
        let sums = reads.filter { $0.table.hasSuffix("rollup") }
        #expect(Self.rows(sums) == Self.hoursOfAll && sums.count == 14, "\(reads)")
        let rows = reads.filter { !$0.table.hasSuffix("rollup") }
        // A way into an hour begins at the newest position of that day or of the one before.
        #expect((100...100 * readingsOfHour).contains(Self.rows(rows)), "\(reads)")
        #expect(
            rows.allSatisfy { ["20260213", "20260214"].contains($0.day) && !$0.isSequential },
            "\(reads)")
    }

    @Test func `due hours of a user read only the user's rows`() throws {
        let reads = try reads(
            """
            SELECT * FROM analytics.vital_hour
            WHERE user_id = 'user-3' AND time >= '2026-02-14 12:00+00'
            """)
        let rows = reads.filter { $0.table == "vital" }
        #expect(Self.rows(rows) == 4 && rows.allSatisfy { !$0.isSequential }, "\(reads)")
    }

    // MARK: Minutes

    @Test(arguments: [
        ("vital_minute", "true", ofDay), ("distance_minute", "true", ofDay + 100),
        ("vital_minute", "user_id = 'user-3'", 4 * ofDeviceAndDay),
        ("distance_minute", "user_id = 'user-3'", 4 * ofDeviceAndDay + 4),
        ("vital_minute", "device_id = 'device-7'", ofDeviceAndDay),
        ("distance_minute", "device_id = 'device-7'", ofDeviceAndDay + 2),
    ])
    func `minutes read their day's readings once`(
        view: String, filter: String, rows: Int
    ) throws {
        let reads = try reads(
            "SELECT * FROM analytics.\(view) WHERE \(filter) AND \(Self.tenth)")
        // A join looks for a first row before it knows that it has no minutes for it, once a query. A
        // device's first position of a day needs the position before it, from another day.
        let days = reads.filter { $0.day == "20260210" }
        #expect(Self.rows(reads) - rows <= 101 && Self.rows(days) <= rows, "\(reads)")
        #expect(filter == "true" || reads.allSatisfy { !$0.isSequential }, "\(reads)")
    }

    // MARK: Newest readings

    @Test(arguments: [
        "SELECT max(time) FROM analytics.newest",
        "SELECT max(time) FROM analytics.newest WHERE kind = 'gps'",
        "SELECT max(time) FROM analytics.newest WHERE user_id = 'user-3'",
        "SELECT device_id, time FROM analytics.newest WHERE kind = 'vital'",
        "SELECT device_id, newest_time FROM analytics.completeness",
    ])
    func `the newest time reads no readings`(sql: String) throws {
        let reads = try reads(sql)
        #expect(reads.isEmpty, "\(reads)")
    }

    @Test(arguments: ofRows)
    func `the newest time is that of the newest reading`(kind: String) throws {
        let differences = try connection.query(
            """
            SELECT count(*) FROM analytics.newest n
            FULL JOIN (SELECT device_id, max(time) AS time FROM analytics.\(kind) GROUP BY 1) r
                USING (device_id)
            WHERE n.kind = '\(kind)' AND n.time IS DISTINCT FROM r.time
            """)
        #expect(differences.int64(0, 0) == 0)
    }

    @Test func `the fleet's newest readings use the index of the last day`() throws {
        let file = Project.file("sql/queries/13_newest_readings.sql")
        let sql = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("--") && !$0.hasPrefix("\\") }.joined(separator: "\n")
            .replacingOccurrences(of: ":count", with: "10")
            .replacingOccurrences(of: ";", with: "")
        let reads = try reads(sql)
        #expect(!reads.isEmpty)
        #expect(reads.allSatisfy { $0.day == "20260214" && !$0.isSequential }, "\(reads)")
        #expect(Self.rows(reads) <= 10, "\(reads)")
    }

    @Test func `a device's newest readings are read from the newest one on`() throws {
        let reads = try reads(
            """
            SELECT * FROM analytics.gps WHERE device_id = 'device-7' AND time > (
                SELECT time - interval '1 hour' FROM analytics.newest
                WHERE device_id = 'device-7' AND kind = 'gps'
            ) ORDER BY time DESC LIMIT 10
            """)
        #expect(
            reads.allSatisfy { $0.day == "20260214" && $0.rows <= 2 && !$0.isSequential },
            "\(reads)")
    }

    @Test(arguments: [
        ("true", 100), ("user_id = 'user-3'", 4), ("device_id = 'device-7'", 1),
    ])
    func `the newest vitals by device and metric read one day of those devices`(
        filter: String, devices: Int
    ) throws {
        let reads = try reads("SELECT * FROM analytics.latest_vital WHERE \(filter)")
        #expect(Self.rows(reads) == Self.ofDeviceAndDay * devices, "\(reads)")
        #expect(
            reads.allSatisfy { ["20260213", "20260214"].contains($0.day) && !$0.isSequential },
            "\(reads)")
    }

    @Test(arguments: [
        ("true", 100), ("user_id = 'user-3'", 4), ("device_id = 'device-7'", 1),
    ])
    func `the last position reads one row for each device`(filter: String, devices: Int) throws {
        let reads = try reads("SELECT * FROM analytics.latest_position WHERE \(filter)")
        #expect(Self.rows(reads) == devices, "\(reads)")
        #expect(reads.allSatisfy { $0.day == "20260214" && !$0.isSequential }, "\(reads)")
    }

    // MARK: Sessions and gaps

    @Test(arguments: ["sessions_by", "gaps_by"])
    func `sessions and gaps of a day read that day once`(function: String) throws {
        let reads = try reads(
            "SELECT * FROM analytics.\(function)('5 min', '2026-02-10', '2026-02-11')")
        #expect(reads.allSatisfy { $0.day == "20260210" }, "\(reads)")
        #expect(Self.rows(reads) == Self.kinds * Self.ofDay, "\(reads)")
    }

    @Test(arguments: ["analytics.session", "analytics.sessions_by('5 min')", "analytics.gaps_by()"])
    func `sessions and gaps of a device read its readings once`(source: String) throws {
        let reads = try reads("SELECT * FROM \(source) WHERE device_id = 'device-7'")
        #expect(Self.rows(reads) == Self.kinds * Self.ofDevice, "\(reads)")
        #expect(reads.allSatisfy { !$0.isSequential }, "\(reads)")
    }

    @Test(arguments: ["analytics.session", "analytics.sessions_by('5 min')"])
    func `with a limit, sessions read only as many devices as needed`(source: String) throws {
        let reads = try reads("SELECT * FROM \(source) LIMIT 1")
        #expect(Self.rows(reads) == Self.kinds * Self.ofDevice, "\(reads)")
    }

    // MARK: Completeness

    /// The days of the 168 hours up to the newest reading, and the day of the oldest reading.
    private static let daysOfCompleteness: Set<String> = [
        "20260201", "20260207", "20260208", "20260209", "20260210", "20260211", "20260212",
        "20260213", "20260214",
    ]

    @Test func `completeness of a device reads 168 hours, and its oldest reading`() throws {
        let reads = try reads(
            "SELECT * FROM analytics.completeness WHERE device_id = 'device-7'")
        #expect(
            reads.allSatisfy { Self.daysOfCompleteness.contains($0.day) && !$0.isSequential },
            "\(reads)")
        // Two an hour, of each kind.
        #expect(Self.rows(reads) <= Self.kinds * (2 * 168 + 1), "\(reads)")
    }

    @Test func `completeness of a device with many readings reads one row an hour`() throws {
        try connection.execute(
            "BEGIN; UPDATE sluice.device_state SET readings = 1000000000 WHERE device_key = 7")
        let reads = try reads(
            "SELECT * FROM analytics.completeness WHERE device_id = 'device-7'")
        try connection.execute("ROLLBACK")
        #expect(
            reads.allSatisfy { Self.daysOfCompleteness.contains($0.day) && !$0.isSequential },
            "\(reads)")
        #expect(Self.rows(reads) <= 168 + Self.kinds, "\(reads)")
    }

    // MARK: Tracks

    @Test(arguments: ["count(*)", "max(time)", "min(time), count(*)"])
    func `counting tracks does not look up earlier positions`(columns: String) throws {
        let reads = try reads("SELECT \(columns) FROM analytics.track")
        #expect(Self.rows(reads) == Self.ofAll, "\(reads)")
    }

    // MARK: By time and by user

    static let ofRows = ReadingKind.allCases.map(\.name)

    @Test(arguments: ofRows)
    func `a filter on the day reads that day once`(view: String) throws {
        let reads = try reads("SELECT * FROM analytics.\(view) WHERE \(Self.tenth)")
        #expect(reads.allSatisfy { $0.day == "20260210" }, "\(reads)")
        #expect(Self.rows(reads) == Self.ofDay, "\(reads)")
    }

    @Test(arguments: ofRows)
    func `a filter on user and day reads that day of the user's devices`(view: String) throws {
        let reads = try reads(
            "SELECT * FROM analytics.\(view) WHERE user_id = 'user-3' AND \(Self.tenth)")
        #expect(reads.allSatisfy { $0.day == "20260210" && !$0.isSequential }, "\(reads)")
        #expect(Self.rows(reads) == 4 * Self.ofDeviceAndDay, "\(reads)")
    }

    @Test(arguments: ofRows + ["session"])
    func `a filter on the user reads only the user's devices`(view: String) throws {
        let reads = try reads("SELECT * FROM analytics.\(view) WHERE user_id = 'user-3'")
        let kinds = view == "session" ? Self.kinds : 1
        #expect(Self.rows(reads) == kinds * 4 * Self.ofDevice, "\(reads)")
        #expect(reads.allSatisfy { !$0.isSequential }, "\(reads)")
    }
}
