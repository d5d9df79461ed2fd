package import Postgres
import Readings
import Synchronization

/// A kind of record that lanes write besides readings, such as a capture.
///
/// Its statement runs inside of the group's transaction, once for each kind and group:
/// - `$1` is a `text[]` of payloads. Payloads of one owner are in the order of their offers; owners
///   are in the same order for all writers. One array may repeat a payload, or hold two of the same
///   thing.
/// - It returns a row `(place int4, result text)` for each payload: its place in the array, from 1,
///   and the answer to its sender.
/// - It is idempotent: it may be called again for what it has written already, after an answer that
///   was lost, and from the spool.
/// - `$2` is a `timestamptz[]`: when this node received each payload. Such stamps rise strictly
///   within a process, also when the clock goes back.
/// - `$3` is a `boolean[]`: whether a payload is late. It is late if it comes from the spool, or if
///   its COMMIT was sent before and not answered: a newer version of the same thing may have been
///   acknowledged since. All others are live.
/// - **The version that was acknowledged last stays.** So a live payload replaces whatever is
///   stored, regardless of stamps: a client that sends versions one after the other waits for the
///   answer to the stored one. A late payload replaces only what has an older stamp. The stored
///   stamp becomes the greater of the two, even if the content is equal.
/// - This is exact between payloads of one process. A late payload is compared with those of other
///   nodes, and of the same node before a restart, by wall clocks: if the clocks of nodes differ,
///   or one is set back while the node is down, a late version may lose against one that is older
///   by less than the difference. Run NTP on all nodes.
///
/// A statement that only inserts may ignore `$2` and `$3`.
/// - It fails with class 22, 23, 54 or P0 for a payload that is to blame; the group is halved then,
///   until that one is alone and refused.
public struct UnitKind: Sendable, Hashable {
    /// Stands in the spool and in `sluice.unit_set_aside`: must not change between versions.
    public let name: String
    /// One SQL statement as above.
    package let statement: KeptStatement
    /// Whether the spool takes units that the database does not take. If not, they are unavailable.
    /// Units that are committed, or may be, go to the spool in any case.
    package let mayWaitInSpool: Bool

    /// - Parameters:
    ///   - name: not blank, and no other kind's.
    ///   - statement: such as `SELECT place, result FROM sluice.store_captures($1)`.
    ///   - mayWaitInSpool: false if units depend on something that does not outlast an outage.
    public init(name: String, statement: String, mayWaitInSpool: Bool = true) {
        precondition(!name.isEmpty, "BUG: a kind without a name")
        self.name = name
        self.mayWaitInSpool = mayWaitInSpool
        self.statement = KeptStatement(
            "unit", statement, types: [.textArray, .timestamptzArray, .boolArray])
    }
}
