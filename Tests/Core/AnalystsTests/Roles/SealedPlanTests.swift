import Foundation
import Postgres
import TestSupport
import Testing

/// What queries may read of 180 sealed days of five devices, each with a measurement an hour. One of
/// the days is live, and so are today and yesterday.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SealedPlanTests {
    /// What a query may read of sealed days.
    struct Budget: CustomTestStringConvertible {
        let name: String
        let sql: String
        /// Sealed days, and readings that come through the loop.
        let days: Int
        let readings: Int
        /// Whether a connection to the database itself may be made.
        var opensLoop = true
        var testDescription: String { name }
    }

    private static let ofOne = "device_id = 'device-3'"

    static let budgets = [
        Budget(
            name: "a day of a device",
            sql: "select * from analytics.vital where \(ofOne) and \(days(1))",
            days: 1, readings: 24),
        Budget(
            name: "30 days of a device",
            sql: "select * from analytics.vital where \(ofOne) and \(days(30))",
            days: 30, readings: 720),
        Budget(
            name: "30 days of a device, bounds known when the query runs",
            sql: """
                select * from analytics.vital where \(ofOne)
                    and time >= date_trunc('day', now(), 'UTC') - interval '70 days'
                    and time < date_trunc('day', now(), 'UTC') - interval '40 days'
                """,
            days: 30, readings: 720),
        Budget(
            name: "a day of two devices, named by a query",
            sql: """
                select * from analytics.vital where \(days(1)) and device_id = any (array(
                    select device_id from analytics.device where device_id < 'device-3'))
                """,
            days: 1, readings: 48),
        Budget(
            name: "a day of a user",
            sql: "select * from analytics.vital where user_id = 'user-3' and \(days(1))",
            days: 1, readings: 24),
        Budget(
            name: "minutes of a device, an hour",
            sql: """
                select * from analytics.vital_minute where \(ofOne)
                    and time >= \(day(70)) + interval '3 hours'
                    and time < \(day(70)) + interval '4 hours'
                """,
            days: 1, readings: 24),
        Budget(
            name: "a day of all kinds",
            sql: "select * from analytics.reading where \(ofOne) and \(days(1))",
            days: 1, readings: 24),
        Budget(
            name: "sessions of a device, a day",
            sql: """
                select * from analytics.sessions_by(from_time => \(day(70)), to_time => \(day(69)))
                where \(ofOne)
                """,
            days: 1, readings: 24),
        Budget(
            name: "the last day of a device",
            sql: """
                select * from analytics.vital where \(ofOne) and time >= now() - interval '1 day'
                """,
            days: 0, readings: 0, opensLoop: false),
        Budget(
            name: "the last day of all devices",
            sql: "select count(*) from analytics.vital where time >= now() - interval '1 day'",
            days: 0, readings: 0, opensLoop: false),
        Budget(
            name: "sums of all hours",
            sql: "select * from analytics.vital_hour where \(ofOne)", days: 0, readings: 0),
        Budget(
            name: "last values",
            sql: "select * from analytics.latest_vital where \(ofOne)", days: 0, readings: 0),
        Budget(
            name: "newest five of a device",
            sql: """
                select v.* from analytics.newest n cross join lateral (
                    select * from analytics.vital v
                    where v.device_id = n.device_id and v.user_id = n.user_id
                        and v.time > n.time - interval '1 day'
                    order by v.time desc limit 5) v
                where n.\(ofOne) and n.kind = 'vital'
                """,
            days: 0, readings: 0),
        Budget(
            name: "newest of all devices, as 13_newest_readings",
            sql: """
                with newest as materialized (
                    select device_id, user_id, max(time) as time from analytics.newest
                    where kind = 'vital' group by 1, 2 order by time desc limit 3)
                select g.* from newest n
                join analytics.vital g on g.device_id = n.device_id and g.user_id = n.user_id
                where g.time >= (select min(time) from newest) order by g.time desc limit 3
                """,
            days: 0, readings: 0),
    ]

    private static let today = Date()

    private static func date(_ ago: Int) -> String {
        String(today.addingTimeInterval(-86_400 * Double(ago)).formatted(.iso8601).prefix(10))
    }

    /// A constant of the statement, as a program writes it.
    private static func day(_ ago: Int) -> String { "'\(date(ago)) 00:00:00+00'::timestamptz" }

    private static func days(_ count: Int) -> String {
        "time >= \(day(70)) and time < \(day(70 - count))"
    }

    private static let planningMax: Duration = .milliseconds(50)

    private static let settings: ConnectionSettings = {
        do {
            let settings = try TestCluster.shared.freshDatabase(
                named: "sealed_plans", isKept: true)
            let connection = try Connection.open(settings, deadline: .now + .seconds(240))
            defer { connection.close() }
            try connection.execute(data)
            for ago in (2...181).reversed() where ago != 100 {
                try SealedDay.seal(date(ago), kinds: ["vital"], on: connection)
            }
            return settings
        } catch {
            fatalError("no sealed days: \(error)")
        }
    }()

    private static let data = """
        SELECT sluice.ensure_days('\(date(181))', '\(date(-1))');
        INSERT INTO sluice.device (device_key, device_id, user_id)
            SELECT i, 'device-' || i, 'user-' || i FROM generate_series(1, 5) i;
        INSERT INTO sluice.vital
            SELECT i, t, 1, 60 FROM generate_series(1, 5) i, generate_series(
                \(day(181)), \(day(0)), '1 hour') t;
        INSERT INTO sluice.vital_rollup
            SELECT device_key, sluice.hour_of(t), count(*), code, 0, 0, 60, 60, 60, 60
            FROM sluice.vital GROUP BY 1, 2, 4;
        INSERT INTO sluice.device_state (device_key, key_check, vital_until)
            SELECT device_key, device_key, max(t) FROM sluice.vital GROUP BY 1;
        ANALYZE sluice.device, sluice.device_state, sluice.metric;
        """

    private static func isLoopOpen(_ connection: Connection) throws -> Bool {
        try connection.query(
            "SELECT EXISTS (SELECT FROM sluice_sealed.postgres_fdw_get_connections())"
        )
        .bool(0, 0)
    }

    private static func lines(_ sql: String, on connection: Connection) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test(arguments: budgets)
    func `a query of sealed days keeps within its budget`(budget: Budget) throws {
        let connection = try Connection.open(Self.settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        // A connection of the loop stays open until the transaction ends.
        try connection.execute("BEGIN")
        var planning: [Double] = []
        for _ in 1...5 {
            let plan = try Self.lines("EXPLAIN (SUMMARY) \(budget.sql)", on: connection)
            planning += plan.compactMap {
                $0.firstMatch(of: /Planning Time: ([\d.]+) ms/).flatMap { Double($0.1) }
            }
        }
        #expect(planning.count == 5)
        #expect(
            planning.min() ?? .infinity <= Self.planningMax / .milliseconds(1), "\(planning)")
        #expect(try !Self.isLoopOpen(connection), "the planner asked the loop")
        let plan = try Self.lines(
            "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) \(budget.sql)", on: connection)
        var days: Set<Substring> = []
        var readings = 0
        var loops = 0
        for line in plan {
            if let scan = line.firstMatch(
                of: /Foreign Scan on vital_(\d{8}).*actual rows=(\d+)(?:\.\d+)? loops=(\d+)/)
            {
                days.insert(scan.1)
                loops = Int(scan.3) ?? 0
                readings += (Int(scan.2) ?? 0) * loops
            } else if line.contains("->") {
                loops = 0
            } else if let removed = line.firstMatch(of: /Rows Removed by Filter: (\d+)/) {
                readings += (Int(removed.1) ?? 0) * loops
            }
        }
        let text = plan.joined(separator: "\n")
        #expect(days.count <= budget.days, "\(text)")
        #expect(readings <= budget.readings, "\(text)")
        #expect(try budget.opensLoop || !Self.isLoopOpen(connection), "\(text)")
        try connection.rollback()
    }

    @Test func `the views have each reading once, of sealed days and of live ones between`() throws
    {
        let connection = try Connection.open(Self.settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        let rows = try connection.query(
            """
            SELECT count(*), count(DISTINCT (device_id, time)), (SELECT count(*) FROM sluice.vital)
            FROM analytics.vital
            """)
        #expect(rows.int64(0, 0) == 5 * (181 * 24 + 1))
        #expect(rows.int64(0, 1) == rows.int64(0, 0))
        #expect(rows.int64(0, 2) == rows.int64(0, 0))
    }
}
