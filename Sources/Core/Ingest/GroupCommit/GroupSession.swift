package import Postgres
package import Readings
package import Scanner

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
    func heartbeat(node: String, lane: Int) throws(PostgresError)
    func close()

    /// Those of these days that lack a partition. Asked when a COPY found none.
    func missingDays(among days: Set<Int32>) throws(PostgresError) -> Set<Int32>

    /// The codes of names of metrics, which are given by the name of the API key that brings them;
    /// those that get none are left out. Called outside of a transaction; new codes are committed at
    /// once. One round trip.
    func codes(of names: [String: Set<String>]) throws(PostgresError) -> [String: Int16]

    /// Begins; a transaction that is open is rolled back first. One round trip.
    ///
    /// Creates the rows of new devices; existing rows stay as they are, but learn of new users of
    /// their device id. Locks the rows of all claims and siblings in key order, moves the claims'
    /// watermarks and returns the old ones.
    func begin(_ request: Claim.Request) throws(PostgresError) -> Claim.Found
    /// The keys of those that can't be written at this moment because another transaction has
    /// locked their row, or one of another user of their device id. Waits for none of them. Called
    /// outside of a transaction.
    func locked(among deviceBatches: [DeviceBatch]) throws(PostgresError) -> Set<Int64>
    /// The `key_check` of each of these keys that has a row; locks nothing.
    func owners(of keys: [Int64]) throws(PostgresError) -> [Int64: Int64]
    /// Adds the stored rows of each kind in its spans to its set, as tuples with the spans'
    /// ``Deduplication/Span/comparedKey``. One round trip.
    func read(
        _ spans: ByKind<[Deduplication.Span]>, into sets: inout ByKind<TupleSet>
    ) throws(PostgresError)
    /// Calls the statement of `kind`, which is that of all these units.
    ///
    /// - Parameter begins: no transaction is open yet; it sends BEGIN first.
    /// - Returns: its results, in the order of the units.
    func record(
        _ kind: UnitKind, _ units: [ReceivedUnit], begins: Bool
    ) throws(PostgresError) -> [String]
    /// Stores rejected units in `sluice.unit_set_aside`.
    func setAside(_ units: [ReceivedUnit], begins: Bool) throws(PostgresError)
    /// Writes the changes and commits: one round trip, and for many rows one more for each kind.
    /// After a lost connection it is unknown whether that happened.
    func commit(_ changes: GroupChanges) throws(PostgresError)
    func rollback() throws(PostgresError)
}

extension GroupSession {
    /// Nothing is known.
    package var times: GroupTimes { GroupTimes() }
    /// There is one server only.
    package var isOutdated: Bool { false }
}
