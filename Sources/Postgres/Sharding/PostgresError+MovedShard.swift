extension PostgresError {
    /// On Citus: the node may not have the shard any more, or not be there, so that the table of
    /// shards is worth reading again. By SQLSTATE alone, for messages and names differ from shard to
    /// shard: a connection between nodes (08), a state in the way of a move (55), the shard's table
    /// is gone (42P01), or one of the faults for which Citus has no code (XX000).
    public var mayComeOfMovedShard: Bool {
        if isConnectionClosed { return true }
        guard let sqlState else { return false }
        return ["08", "55"].contains(sqlState.classCode)
            || ["42P01", "XX000"].contains(sqlState.description)
    }
}
