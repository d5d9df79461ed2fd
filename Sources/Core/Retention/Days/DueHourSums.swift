public import Postgres
import Readings

/// Sums hours that are due, each transaction those of one device, so that no device is locked for
/// long. Several transactions are sent together: a distant database takes a round trip for all of
/// them, not for each device.
public enum DueHourSums {
    /// Transactions that are sent together, at most.
    private static let transactionsMax = 32
    /// As `sluice.sum_hours` by default.
    private static let hoursMax: Int64 = 4

    /// Sums hours of the next devices that have any.
    ///
    /// - Parameters:
    ///   - key: devices with greater keys are summed, in their order.
    ///   - start: the first hour, as SQL.
    ///   - stop: the hour behind the last, as SQL.
    /// - Returns: the key to continue after; nil when no device is left.
    /// - Throws: the failure of a transaction, which is rolled back; those before it are committed.
    public static func sumNext(
        after key: Int64, from start: String, to stop: String, on connection: Connection
    ) throws(PostgresError) -> Int64? {
        var parameters = Parameters()
        parameters.append(int8: key)
        let due = try connection.query(
            """
            SELECT device_key, count(*) FROM sluice.rollup_due
            WHERE device_key > $1 AND hour >= \(start) AND hour < \(stop)
                AND (retry_at IS NULL OR retry_at <= now())
            GROUP BY device_key ORDER BY device_key LIMIT \(transactionsMax)
            """, parameters)
        guard due.count > 0 else { return nil }
        var keys: [Int64] = []
        for row in 0..<due.count where keys.count < transactionsMax {
            let times = (due.int64(row, 1) + hoursMax - 1) / hoursMax
            let left = transactionsMax - keys.count
            keys += [Int64](repeating: due.int64(row, 0), count: min(Int(times), left))
        }
        do throws(PostgresError) {
            let results = try connection.together { pipeline throws(PostgresError) in
                for key in keys {
                    parameters.removeAll()
                    parameters.append(int8: key &- 1)
                    try pipeline.add("BEGIN")
                    try pipeline.add("SELECT sluice.sum_hours($1, \(start), \(stop))", parameters)
                    try pipeline.addCommit(hasWritten: true)
                }
            }
            // After the last transaction, its device may have more hours.
            let last = results[results.count - 2]
            return last.isNull(0, 0) ? nil : last.int64(0, 0)
        } catch {
            if connection.isOpen { try connection.rollback() }
            throw error
        }
    }

    /// Sums the hours of a day while its rows are there, and again a moment later those of devices
    /// whose readings are being stored. What is still due then, `sluice.refuse_due` refuses: a day
    /// to which readings come all the time is given up, and not summed for as long as they come.
    static func sumAll(
        of partition: DayPartition, _ session: ArchiveSession, lockWait: Duration
    ) throws {
        let connection = session.connection
        try session.expect(ArchiveSession.quick, lockWait: lockWait)
        let end = ContinuousClock.now + Self.repeatMax
        var tries = 0
        while try isDue(partition, on: connection), tries < Self.triesMax, tries == 0 || .now < end
        {
            if tries > 0 { try connection.query("SELECT pg_sleep(0.1)") }
            tries += 1
            let day = "date '2000-01-01' + \(partition.day.number)"
            let start = "(\(day))::timestamp AT TIME ZONE 'UTC'"
            let stop = "(\(day) + sluice.partition_days())::timestamp AT TIME ZONE 'UTC'"
            var after: Int64? = Int64.min
            while let key = after {
                try session.expect(ArchiveSession.quick, lockWait: lockWait)
                after = try sumNext(after: key, from: start, to: stop, on: connection)
            }
        }
    }

    private static let triesMax = 20
    /// From the first pass's beginning to the last one's, at most.
    private static let repeatMax = Duration.seconds(10)

    /// Whether hours of the day are not summed yet.
    static func isDue(
        _ partition: DayPartition, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT sluice.is_due($1, $2)", ArchiveCatalog.key(of: partition)
        ).bool(0, 0)
    }
}
