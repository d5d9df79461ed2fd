/// PostgreSQL over the system's libpq.
///
/// **Connections.** A ``Connection`` has one owner at a time, normally a lane or a slot of
/// ``Database`` on its Dispatch queue, and its calls block that queue. libpq runs in non-blocking
/// mode, and every wait is a `poll(2)` with the connection's `deadline`, so a frozen server costs
/// one deadline and never blocks a queue forever. A missed deadline closes the connection, because
/// it is unknown how far the server got.
///
/// **Values** are binary in both directions: ``Parameters`` is one contiguous buffer, ``Rows`` are
/// views into libpq's result, and COPY takes ready tuples through a ``Connection/CopyWriter`` in pieces of at
/// most 64 KiB (larger ones cost half as much again).
///
/// **Failures** are ``PostgresError``s that carry a SQLSTATE and the server's primary message,
/// never a statement, a detail or a value. ``FailureClass`` says how the caller handles an error;
/// its table is the only place that knows SQLSTATEs. "The server refused" and "the connection is
/// lost" are different kinds: after the second the outcome of a COMMIT in flight is unknown.
///
/// **The schema** is made by ``Migrator`` from the numbered files in `sql/`, which are part of the
/// binary. **``PrivateCluster``** is a PostgreSQL under the data directory for users who have none:
/// initdb, start, adopt, stop.
///
/// **Citus.** ``ShardTable`` is a value that says which node has a device's rows, read from the
/// coordinator's catalogs; ``DistributionHash`` is the hash that decides it. ``Citus`` distributes
/// the tables.
///
/// Limits: 100 notices kept per connection, 64 KiB per COPY piece. Server version: 14 or later.
public enum Postgres {
    /// PostgreSQL 14 added `client_connection_check_interval`; it has everything else used here.
    public static let serverVersionMin: Int32 = 140_000
}
