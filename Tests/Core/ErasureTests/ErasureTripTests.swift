import Erasure
import Postgres
import TestSupport
import Testing

/// Where the database is on another machine, each round trip costs a millisecond.
@Suite struct ErasureTripTests {
    private static let user = "carol"

    /// - Returns: the round trips of the erasure of a user with readings of each device on each day.
    private func trips(devices: Int, days: Int) throws -> Int {
        let settings = try TestCluster.shared.freshDatabase(named: "erasure")
        let direct = try Connection.open(settings, deadline: .now + .seconds(60))
        try direct.execute(
            """
            select sluice.ensure_days('2026-03-01', date '2026-03-01' + \(days - 1));
            insert into sluice.device (device_key, device_id, user_id)
                select n, 'd' || n, '\(Self.user)' from generate_series(1, \(devices)) n;
            insert into sluice.device_state (device_key, key_check, readings)
                select n, 1, \(2 * days * 5) from generate_series(1, \(devices)) n
            """)
        for table in [
            "gps (device_key, t, lat, lon) select n, t, 1, 2",
            "vital (device_key, t, code, val) select n, t, 1, 60",
            "gps_rollup select n, t, 1, 0, 0, 1",
        ] {
            try direct.execute(
                """
                insert into sluice.\(table) from generate_series(1, \(devices)) n,
                    generate_series(0, \(days - 1)) day, generate_series(1, 5) hour,
                    lateral (select timestamptz '2026-03-01 00:00Z' + day * interval '1 day'
                        + hour * interval '1 hour') w (t)
                """)
        }
        let counter = try RoundTripCounter(to: settings)
        defer { counter.stop() }
        let connection = try Connection.open(counter.settings, deadline: .now + .seconds(60))
        return try counter.trips {
            let report = try Eraser.erase(
                Self.user, on: connection, removeFile: { _ in true })
            #expect(report.isComplete && report.devices == devices)
            #expect(report.tables.first { $0.table == "sluice.gps" }?.rows == devices * days * 5)
        }
    }

    @Test func `an erasure makes no round trip for each device, day or row`() throws {
        let few = try trips(devices: 1, days: 1)
        #expect(try trips(devices: 60, days: 1) == few)
        // Those are two hundred tables, of which up to a hundred are read or changed together.
        #expect(try trips(devices: 60, days: 20) <= few + 8)
    }
}
