package import Postgres

/// A kind of record that lanes write besides readings, such as a capture.
///
/// Its statement runs inside of the group's transaction, once for each kind and group:
/// - `$1` is a `text[]` of payloads. Payloads of one owner stand in the order in which they were
///   offered, owners in an order that is the same for all who write. The same payload, and two of
///   the same thing, may be in one array.
/// - It returns a row `(place int4, result text)` for each payload: its place in the array from 1
///   on, and what is to be told to whoever offered it.
/// - It may be called again for what it has written already: after an answer that was lost, and
///   from the spool. So it is idempotent.
/// - `$2` is a `timestamptz[]`: when this node received each payload. Such stamps rise strictly within
///   a process, also when the clock goes back.
/// - `$3` is a `boolean[]`: whether a payload is late, which is one from the spool and one whose COMMIT
///   was sent before and not answered. A newer version of the same thing may have been acknowledged
///   since. All others are live.
/// - **The version that was acknowledged last stays.** So a live payload replaces whatever is stored,
///   whatever the stamps say: a client that sends versions one after the other sends it after the
///   answer to the stored one. A late payload replaces only what has an older stamp. The stored stamp
///   becomes the greater of the two, also where the content is equal.
/// - This is exact between payloads of one process. A late payload is compared with those of other
///   nodes, and of the same node before a restart, by wall clocks: if the clocks of nodes differ, or
///   one is set back while the node is down, a late version may lose against one that is older by less
///   than the difference. Run NTP on all nodes.
///
/// A statement that only inserts may ignore `$2` and `$3`.
/// - It fails with class 22, 23, 54 or P0 for a payload that is to blame; the group is halved then,
///   until that one is alone and refused.
public struct UnitKind: Sendable, Hashable {
    /// Stands in the spool and in `sluice.unit_set_aside`: kept as it is from version to version.
    public let name: String
    /// One SQL statement as above.
    package let statement: KeptStatement

    /// - Parameters:
    ///   - name: not blank, and no other kind's.
    ///   - statement: such as `SELECT place, result FROM sluice.store_captures($1)`.
    public init(name: String, statement: String) {
        precondition(!name.isEmpty, "BUG: a kind without a name")
        self.name = name
        self.statement = KeptStatement(
            "unit", statement, types: [.textArray, .timestamptzArray, .boolArray])
    }
}
