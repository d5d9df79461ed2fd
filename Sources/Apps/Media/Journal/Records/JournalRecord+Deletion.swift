import Postgres

/// Deletions. Each runs in the caller's transaction, and locks the record before its files; so
/// deletions may queue but never deadlock.
extension JournalRecord {
    /// - Returns: whether the user had such a record.
    static func remove(
        _ kind: JournalKind, id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        let table = JournalQueries.table(kind)
        let removed = try connection.query(
            "delete from sluice.\(table.name) where \(table.key) = $1 and user_id = $2",
            texts(id, user))
        guard removed.affectedCount > 0 else { return false }
        _ = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where record_id = $1))
            """, texts(id))
        return true
    }

    /// - Returns: whether the user had such a file.
    static func removeFile(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        let rows = try connection.query(
            """
            select u.upload_id from sluice.upload u
            join sluice.journal_file f on f.record_id = u.upload_id
            where f.file_id = $1 and f.user_id = $2
            for update of u
            """, texts(id, user))
        let removed = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where file_id = $1 and user_id = $2))
            """, texts(id, user))
        guard removed.int64(0, 0) > 0 else { return false }
        if rows.count == 1 {
            _ = try connection.query(
                """
                delete from sluice.upload where upload_id = $1
                    and not exists (select from sluice.journal_file where record_id = $1)
                """, texts(rows.string(0, 0)))
        }
        return true
    }

    /// Removes files that were profile pictures, at most `most`.
    ///
    /// - Returns: how many.
    static func removeReplacedPictures(
        atMost most: Int, on connection: Connection
    ) throws(PostgresError) -> Int {
        var parameters = Parameters()
        parameters.append(int4: Int32(most))
        let rows = try connection.query(
            "select sluice.remove_replaced_pictures($1)", parameters)
        return Int(rows.int64(0, 0))
    }

    private static func texts(_ texts: String?...) -> Parameters {
        var parameters = Parameters()
        for text in texts { parameters.append(text: text) }
        return parameters
    }
}
