import Postgres
import TestSupport
import Testing

@testable import Server

/// One hour that can't be summed, and all the others.
@Suite(.timeLimit(.minutes(10)))
struct RollupUpkeepTests {
    private static let day = "2026-02-10"

    /// Three hours of three devices. One hour of the device with the lowest key is refused, as by
    /// a constraint of an operator's.
    private static func open(_ settings: ConnectionSettings) throws -> Connection {
        let connection = try Connection.open(settings, deadline: .now + .seconds(300))
        try connection.execute(
            """
            SELECT sluice.ensure_days('\(day)', '\(day)');
            INSERT INTO sluice.device (device_key, device_id, user_id)
                SELECT i, 'd' || i, 'u' FROM generate_series(1, 3) i;
            INSERT INTO sluice.device_state (device_key, key_check)
                SELECT i, 0 FROM generate_series(1, 3) i;
            INSERT INTO sluice.vital
                SELECT i, timestamptz '\(day) 10:00Z' + h * interval '1 hour', 1, 60
                FROM generate_series(1, 3) i, generate_series(0, 2) h;
            INSERT INTO sluice.rollup_due (device_key, hour, kind)
                SELECT device_key, t, 'vital' FROM sluice.vital;
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON sluice.vital_rollup FOR EACH ROW
                WHEN (new.device_key = 1 AND new.hour = '\(day) 11:00Z') EXECUTE FUNCTION refuse()
            """)
        return connection
    }

    /// - Returns: the SQLSTATE for each device that was passed by.
    @discardableResult
    private static func sum(_ connection: Connection) throws -> [SQLState?] {
        var after: Int64? = Int64.min
        var passed: [SQLState?] = []
        while let key = after {
            after = try RollupUpkeep.sum(after: key, for: .seconds(60), on: connection) {
                passed.append($0.sqlState)
            }
        }
        return passed
    }

    /// The notes that are left, with their failures and minutes until the next attempt.
    private static func notes(_ connection: Connection) throws -> [String] {
        let rows = try connection.query(
            """
            SELECT format('%s %s:00 %s %s', device_key, extract(hour FROM hour AT TIME ZONE 'UTC'),
                failures, round(extract(epoch FROM retry_at - now()) / 60))
            FROM sluice.rollup_due ORDER BY 1
            """)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `an hour that fails waits alone, is named, and is retried with growing pauses`()
        throws
    {
        let connection = try Self.open(TestCluster.shared.freshDatabase(named: "upkeep"))
        defer { connection.close() }
        try Self.sum(connection)
        #expect(try Self.notes(connection) == ["1 11:00 1 1"])
        #expect(try RollupUpkeep.due(on: connection).failingDevices == 1)
        let failure = RollupUpkeep.Failure(deviceID: "d1", sqlState: "P0001", hours: 1)
        #expect(try RollupUpkeep.failures(limit: 9, on: connection) == [failure])
        #expect(try RollupUpkeep.failures(from: "2026-02-11", limit: 9, on: connection) == [])
        // Not before its pause is over.
        try Self.sum(connection)
        #expect(try Self.notes(connection) == ["1 11:00 1 1"])
        for pause in [2, 4, 8, 16, 32, 64, 128, 256, 360, 360] {
            try connection.execute("UPDATE sluice.rollup_due SET retry_at = now()")
            try Self.sum(connection)
            #expect(try Self.notes(connection).first?.hasSuffix(" \(pause)") == true)
        }
        // The views read its rows meanwhile.
        let seen = try connection.query("SELECT count(*) FROM analytics.vital_hour")
        #expect(seen.int64(0, 0) == 9)
        try connection.execute("DROP TRIGGER refuse ON sluice.vital_rollup")
        try RollupUpkeep.rebuild(day: Self.day, on: connection, passedBy: { Issue.record($0) })
        #expect(try Self.notes(connection) == [])
        #expect(try RollupUpkeep.due(on: connection) == RollupUpkeep.Due())
    }

    @Test func `a device that can't even be noted is passed by`() throws {
        let connection = try Self.open(TestCluster.shared.freshDatabase(named: "upkeep"))
        defer { connection.close() }
        // Fails at the end of the transaction.
        try connection.execute(
            """
            CREATE CONSTRAINT TRIGGER refuse_late AFTER DELETE OR UPDATE ON sluice.rollup_due
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.device_key = 2)
                EXECUTE FUNCTION refuse()
            """)
        #expect(try Self.sum(connection) == ["P0001"])
        #expect(
            try Self.notes(connection) == ["1 11:00 1 1", "2 10:00 0 ", "2 11:00 0 ", "2 12:00 0 "])
    }

    @Test func `a lock that somebody keeps delays only its device`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "upkeep")
        let connection = try Self.open(settings)
        defer { connection.close() }
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        defer { other.close() }
        try other.execute("BEGIN; SELECT FROM sluice.rollup_due WHERE device_key = 2 FOR UPDATE")
        #expect(try Self.sum(connection) == ["55P03"])
        #expect(
            try Self.notes(connection) == ["1 11:00 1 1", "2 10:00 0 ", "2 11:00 0 ", "2 12:00 0 "])
    }

    @Test func `the command names the devices whose hours fail, and sums the others`() async throws
    {
        let (environment, settings) = try Fixtures.environment("upkeep", [:])
        let connection = try Self.open(settings)
        defer { connection.close() }
        let outcome = try await Subprocess.sluice("rollups", "rebuild", environment: environment)
        #expect(outcome.status == 75 && outcome.out == "1 day rebuilt\n")
        #expect(outcome.err.contains("d1 (hours: 1, SQLSTATE P0001)"), "\(outcome.err)")
        #expect(try Self.notes(connection) == ["1 11:00 1 1"])
    }
}
