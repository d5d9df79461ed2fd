import Postgres
import TestSupport
import Testing

/// The days that queries with filters on device and time read, and the scans they use.
@Suite(.timeLimit(.minutes(10)))
struct PlanTests {
    let connection: Connection

    init() throws {
        connection = try Connection.open(QueryPlanTests.settings, deadline: .now + .seconds(100))
    }

    /// The nodes of a plan that read a day's partition and were executed.
    private func scans(_ sql: String, on other: Connection? = nil) throws -> [String] {
        let connection = other ?? self.connection
        let rows = try connection.query(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(sql)")
        return (0..<rows.count).map { rows.string($0, 0) }.filter {
            $0.contains(/on \w+_202602/) && !$0.contains("never executed")
        }
    }

    static let ofDeviceAndDay =
        QueryPlanTests.ofRows
        + ["reading", "track", "distance_minute", "vital_hour", "distance_hour"]

    @Test(arguments: ofDeviceAndDay)
    func `a filter on device and day reads one day by its index`(view: String) throws {
        let scans = try scans(
            """
            SELECT * FROM analytics.\(view) WHERE device_id = 'device-7'
            AND time >= '2026-02-10' AND time < '2026-02-11'
            """)
        // A day's first position needs the position before it, from another day. The join of minutes
        // looks for a first row before it knows that it has no minutes for it, once a query.
        let days =
            switch view {
            case "track": /_20260210|_20260209/
            case "distance_minute": /_2026021[01]|_20260209/
            default: /_2026021[0]/
            }
        #expect(!scans.isEmpty)
        #expect(scans.allSatisfy { $0.contains(days) && !$0.contains("Seq Scan") }, "\(scans)")
    }

    @Test(arguments: [
        "analytics.session", "analytics.vital_hour", "analytics.distance_hour",
        "analytics.device_day", "analytics.vital_day", "analytics.latest_vital",
        "analytics.gaps_by()",
    ])
    func `a filter on the device uses the index of every day`(source: String) throws {
        let scans = try scans("SELECT * FROM \(source) WHERE device_id = 'device-7'")
        #expect(!scans.isEmpty)
        #expect(scans.allSatisfy { !$0.contains("Seq Scan") }, "\(scans)")
    }

    /// 1000 devices of 500 users: in a small table a scan costs less than the index.
    @Test func `a filter on the user reads sums by the index, and no readings of summed hours`()
        throws
    {
        let connection = try TestCluster.shared.freshConnection(named: "plans_of_user")
        defer { connection.close() }
        connection.deadline = .now + .seconds(100)
        try connection.execute(
            """
            \(QueryPlanTests.data);
            TRUNCATE sluice.vital_rollup, sluice.gps_rollup;
            INSERT INTO sluice.device (device_key, device_id, user_id)
                SELECT i, 'device-' || i, 'few-' || i % 500 FROM generate_series(1001, 2000) i;
            INSERT INTO sluice.gps_rollup
                SELECT i, h, 2, 0, 30, 0 FROM generate_series(1001, 2000) i, generate_series(
                    '2026-02-01 00:00+00'::timestamptz, '2026-02-04 23:00+00', '1 hour') h;
            INSERT INTO sluice.vital_rollup
                SELECT device_key, hour, 2, 1, 0, 30, 1, 1, 2, 1 FROM sluice.gps_rollup;
            ANALYZE
            """)
        for (view, table) in [("vital_hour", "vital"), ("distance_hour", "gps")] {
            let scans = try scans(
                "SELECT * FROM analytics.\(view) WHERE user_id = 'few-7'", on: connection)
            // Scans of days without sums read nothing.
            let reads = scans.filter { !$0.contains(#/rows=0(\.00)? /#) }
            #expect(!reads.isEmpty)
            #expect(reads.allSatisfy { !$0.contains("Seq Scan") }, "\(scans)")
            // No hour of this user is due.
            #expect(!scans.contains { $0.contains(" on \(table)_2026") }, "\(scans)")
        }
    }

    @Test(arguments: ["sessions_by", "gaps_by"])
    func `a function's bounds select the days, a device filter uses the index`(function: String)
        throws
    {
        let bounded = try scans(
            "SELECT * FROM analytics.\(function)('5 min', '2026-02-10', '2026-02-11')")
        #expect(!bounded.isEmpty && bounded.allSatisfy { $0.contains("_20260210") }, "\(bounded)")
        // Bounds that are known only at run time.
        let both = try scans(
            """
            SELECT * FROM analytics.\(function)('5 min', timestamptz '2026-02-10 00:00+00'
                - (now() - now()), '2026-02-11') WHERE device_id = 'device-7'
            """)
        #expect(!both.isEmpty)
        #expect(
            both.allSatisfy { $0.contains("_20260210") && !$0.contains("Seq Scan") }, "\(both)")
    }

    @Test(arguments: ["device_day", "vital_day"])
    func `a filter on the day reads one day`(view: String) throws {
        let scans = try scans("SELECT * FROM analytics.\(view) WHERE day = '2026-02-10'")
        #expect(!scans.isEmpty && scans.allSatisfy { $0.contains("_20260210") }, "\(scans)")
    }

    @Test func `complete_up_to reads no readings`() throws {
        let scans = try scans("SELECT device_id, complete_up_to FROM analytics.completeness")
        #expect(scans == [])
    }
}
