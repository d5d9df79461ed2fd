public import Postgres

/// Rows that would stay for ever because nobody comes for them. Removed in small transactions, so
/// that no one waits and a table's dead rows stay few.
public enum Leftovers: String, CaseIterable, Sendable {
    /// Results for users who have not connected since.
    case undelivered
    /// Jobs that failed so often that only people run them again.
    case job
    /// Lanes of processes that are gone: a node's name may be new at each start.
    case nodeBeat = "node_beat"
    /// The same of lanes that write shards. On Citus only.
    case shardBeat = "shard_beat"
    /// Faulty readings, if they are not to be kept for ever.
    case quarantine

    /// Rows of one transaction.
    private static let rowsAtOnce = 1000

    /// Removes what is older than its limit, by a clock as little trusted as for days.
    ///
    /// - Parameters:
    ///   - nodeTime: seconds since 1970 by this node's clock; nil: now.
    ///   - goesOn: asked between two transactions.
    /// - Returns: how many rows.
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

    /// The columns of its primary key, and the time from which a row is old.
    private var columns: (key: [String], time: String) {
        switch self {
        case .undelivered: (["id"], "created_at")
        case .job: (["id"], "dead_at")
        case .nodeBeat: (["node", "lane"], "beat")
        case .shardBeat: (["device_key", "node", "lane"], "beat")
        case .quarantine: (["device_key", "digest"], "received_at")
        }
    }

    /// Its rows may be on several nodes of a cluster, where no statement skips what is locked.
    private var isSpread: Bool { self == .quarantine || self == .shardBeat }

    /// `$1` seconds. What somebody else has locked is left for another time, or waited for.
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
