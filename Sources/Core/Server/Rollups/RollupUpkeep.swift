public import Postgres
import Retention

/// Maintenance of rollups outside the lanes: past hours are summed, and an operator can rebuild a
/// day's hours.
///
/// Each transaction sums hours of one device, so no device is locked for long (``DueHourSums``).
/// Work that was interrupted is continued by the same call. An hour that fails is noted in `sluice.rollup_due`
/// and retried after growing pauses; its device's other hours and all other devices go on.
public enum RollupUpkeep {
    /// The end of the hours that are summed: five minutes are left for late readings, which would
    /// need a second sum.
    private static let end = "now() - interval '65 minutes'"

    /// Sums past hours of devices with keys above `key`, for about `time`.
    ///
    /// - Parameter passedBy: called for each device whose failure could not even be noted.
    /// - Returns: the key to continue after; nil when all is done.
    /// - Throws: an error that concerns all devices, such as a lost connection.
    static func sum(
        after key: Int64, for time: Duration, on connection: Connection,
        passedBy: (PostgresError) -> Void
    ) throws(PostgresError) -> Int64? {
        let stop = ContinuousClock.now + time
        var last: Int64? = key
        while let after = last, .now < stop {
            last = try sumNext(
                after: after, from: "'-infinity'", to: end, on: connection, passedBy: passedBy)
        }
        return last
    }

    /// Sums hours of the next devices that have any. If one fails, the next device is tried by
    /// itself.
    ///
    /// - Parameters:
    ///   - start, stop: the range of hours, as SQL.
    /// - Returns: the key to continue after; nil when no device is left.
    private static func sumNext(
        after key: Int64, from start: String, to stop: String, on connection: Connection,
        passedBy: (PostgresError) -> Void
    ) throws(PostgresError) -> Int64? {
        do throws(PostgresError) {
            return try DueHourSums.sumNext(after: key, from: start, to: stop, on: connection)
        } catch {
            guard error.kind == .refused, !error.isConnectionClosed else { throw error }
            return try sumOne(
                after: key, from: start, to: stop, on: connection, passedBy: passedBy)
        }
    }

