public import Ingest
public import Postgres

extension WorkUnit {
    /// Runs the statement of its kind for this unit alone, as a lane does for a group.
    ///
    /// - Parameters:
    ///   - receivedAt: microseconds since 2000; nil means now, by the database's clock.
    ///   - isLate: whether it comes from a spool, or an earlier COMMIT of it was not answered.
    /// - Returns: the result.
    @discardableResult
    public func write(
        on connection: Connection, receivedAt: Int64? = nil, isLate: Bool = false
    ) throws(PostgresError) -> String {
        let now = try connection.query("select clock_timestamp()")
        var parameters = Parameters()
        parameters.append(texts: [payload])
        parameters.append(timestamptzs: [receivedAt ?? now.int64(0, 0)])
        parameters.append(bools: [isLate])
        return try connection.query(kept: kind.statement, parameters).string(0, 1)
    }
}
