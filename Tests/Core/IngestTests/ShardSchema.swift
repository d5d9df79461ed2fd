import Postgres

/// What a lane that writes to shards needs besides the migrations; on Citus, `sql/citus.sql`
/// creates it.
enum ShardSchema {
    static let heartbeats = """
        CREATE TABLE sluice.shard_heartbeat (device_key bigint NOT NULL, node text NOT NULL,
            lane integer NOT NULL, heartbeat timestamptz NOT NULL,
            PRIMARY KEY (device_key, node, lane))
        """
    /// The days of ``Bodies``.
    static let days = "SELECT sluice.ensure_days('2026-02-09', '2026-02-12')"
}
