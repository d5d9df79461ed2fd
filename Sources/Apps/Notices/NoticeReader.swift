import Postgres

/// Finds new notices in the table. Used on the listener's queue only.
struct NoticeReader {
    /// Rows of one statement.
    static let pageMax = 1000

    /// Every notice that this snapshot sees has been delivered; nil before the first look.
    private var seen: Snapshot?
    /// When the look that took `seen` began; before the first, when the reader was made.
    private var seenAt: ContinuousClock.Instant
    /// Ids delivered by a look that has not ended.
    private var delivered: Set<Int64> = []

    init(now: ContinuousClock.Instant) {
        seenAt = now
    }

    /// Delivers each notice that no earlier look has delivered.
    ///
    /// - Throws: when the look fails half-way; the next one continues it.
    mutating func look(_ connection: Connection, _ deliver: (Notice) -> Void) throws {
        let began = ContinuousClock.now
        // One snapshot for all pages.
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do {
            let now = try Self.snapshot(connection)
            if let seen, seen.end <= now.end {
                try readSince(seen, connection, deliver)
            } else {
                // Measured to now, not to `began`: the server's transaction may begin after
                // `began`, and then notices posted just after `seenAt` would be missed. So a few
                // notices from before `seenAt` may be delivered as well.
                try readSinceMoment(ContinuousClock.now - seenAt, connection, deliver)
            }
            try connection.execute("COMMIT")
            seen = now
        } catch {
            try? connection.rollback()
            throw error
        }
        seenAt = began
        delivered.removeAll()
    }

    private static func snapshot(_ connection: Connection) throws -> Snapshot {
        let text = try connection.query("select pg_current_snapshot()::text").string(0, 0)
        guard let snapshot = Snapshot(text) else {
            throw PostgresError(.protocolViolation, message: "snapshot \(text)")
        }
        return snapshot
    }

    private static let columns = "id, topic, user_id, payload, xid::text"

    /// Reads the notices of transactions that were open in `seen` or had not begun.
    private mutating func readSince(
        _ seen: Snapshot, _ connection: Connection, _ deliver: (Notice) -> Void
    ) throws {
        var parameters = Parameters()
        if !seen.open.isEmpty {
            let open: [String] = seen.open.map { "\($0)" }
            parameters.append(texts: open)
            _ = pass(
                try connection.query(
                    """
                    select \(Self.columns) from sluice.notice
                    where xid = any ($1::text[]::xid8[])
                    order by xid, id
                    """, parameters), deliver)
        }
        var position = (xid: "\(seen.end)", id: Int64(-1))
        while true {
            parameters.removeAll()
            parameters.append(text: position.xid)
            parameters.append(int8: position.id)
            let rows = try connection.query(
                """
                select \(Self.columns) from sluice.notice
                where (xid, id) > ($1::text::xid8, $2)
                order by xid, id
                limit \(Self.pageMax)
                """, parameters)
            guard let last = pass(rows, deliver), rows.count == Self.pageMax else { return }
            position = last
        }
    }

    /// Reads the notices that are younger than `past`, by the database's clock.
    private mutating func readSinceMoment(
        _ past: Duration, _ connection: Connection, _ deliver: (Notice) -> Void
    ) throws {
        var position = (xid: "", id: Int64(-1))
        while true {
            var parameters = Parameters()
            parameters.append(float8: past / .seconds(1))
            parameters.append(int8: position.id)
            let rows = try connection.query(
                """
                select \(Self.columns) from sluice.notice
                where posted_at > now() - $1 * interval '1 second' and id > $2
                order by id
                limit \(Self.pageMax)
                """, parameters)
            guard let last = pass(rows, deliver), rows.count == Self.pageMax else { return }
            position = last
        }
    }

    /// - Returns: the position of the last row; nil if there was none.
    private mutating func pass(
        _ rows: Rows, _ deliver: (Notice) -> Void
    ) -> (xid: String, id: Int64)? {
        for row in 0..<rows.count {
            let id = rows.int64(row, 0)
            guard delivered.insert(id).inserted else { continue }
            deliver(
                Notice(
                    id: id, topic: rows.string(row, 1), userID: rows.string(row, 2),
                    payload: rows.string(row, 3)))
        }
        guard rows.count > 0 else { return nil }
        return (rows.string(rows.count - 1, 4), rows.int64(rows.count - 1, 0))
    }
}
