import Postgres

/// The connection on which checks ask their questions. It changes nothing.
struct Interview {
    let connection: Connection
    /// Days whose partitions must exist in advance.
    let daysAhead: Int

    /// Runs a query that may be rejected: for a missing right or table, a lock, or a timeout.
    ///
    /// - Returns: nil then, and if there are no rows.
    func ask(_ sql: String) throws(PostgresError) -> Rows? {
        do throws(PostgresError) {
            let rows = try connection.query(sql)
            return rows.count > 0 ? rows : nil
        } catch {
            guard error.kind == .refused else { throw error }
            return nil
        }
    }
}
