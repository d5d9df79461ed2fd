public import Postgres

/// Rows that nothing else would ever remove. They are removed in small transactions, which block
/// no other session for long and leave few dead rows at a time.
public enum Leftovers: String, CaseIterable, Sendable {
    /// Results for users who have not connected since.
    case undelivered
    /// Dead jobs: they failed too often, and only an operator can run them again.
    case job
    /// Heartbeats of lanes whose process has ended. A node may have a new name at each start.
    case nodeBeat = "node_beat"
    /// The same for lanes that write shards; on Citus only.
    case shardBeat = "shard_beat"
    /// Quarantined readings, unless they are kept for ever.
    case quarantine

    /// Rows per transaction.
    private static let rowsAtOnce = 1000

    /// Removes rows that are older than their limit. The clock is checked as for days.
    ///
    /// - Parameters:
    ///   - nodeTime: seconds since 1970 by this node's clock; nil: now.
    ///   - goesOn: called before each transaction; false ends the sweep.
    /// - Returns: the number of removed rows.
    /// - Throws: ``ArchiveError/clocksDiffer(seconds:)``, `PostgresError`.
    public func sweep(
        _ configuration: RetentionConfiguration, on connection: Connection,
        nodeTime: Int? = nil, goesOn: () -> Bool = { true }
    ) throws -> Int {
        guard let age = ageMax(configuration) else { return 0 }
        let clock = try TrustedClock(configuration, on: connection, nodeTime: nodeTime)
        guard try isThere(on: connection) else { return 0 }
        var swept = 0
        while goesOn() {
            var parameters = Parameters()
            parameters.append(int8: age.components.seconds + clock.doubtfulSeconds)
            connection.deadline = .now + .seconds(30)
            let count = try connection.query(statement, parameters).affectedCount
            swept += count
            if count < Self.rowsAtOnce { break }
        }
        return swept
    }

    private func isThere(on connection: Connection) throws -> Bool {
        guard self == .shardBeat else { return true }
        return try connection.query("SELECT to_regclass('sluice.\(rawValue)') IS NOT NULL")
            .bool(0, 0)
    }

    private func ageMax(_ configuration: RetentionConfiguration) -> Duration? {
        guard self == .quarantine else { return configuration.leftoverAge }
        let days = configuration.quarantineDays
        return days > 0 ? .seconds(days * 86_400) : nil
    }

    /// The columns of the primary key, and the time that a row's age is counted from.
    private var columns: (key: [String], time: String) {
        switch self {
        case .undelivered: (["id"], "created_at")
        case .job: (["id"], "dead_at")
        case .nodeBeat: (["node", "lane"], "beat")
        case .shardBeat: (["device_key", "node", "lane"], "beat")
        case .quarantine: (["device_key", "digest"], "received_at")
        }
    }

    /// Whether rows may be on several nodes of a cluster, where locked rows can't be skipped.
    private var isSpread: Bool { self == .quarantine || self == .shardBeat }

    /// `$1` is the age in seconds. Skips locked rows, or waits for them if the table is spread.
    private var statement: String {
        let table = "sluice.\(rawValue)"
        let (key, time) = columns
        let isSame = key.map { "d.\($0) = o.\($0)" }.joined(separator: " AND ")
        return """
            DELETE FROM \(table) d USING (
                SELECT \(key.joined(separator: ", ")) FROM \(table)
                WHERE \(time) < now() - $1::bigint * interval '1 second'
                ORDER BY \(time) LIMIT \(Self.rowsAtOnce)
                \(isSpread ? "" : "FOR UPDATE SKIP LOCKED")) o
            WHERE \(isSame)
            """
    }
}
