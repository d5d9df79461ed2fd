package import Postgres
package import Readings
package import Scanning

/// A lane's session with the database, with the steps of a group's transaction.
///
/// Implemented by ``PostgresSession`` and by the simulation's model. Only one lane uses it, on its
/// loop.
package protocol GroupSession: AnyObject {
    /// False once the connection is known to be lost.
    var isOpen: Bool { get }
    /// Another server has taken over since it was opened: it must not be written to.
    var isOutdated: Bool { get }
    /// When the current attempt times out and the connection is closed.
    var deadline: ContinuousClock.Instant { get set }
    /// For the log: which backend it talks to.
    var name: String { get }
    /// Times of the last transaction, except ``GroupTimes/sift``.
    var times: GroupTimes { get }

    /// Whether an idle connection still lives; sends nothing.
    func probe() -> Bool
    /// Proves that rows can be written at this moment: takes the locks that a group takes and
    /// commits something small.
    func beat(node: String, lane: Int) throws(PostgresError)
    func close()

    /// Those of these days that lack a partition. Asked when a COPY found none.
    func missingDays(among days: Set<Int32>) throws(PostgresError) -> Set<Int32>

    /// Begins, locks the devices' rows, moves their watermarks and adds the old ones to `holdings`
    /// by device key. A device that is not registered has no entry, nor has one whose key belongs
    /// to another: its claim changes nothing.
    func begin(claiming claims: [Claim], into holdings: inout [Int64: Holding])
        throws(PostgresError)
    /// The same, after creating the rows of new devices; existing rows stay as they are.
    func begin(
        registering missing: [Claim], claiming claims: [Claim],
        into holdings: inout [Int64: Holding]
    ) throws(PostgresError)
    /// Those of these devices whose rows another transaction has locked at this moment. Waits for
    /// none of them. Called outside of a transaction.
    func locked(among keys: [Int64]) throws(PostgresError) -> Set<Int64>
    /// The `key_check` of each of these keys that has a row; locks nothing.
    func owners(of keys: [Int64]) throws(PostgresError) -> [Int64: Int64]
    /// Adds the stored rows of `kind` in `spans` to `set`, as tuples.
    func read(_ kind: ReadingKind, in spans: [Sifting.Span], into set: inout TupleSet)
        throws(PostgresError)
    /// Subtracts what the claim has counted too much.
    func subtract(_ corrections: [CountCorrection]) throws(PostgresError)
    /// Notes late readings, for devices whose rows the claim has locked.
    func note(_ lateReadings: [LateReadings]) throws(PostgresError)
    func updateAttributes(_ claims: [Claim]) throws(PostgresError)
    func quarantine(_ readings: [GroupQuarantined]) throws(PostgresError)
    /// Calls the statement of `kind`, which is that of all these units.
    ///
    /// - Parameter begins: no transaction is open yet; it sends BEGIN first.
    /// - Returns: its results, in the order of the units.
    func record(
        _ kind: UnitKind, _ units: [ReceivedUnit], begins: Bool
    ) throws(PostgresError) -> [String]
    /// Stores rejected units in `sluice.unit_set_aside`.
    func setAside(_ units: [ReceivedUnit], begins: Bool) throws(PostgresError)
    /// Copies the rows, notes their hours as due and commits. After a lost connection it is unknown
    /// whether that happened.
    func copyAndCommit(_ copies: [GroupCopy], _ due: DueHours) throws(PostgresError)
    func rollback() throws(PostgresError)
}

extension GroupSession {
    /// Nothing is known.
    package var times: GroupTimes { GroupTimes() }
    /// There is one server only.
    package var isOutdated: Bool { false }
}

/// Readings that the claim counted but the group does not store.
package struct CountCorrection {
    package let deviceKey: Int64
    package let readings: Int64
}

/// One reading on its way to the quarantine.
package struct GroupQuarantined {
    package let deviceKey: Int64
    package let deviceID: String
    package let keyName: String
    package let receivedAt: Timestamp
    package let reading: QuarantinedReading
}

/// The rows of one kind that a group stores.
package struct GroupCopy {
    package let kind: ReadingKind
    /// Each parcel with what is to be written of it.
    package let parts: [(parcel: Parcel, verdict: Sifting.Verdict)]

    /// Calls `body` with each run of whole tuples.
    package func forEachRun(
        _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        for part in parts {
            var failure: PostgresError?
            part.parcel.withRows(of: kind) { rows in
                let tuples = rows.tuples.bytes
                do throws(PostgresError) {
                    switch part.verdict {
                    case .all:
                        if tuples.count > 0 { try body(tuples) }
                    case .some(let ranges, _):
                        for range in ranges {
                            try body(UnsafeRawBufferPointer(rebasing: tuples[range]))
                        }
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }
}
