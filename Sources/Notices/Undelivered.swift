public import Postgres

/// News that no socket of their user has had yet.
///
/// A row is made with what it tells of (`sluice.tell_user`). The node that has written the frame to a
/// socket deletes it; a user who connects is sent what is there. A crash between the two lets a frame
/// come twice, never not at all.
public enum Undelivered {
    /// Of one user, the oldest first.
    ///
    /// - Parameters:
    ///   - topic: as in the notices.
    ///   - id: of the last one that was read; 0 to begin with.
    ///   - limit: fewer came: that is all.
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
            select id, payload from sluice.undelivered
            where user_id = $1 and topic = $2 and id > $3
            order by id
            limit $4
            """, parameters)
        return (0..<rows.count).map { row in
            News(id: rows.int64(row, 0), frame: rows.string(row, 1))
        }
    }

    /// Some sockets have had these. Ids that are gone are passed over; those that somebody else is
    /// deleting are left to him.
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
