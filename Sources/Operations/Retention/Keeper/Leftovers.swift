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
        var swept = 0
        while goesOn() {
            var parameters = Parameters()
            parameters.append(int8: age.components.seconds + clock.doubtfulSeconds)
            parameters.append(int4: Int32(Self.rowsAtOnce))
            connection.deadline = .now + .seconds(30)
            let count = try connection.query(statement, parameters).affectedCount
            swept += count
            if count < Self.rowsAtOnce { break }
        }
        return swept
    }

    private func ageMax(_ configuration: RetentionConfiguration) -> Duration? {
        guard self == .quarantine else { return configuration.leftoverAge }
        let days = configuration.quarantineDays
        return days > 0 ? .seconds(days * 86_400) : nil
    }

    /// `$1` seconds, `$2` rows. What somebody else has locked is left for another time; in the
    /// quarantine, which may be spread over the nodes of a cluster, it is waited for.
    private var statement: String {
        let old = "< now() - $1::bigint * interval '1 second'"
        return switch self {
        case .undelivered:
            """
            DELETE FROM sluice.undelivered WHERE id = ANY (ARRAY(
                SELECT id FROM sluice.undelivered WHERE created_at \(old)
                ORDER BY created_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
            """
        case .job:
            """
            DELETE FROM sluice.job WHERE id = ANY (ARRAY(
                SELECT id FROM sluice.job WHERE dead_at \(old)
                ORDER BY dead_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
            """
        case .nodeBeat:
            """
            DELETE FROM sluice.node_beat b USING (
                SELECT node, lane FROM sluice.node_beat WHERE beat \(old)
                LIMIT $2::int FOR UPDATE SKIP LOCKED) o
            WHERE b.node = o.node AND b.lane = o.lane
            """
        case .quarantine:
            """
            DELETE FROM sluice.quarantine q USING (
                SELECT device_key, digest FROM sluice.quarantine WHERE received_at \(old)
                ORDER BY received_at LIMIT $2::int) o
            WHERE q.device_key = o.device_key AND q.digest = o.digest
            """
        }
    }
}
