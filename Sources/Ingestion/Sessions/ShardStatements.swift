import Postgres
import Readings

/// The statements of a group where all of its devices are in one shard of a Citus cluster.
///
/// Citus sends a statement to one shard only where its WHERE says by a constant or a parameter which
/// keys it is about; a join with the parameters' arrays alone would go to all.
enum ShardStatements {
    static let claim = KeptStatement(
        "claim", narrowed(ClaimStatements.claimText, "s.device_key"),
        types: ClaimStatements.claimTypes)
    static let updateAttributes = narrowed(ClaimStatements.updateAttributes, "d.device_key")
    static let subtractDuplicates = narrowed(ClaimStatements.subtractDuplicates, "s.device_key")
    static let noteLateReadings = narrowed(ClaimStatements.noteLateReadings, "s.device_key")

    static func storedRows(_ kind: ReadingKind) -> String {
        narrowed(StoredRows.statement(kind), "r.device_key")
    }

    /// A row in the shard that the lane writes. No LOCK TABLE, which would go to all nodes; the
    /// UPDATE finds no row and takes the lock of `device_state` in that one shard. Citus allows no
    /// `now()` behind DO UPDATE.
    static let touch = "UPDATE sluice.device_state SET readings = readings WHERE device_key = $1"
    static let beat = """
        INSERT INTO sluice.shard_beat (device_key, node, lane, beat) VALUES ($1, $2, $3, now())
        ON CONFLICT (device_key, node, lane) DO UPDATE SET beat = excluded.beat
        """

    /// `$1` is the array of device keys in each of them.
    private static func narrowed(_ statement: String, _ column: String) -> String {
        guard let range = statement.ranges(of: "WHERE ").last else {
            preconditionFailure("BUG: a statement without WHERE")
        }
        let head = statement[..<range.upperBound]
        return "\(head)\(column) = ANY ($1) AND \(statement[range.upperBound...])"
    }
}
