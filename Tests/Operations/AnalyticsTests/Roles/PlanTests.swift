import Postgres
import TestSupport
import Testing

/// What filters on device and time reach: which days are read, and how.
@Suite(.timeLimit(.minutes(10)))
struct PlanTests {
    let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "plans")
        connection.deadline = .now + .seconds(100)
        try connection.execute(QueryPlanTests.data)
    }

    /// The nodes of a plan that ran and that read a day's partition.
    private func scans(_ sql: String) throws -> [String] {
        let rows = try connection.query(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(sql)")
        return (0..<rows.count).map { rows.string($0, 0) }.filter {
            $0.contains(/on \w+_202602/) && !$0.contains("never executed")
        }
    }

    static let ofDeviceAndDay = [
        "gps", "vital", "event", "reading", "track", "distance_minute", "vital_hour",
        "distance_hour",
    ]

    @Test(arguments: ofDeviceAndDay)
    func `a device and a day reach one day by its index`(view: String) throws {
        let scans = try scans(
            """
            SELECT * FROM analytics.\(view) WHERE device_id = 'device-7'
            AND time >= '2026-02-10' AND time < '2026-02-11'
            """)
        // The first position of a day has the one before it in another.
        let days =
            ["track", "distance_minute"].contains(view) ? /_2026021[0]|_20260209/ : /_2026021[0]/
        #expect(!scans.isEmpty)
        #expect(scans.allSatisfy { $0.contains(days) && !$0.contains("Seq Scan") }, "\(scans)")
    }

    @Test(arguments: [
        "analytics.session", "analytics.vital_hour", "analytics.distance_hour",
        "analytics.device_day", "analytics.vital_day", "analytics.latest_vital",
        "analytics.gaps_by()",
    ])
    func `a device reaches the index of every day`(source: String) throws {
        let scans = try scans("SELECT * FROM \(source) WHERE device_id = 'device-7'")
        #expect(!scans.isEmpty)
        #expect(scans.allSatisfy { !$0.contains("Seq Scan") }, "\(scans)")
    }

    @Test(arguments: ["sessions_by", "gaps_by"])
    func `bounds of a function reach the days, a device the index`(function: String) throws {
        let bounded = try scans(
            "SELECT * FROM analytics.\(function)('5 min', '2026-02-10', '2026-02-11')")
        #expect(!bounded.isEmpty && bounded.allSatisfy { $0.contains("_20260210") }, "\(bounded)")
        // Bounds that are known only when it runs.
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
    func `a day reaches one day`(view: String) throws {
        let scans = try scans("SELECT * FROM analytics.\(view) WHERE day = '2026-02-10'")
        #expect(!scans.isEmpty && scans.allSatisfy { $0.contains("_20260210") }, "\(scans)")
    }

    @Test func `what is complete up to when asks for no reading`() throws {
        let scans = try scans("SELECT device_id, complete_up_to FROM analytics.completeness")
        #expect(scans == [])
    }
}
