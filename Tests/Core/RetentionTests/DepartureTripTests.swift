import Postgres
import TestSupport
import Testing

@testable import Retention

/// Where the database is on another machine, each round trip costs a millisecond.
@Suite struct DepartureTripTests {
    private let rig: Rig

    init() throws { rig = try Rig() }

    /// Stores readings of so many devices in each hour of a day, whose hours are due then.
    private func store(_ day: Day, devices: Int) throws {
        try rig.connection.execute(
            """
            SELECT sluice.ensure_days('\(day.text)', '\(day.text)');
            INSERT INTO sluice.device_state (device_key, key_check)
                SELECT device, 1 FROM generate_series(1, \(devices)) device
                ON CONFLICT DO NOTHING;
            INSERT INTO sluice.gps (device_key, t, lat, lon)
                SELECT device, timestamptz '\(day.text) 00:00Z' + hour * interval '1 hour', 1, 2
                FROM generate_series(1, \(devices)) device, generate_series(0, 23) hour;
            INSERT INTO sluice.rollup_due
                SELECT device_key, t, 'gps' FROM sluice.gps
                WHERE t >= timestamptz '\(day.text) 00:00Z'
            """)
    }

    /// - Returns: the round trips of `body`, on a connection of its own.
    private func trips(_ body: (Connection) throws -> Void) throws -> Int {
        let counter = try RoundTripCounter(to: rig.settings)
        defer { counter.stop() }
        let connection = try Connection.open(counter.settings, deadline: .now + .seconds(600))
        defer { connection.close() }
        return try counter.trips { try body(connection) }
    }

    @Test func `sums of many hours take two round trips for 32 transactions`() throws {
        defer { rig.discard() }
        // Of 24 hours a transaction sums four.
        try store(rig.day(ago: 40), devices: 64)
        let trips = try trips { connection in
            var key: Int64? = Int64.min
            while let after = key {
                key = try DueHourSums.sumNext(
                    after: after, from: "'-infinity'", to: "'infinity'", on: connection)
            }
        }
        #expect(try rig.connection.query("SELECT FROM sluice.rollup_due").count == 0)
        #expect(
            try rig.connection.query("SELECT count(*) FROM sluice.gps_rollup").int64(0, 0)
                == 64 * 24)
        #expect(trips <= 2 * (64 * 6 / 32) + 4)
    }

    @Test func `a day is archived without a round trip for each row or device`() throws {
        defer { rig.discard() }
        let (first, second) = (rig.day(ago: 41), rig.day(ago: 40))
        var trips: [Int] = []
        for (day, devices) in [(first, 1), (second, 300)] {
            try store(day, devices: devices)
            try rig.connection.execute("DELETE FROM sluice.rollup_due")
            trips.append(
                try self.trips { connection in
                    let report = try rig.run(on: connection)
                    #expect(report.failures.isEmpty && report.rows == devices * 24)
                })
        }
        #expect(trips[1] <= trips[0])
    }
}
