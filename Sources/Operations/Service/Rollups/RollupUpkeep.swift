public import Postgres
import Retention

/// What is done to rollups beside the lanes: days that are over are compacted, and days are taken
/// from the rows again when an operator asks for it.
///
/// A few devices a transaction, so that no device waits for long; stopped at any point, nothing is
/// lost and the same call goes on. Two who do it at a time take turns at each device.
public enum RollupUpkeep {
    /// A function of the schema that does some devices of a day and returns the last one's key.
    private enum Work: String {
        case compact = "sluice.compact_rollups"
        case rebuild = "sluice.rebuild_rollups"
    }

    private static let devicesAtOnce = 100

    /// Days that are over and were not compacted yet, as `YYYY-MM-DD`, the oldest first.
    public static func daysToCompact(on connection: Connection) throws -> [String] {
        let rows = try connection.query("SELECT day::text FROM sluice.days_to_compact() AS day")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Makes one row of several of a minute, for one day.
    public static func compact(day: String, on connection: Connection) throws {
        try forEachStep(.compact, day: day, on: connection) {}
        var parameters = Parameters()
        parameters.append(text: day)
        try connection.query(
            "INSERT INTO sluice.rollup_day (day) VALUES ($1::text::date) ON CONFLICT DO NOTHING",
            parameters)
    }

    /// Takes one day's rollups from its rows; does nothing for a day whose rows left the tables:
    /// its sums are all there is of them.
    ///
    /// - Parameter step: called for each 100 devices.
    /// - Returns: whether its rows were there.
    @discardableResult
    public static func rebuild(
        day: String, on connection: Connection, step: () throws -> Void = {}
    ) throws -> Bool {
        try forEachStep(.rebuild, day: day, on: connection, step)
    }

    /// The first and the last day that has readings, as `YYYY-MM-DD`; nil when there are none.
    public static func days(on connection: Connection) throws -> (first: String, last: String)? {
        let rows = try connection.query(
            """
            SELECT min(first)::date::text, max(last)::date::text FROM (
                SELECT min(t) AT TIME ZONE 'UTC' AS first, max(t) AT TIME ZONE 'UTC' AS last
                FROM sluice.gps
                UNION ALL
                SELECT min(t) AT TIME ZONE 'UTC', max(t) AT TIME ZONE 'UTC' FROM sluice.vital
            ) d
            """)
        guard !rows.isNull(0, 0) else { return nil }
        return (rows.string(0, 0), rows.string(0, 1))
    }

    /// Days of a range that have readings, or rollups that may have lost theirs, and whose rows did
    /// not leave the tables; the first first.
    ///
    /// - Parameters:
    ///   - first: as `YYYY-MM-DD`, as the days that are returned.
    ///   - last: inclusive.
    public static func daysToRebuild(
        from first: String, to last: String, on connection: Connection
    ) throws -> [String] {
        var parameters = Parameters()
        parameters.append(text: first)
        parameters.append(text: last)
        parameters.append(int8: .min)
        let rows = try connection.query(
            """
            SELECT d.day::text FROM (
                SELECT DISTINCT day FROM sluice.day_partition
                WHERE day BETWEEN $1::text::date AND $2::text::date
            ) d
            WHERE NOT sluice.is_out('gps', d.day) AND NOT sluice.is_out('vital', d.day)
                AND EXISTS (
                    SELECT FROM (VALUES
                        ('sluice.gps', 't'), ('sluice.vital', 't'),
                        ('sluice.gps_rollup', 'minute'), ('sluice.vital_rollup', 'minute')
                    ) k (name, time)
                    WHERE sluice.devices_of_day(
                        k.name::regclass, k.time::name, d.day, $3, 1) <> '{}')
            ORDER BY d.day
            """, parameters)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// - Returns: whether there was a step.
    @discardableResult
    private static func forEachStep(
        _ work: Work, day: String, on connection: Connection, _ step: () throws -> Void
    ) throws -> Bool {
        var hasBegun = false
        var last: Int64? = Int64.min
        while let after = last {
            var parameters = Parameters()
            parameters.append(text: day)
            parameters.append(int8: after)
            parameters.append(int4: Int32(devicesAtOnce))
            switch work {
            case .compact:
                hasBegun = true
                last = try key(work, parameters, on: connection)
            case .rebuild:
                last = try whileHere(day, on: connection) {
                    hasBegun = true
                    return try key(work, parameters, on: connection)
                }
            }
            try step()
        }
        return hasBegun
    }

    /// - Returns: the last device's; nil when there are no more.
    private static func key(
        _ work: Work, _ parameters: Parameters, on connection: Connection
    ) throws -> Int64? {
        let rows = try connection.query(
            "SELECT \(work.rawValue)($1::text::date, $2, $3)", parameters)
        return rows.isNull(0, 0) ? nil : rows.int64(0, 0)
    }

    /// A transaction during which no day leaves the tables: sums that are taken from rows which go
    /// away between two of its statements would be lost.
    ///
    /// - Returns: nil for a day that is not there any more.
    private static func whileHere(
        _ day: String, on connection: Connection, _ body: () throws -> Int64?
    ) throws -> Int64? {
        var parameters = Parameters()
        parameters.append(text: day)
        do {
            try connection.execute(
                "BEGIN; SELECT pg_advisory_xact_lock_shared(\(ArchiveSession.lock))")
            let here = try connection.query(
                "SELECT sluice.days_to_rebuild($1::text::date, $1::text::date)", parameters)
            let key = here.count > 0 ? try body() : nil
            try connection.commit()
            return key
        } catch {
            if connection.isOpen { try? connection.rollback() }
            throw error
        }
    }
}
