public import Postgres
import Retention

/// Maintenance of rollups outside the lanes: past hours are summed, and an operator can rebuild a
/// day's hours.
///
/// Each transaction sums hours of one device, so no device is locked for long. Work that was
/// interrupted is continued by the same call.
public enum RollupUpkeep {
    /// The end of the hours that are summed: five minutes are left for late readings, which would
    /// need a second sum.
    private static let end = "now() - interval '65 minutes'"

    /// Sums past hours of devices with keys above `key`, for about `time`.
    ///
    /// - Returns: the key to continue after; nil when all is done.
    static func sum(
        after key: Int64, for time: Duration, on connection: Connection
    ) throws(PostgresError) -> Int64? {
        let stop = ContinuousClock.now + time
        var last: Int64? = key
        while let after = last, .now < stop {
            var parameters = Parameters()
            parameters.append(int8: after)
            let rows = try connection.query(
                "SELECT sluice.sum_hours($1, '-infinity', \(end))", parameters)
            last = rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
        return last
    }

    /// The number of past hours that are not summed yet, and the seconds since the oldest began.
    static func due(
        on connection: Connection
    ) throws(PostgresError) -> (hours: Int, oldestSeconds: Int) {
        let rows = try connection.query(
            """
            SELECT count(*), coalesce(extract(epoch FROM now() - min(hour)), 0)::bigint
            FROM sluice.rollup_due WHERE hour < \(end)
            """)
        return (Int(rows.int64(0, 0)), Int(rows.int64(0, 1)))
    }

    /// Sums one day's hours again. Does nothing for a day whose rows left the tables, because its
    /// sums can't be made again.
    ///
    /// - Parameter step: called after every transaction, each with hours of one device.
    /// - Returns: whether the day's rows are in the tables.
    @discardableResult
    public static func rebuild(
        day: String, on connection: Connection, step: () throws -> Void = {}
    ) throws -> Bool {
        var parameters = Parameters()
        parameters.append(text: day)
        let isHere = try whileHere(day, on: connection) {
            try connection.query("SELECT sluice.rebuild_rollups($1::text::date)", parameters)
        }
        var last: Int64? = isHere ? Int64.min : nil
        while let after = last {
            parameters.removeAll()
            parameters.append(text: day)
            parameters.append(int8: after)
            let rows = try connection.query(
                """
                SELECT sluice.sum_hours($2, $1::text::date::timestamp AT TIME ZONE 'UTC',
                    ($1::text::date + 1)::timestamp AT TIME ZONE 'UTC')
                """, parameters)
            last = rows.isNull(0, 0) ? nil : rows.int64(0, 0)
            try step()
        }
        return isHere
    }

    /// The first and the last day with readings, as `YYYY-MM-DD`; nil if there are none.
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

    /// The days of a range that have readings, or rollups whose readings may be lost; in order.
    /// Days whose rows left the tables are excluded.
    ///
    /// - Parameters:
    ///   - first: `YYYY-MM-DD`, like the days that are returned.
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
                        ('sluice.gps_rollup', 'hour'), ('sluice.vital_rollup', 'hour')
                    ) k (name, time)
                    WHERE sluice.devices_of_day(
                        k.name::regclass, k.time::name, d.day, $3, 1) <> '{}')
            ORDER BY d.day
            """, parameters)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Runs `body` in a transaction during which no day leaves the tables.
    ///
    /// - Returns: false, without calling `body`, for a day that left.
    private static func whileHere(
        _ day: String, on connection: Connection, _ body: () throws -> Void
    ) throws -> Bool {
        var parameters = Parameters()
        parameters.append(text: day)
        do {
            try connection.execute("BEGIN; \(ArchiveSession.keepsDays)")
            let here = try connection.query(
                "SELECT sluice.days_to_rebuild($1::text::date, $1::text::date)", parameters)
            if here.count > 0 { try body() }
            try connection.commit()
            return here.count > 0
        } catch {
            if connection.isOpen { try? connection.rollback() }
            throw error
        }
    }
}
