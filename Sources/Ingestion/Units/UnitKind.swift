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
/// - **A payload from the spool may come after a later one of the same thing.** A payload must say
///   when it was received, and the statement must not let an older one overwrite a newer one.
/// - It fails with class 22, 23, 54 or P0 for a payload that is to blame; the group is halved then,
///   until that one is alone and refused.
public struct UnitKind: Sendable, Hashable {
    /// Stands in the spool and in `sluice.unit_set_aside`: kept as it is from version to version.
    public let name: String
    /// One SQL statement as above.
    public let statement: String

    /// - Parameters:
    ///   - name: not blank, and no other kind's.
    ///   - statement: such as `SELECT place, result FROM sluice.store_captures($1)`.
    public init(name: String, statement: String) {
        precondition(!name.isEmpty, "BUG: a kind without a name")
        self.name = name
        self.statement = statement
    }
}
