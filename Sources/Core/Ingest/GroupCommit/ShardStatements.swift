import Postgres
import Readings
import Scanner

/// What is different for a group whose devices are all in one shard of a Citus cluster.
///
/// Citus sends a statement to one shard only if its WHERE names the keys by a constant or a
/// parameter; a join with the parameters' arrays alone would go to all.
enum ShardStatements {
    /// A heartbeat in the shard that the lane writes. LOCK TABLE would go to all nodes; instead the
    /// UPDATE finds no row and takes the lock of `device_state` in that one shard. Citus allows no
    /// `now()` after DO UPDATE.
    static let touch = "UPDATE sluice.device_state SET readings = readings WHERE device_key = $1"
    static let heartbeat = """
        INSERT INTO sluice.shard_heartbeat (device_key, node, lane, heartbeat) VALUES ($1, $2, $3, now())
        ON CONFLICT (device_key, node, lane) DO UPDATE SET heartbeat = excluded.heartbeat
        """

    /// `$1` is the array of device keys in each of them.
    static func narrowed(_ statement: String, _ column: String) -> String {
        guard let range = statement.ranges(of: "WHERE ").last else {
            preconditionFailure("BUG: a statement without WHERE")
        }
        let head = statement[..<range.upperBound]
        return "\(head)\(column) = ANY ($1) AND \(statement[range.upperBound...])"
    }
}
