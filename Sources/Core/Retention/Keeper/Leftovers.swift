import Postgres
import Schema

extension Schema.Table {
    /// Tables with rows that nothing else would ever remove: results for users who have not
    /// connected since, dead jobs (they failed too often, and only an operator can run them again),
    /// quarantined readings, unless they are kept for ever, and heartbeats of lanes whose process
    /// has ended. A node may have a new name at each start.
    static let leftovers = Schema.tables.filter { $0.ageColumn != nil }

    /// Rows per transaction.
    private static let rowsAtOnce = 1000

    /// Removes rows that are older than their limit. The clock is checked as for days.
    ///
    /// The transactions are small, so they block no other session for long and leave few dead rows
    /// at a time.
    ///
    /// - Parameters:
    ///   - nodeTime: seconds since 1970 by this node's clock; nil: now.
    ///   - goesOn: called before each transaction; false ends the sweep.
    /// - Returns: the number of removed rows.
    /// - Throws: ``ArchiveError/clocksDiffer(seconds:)``, `PostgresError`.
    func sweep(
        _ configuration: RetentionConfiguration, on connection: Connection,
        nodeTime: Int? = nil, goesOn: () -> Bool = { true }
    ) throws -> Int {
        guard let ageColumn, let age = ageMax(configuration) else { return 0 }
        let clock = try TrustedClock(configuration, on: connection, nodeTime: nodeTime)
        // One of them exists on Citus only.
        let isThere = try connection.query("SELECT to_regclass('\(qualifiedName)') IS NOT NULL")
        guard isThere.bool(0, 0) else { return 0 }
        var swept = 0
        while goesOn() {
            var parameters = Parameters()
            parameters.append(int8: age.components.seconds + clock.doubtfulSeconds)
            connection.deadline = .now + .seconds(30)
            let count = try connection.query(removal(by: ageColumn), parameters).affectedCount
            swept += count
            if count < Self.rowsAtOnce { break }
        }
        return swept
    }

    private func ageMax(_ configuration: RetentionConfiguration) -> Duration? {
        guard owner == .quarantined else { return configuration.leftoverAge }
        let days = configuration.quarantineDays
        return days > 0 ? .seconds(days * 86_400) : nil
    }

    /// `$1` is the age in seconds. Skips locked rows, or waits for them if they may be on several
    /// nodes of a cluster, where they can't be skipped.
    private func removal(by time: String) -> String {
        let isSame = key.map { "d.\($0) = o.\($0)" }.joined(separator: " AND ")
        return """
            DELETE FROM \(qualifiedName) d USING (
                SELECT \(key.joined(separator: ", ")) FROM \(qualifiedName)
                WHERE \(time) < now() - $1::bigint * interval '1 second'
                ORDER BY \(time) LIMIT \(Self.rowsAtOnce)
                \(isSpread ? "" : "FOR UPDATE SKIP LOCKED")) o
            WHERE \(isSame)
            """
    }
}