    /// Sums a few hours of the next device that has any. If that fails, each hour alone; if not
    /// even that can be committed, the device is left for the next pass.
    ///
    /// - Parameters:
    ///   - start, stop: the range of hours, as SQL.
    /// - Returns: the key to continue after; nil when no device is left.
    private static func sumOne(
        after key: Int64, from start: String, to stop: String, on connection: Connection,
        passedBy: (PostgresError) -> Void
    ) throws(PostgresError) -> Int64? {
        func ask(_ sql: String) throws(PostgresError) -> Int64? {
            var parameters = Parameters()
            parameters.append(int8: key)
            let rows = try connection.query(sql, parameters)
            return rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
        do throws(PostgresError) {
            return try ask("SELECT sluice.sum_hours($1, \(start), \(stop))")
        } catch {
            guard error.kind == .refused, !error.isConnectionClosed else { throw error }
        }
        do throws(PostgresError) {
            return try ask("SELECT sluice.sum_hours($1, \(start), \(stop), each_alone => true)")
        } catch {
            guard error.kind == .refused, !error.isConnectionClosed else { throw error }
            let next = try ask(
                """
                SELECT min(device_key) FROM sluice.rollup_due
                WHERE device_key > $1 AND hour >= \(start) AND hour < \(stop)
                    AND (retry_at IS NULL OR retry_at <= now())
                """)
            passedBy(error)
            return next
        }
    }

    /// Past hours that are not summed yet.
    struct Due: Equatable {
        var hours = 0
        /// Since the oldest of them began; 0 if there is none.
        var oldestSeconds = 0
        /// Devices with hours that could not be summed.
        var failingDevices = 0
    }

    /// Counts the notes.
    static func due(on connection: Connection) throws(PostgresError) -> Due {
        let rows = try connection.query(
            """
            SELECT count(*), coalesce(extract(epoch FROM now() - min(hour)), 0)::bigint,
                count(DISTINCT device_key) FILTER (WHERE failures > 0)
            FROM sluice.rollup_due WHERE hour < \(end)
            """)
        return Due(
            hours: Int(rows.int64(0, 0)), oldestSeconds: Int(rows.int64(0, 1)),
            failingDevices: Int(rows.int64(0, 2)))
    }

    /// Hours that could not be summed, by device and code; those with the most hours first.
    public struct Failure: Equatable, Sendable {
        /// The device's id.
        public let deviceID: String
        /// The SQLSTATE of the last attempt.
        public let sqlState: String
        /// How many hours.
        public let hours: Int
    }

    /// The failures that are noted; they disappear when the hours are summed.
    ///
    /// - Parameters:
    ///   - first, last: days as `YYYY-MM-DD`, inclusive; nil: any.
    ///   - limit: how many at most.
    public static func failures(
        from first: String? = nil, to last: String? = nil, limit: Int, on connection: Connection
    ) throws(PostgresError) -> [Failure] {
        var parameters = Parameters()
        parameters.append(text: first)
        parameters.append(text: last)
        let rows = try connection.query(
            """
            SELECT d.device_id, r.failure, count(*)
            FROM sluice.rollup_due r JOIN sluice.device d USING (device_key)
            WHERE r.failures > 0
                AND r.hour >= coalesce($1::text, '-infinity')::date::timestamp AT TIME ZONE 'UTC'
                AND r.hour < (coalesce($2::text, 'infinity')::date + 1)::timestamp
                    AT TIME ZONE 'UTC'
            GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT \(limit)
            """, parameters)
        return (0..<rows.count).map {
            Failure(
                deviceID: rows.string($0, 0), sqlState: rows.string($0, 1),
                hours: Int(rows.int64($0, 2)))
        }
    }

    /// Sums one day's hours again. Does nothing for a day whose rows left the tables, because its
    /// sums can't be made again.
    ///
    /// Hours that fail are noted, see ``failures(from:to:limit:on:)``.
    ///
    /// - Parameters:
    ///   - step: called after every few transactions, each with hours of one device.
    ///   - passedBy: called for each device whose failure could not even be noted.
    /// - Returns: whether the day's rows are in the tables.
    @discardableResult
    public static func rebuild(
        day: String, on connection: Connection, step: () throws -> Void = {},
        passedBy: (PostgresError) -> Void
    ) throws -> Bool {
        var parameters = Parameters()
        parameters.append(text: day)
        let isHere = try whileHere(day, on: connection) {
            try connection.query("SELECT sluice.rebuild_rollups($1::text::date)", parameters)
        }
        let bounds = try connection.query(
            """
            SELECT ($1::text::date::timestamp AT TIME ZONE 'UTC')::text,
                (($1::text::date + 1)::timestamp AT TIME ZONE 'UTC')::text
            """, parameters)
        let (start, stop) = ("'\(bounds.string(0, 0))'", "'\(bounds.string(0, 1))'")
        var last: Int64? = isHere ? Int64.min : nil
        while let after = last {
            last = try sumNext(
                after: after, from: start, to: stop, on: connection, passedBy: passedBy)
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
        let days = try connection.query(
            """
            SELECT day::text, day::timestamp AT TIME ZONE 'UTC',
                (day + 1)::timestamp AT TIME ZONE 'UTC'
            FROM (
                SELECT DISTINCT day FROM sluice.day_partition
                WHERE day BETWEEN $1::text::date AND $2::text::date
            ) d
            WHERE NOT sluice.is_out('gps', day) AND NOT sluice.is_out('vital', day)
            ORDER BY day
            """, parameters)
        let haveRows = try connection.together { pipeline throws(PostgresError) in
            for row in 0..<days.count {
                parameters.removeAll()
                parameters.append(timestamptz: days.timestamp(row, 1))
                parameters.append(timestamptz: days.timestamp(row, 2))
                try pipeline.add(hasRows, parameters)
            }
        }
        return (0..<days.count).filter { haveRows[$0].bool(0, 0) }.map { days.string($0, 0) }
    }

    /// Citus can't join several tables' rows with a list of days, so there is a statement for each
    /// day. With the LIMIT a shard sends it one row, not all.
    private static let hasRows =
        "SELECT "
        + [("gps", "t"), ("vital", "t"), ("gps_rollup", "hour"), ("vital_rollup", "hour")]
        .map { table, time in
            "EXISTS (SELECT 1 FROM sluice.\(table) WHERE \(time) >= $1 AND \(time) < $2 LIMIT 1)"
        }
        .joined(separator: " OR ")

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
