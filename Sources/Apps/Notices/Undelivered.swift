import Instruments
import Logging
public import Postgres
import Synchronization

/// News that no client of its user has confirmed yet.
///
/// The transaction that makes the news also inserts the row (`sluice.tell_user`). The node whose
/// socket's client confirms the frame deletes it; a user who connects gets the remaining rows.
/// After a crash or a lost connection a frame may be sent twice, but none is lost.
public enum Undelivered {
    /// The news of one user, oldest first, whichever sockets they are for.
    ///
    /// - Parameters:
    ///   - topic: as in the notices.
    ///   - id: the id of the last news that was read; 0 at the start.
    ///   - limit: a result with fewer news is the last one.
    public static func news(
        forUser user: String, topic: String, after id: Int64 = 0, limit: Int = 100,
        on connection: Connection
    ) throws(PostgresError) -> [News] {
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(text: topic)
        parameters.append(int8: id)
        parameters.append(int8: Int64(limit))
        let rows = try connection.query(
            """
            select id, payload, only_for from sluice.undelivered
            where user_id = $1 and topic = $2 and id > $3
            order by id
            limit $4
            """, parameters)
        return (0..<rows.count).map { row in
            News(
                id: rows.int64(row, 0), subject: rows.isNull(row, 2) ? nil : rows.string(row, 2),
                frame: rows.string(row, 1))
        }
    }

    /// Deletes news that a client has confirmed. Skips ids that are gone, and those that another
    /// transaction is deleting.
    public static func delivered(_ ids: [Int64], on connection: Connection) throws(PostgresError) {
        guard !ids.isEmpty else { return }
        var parameters = Parameters()
        parameters.append(int8s: ids)
        try connection.query(
            """
            delete from sluice.undelivered
            where id in (
                select id from sluice.undelivered where id = any ($1) for update skip locked)
            """, parameters)
    }
}
