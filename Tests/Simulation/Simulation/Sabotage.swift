/// A fault in the model itself, made on purpose to see whether the oracle notices it.
package enum Sabotage: String, CaseIterable, Sendable {
    /// Transactions of one device don't exclude each other.
    case claimsWithoutLock
    /// A claim takes the row with its key, even if it belongs to another device.
    case claimsByKeyAlone
    /// Some claims do not tell of the other users of a device.
    case forgetsUsers
    /// Transactions that register the first users of a device id don't wait for each other.
    case registersApart
    /// Some claims lock their rows in reverse order.
    case claimsBackwards
    /// A commit forgets a moved watermark.
    case forgetsWatermark
    /// One row of a COPY is not stored.
    case losesRow
    /// COMMIT is answered but not executed.
    case answersWithoutCommit
    /// A COMMIT whose client is gone is executed after its locks were released.
    case commitsWithoutLocks
    /// A COMMIT whose client is gone is executed twice.
    case commitsTwice
    /// A transaction that is rolled back leaves its rows.
    case keepsRolledBackRows
    /// A file sync succeeds without making bytes durable.
    case syncsNothing
    /// A directory sync succeeds without making names durable.
    case syncsNoNames
    /// Work given to a loop is dropped.
    case dropsWork
    /// A stored row is read back altered.
    case readsWrongRows
    /// A name of a metric gets the code of another metric.
    case swapsCodes
    /// One unit of a transaction is not recorded.
    case losesUnit
    /// A late version of a unit overwrites a newer one.
    case overwritesNewerUnits
    /// A live unit is compared by its stamp, as if it were late.
    case trustsClocks
    /// Units get each other's results.
    case swapsResults
    /// The claim does not report that a device has new attributes.
    case hearsNothingNew
    /// A new session inherits the faults of closed sessions: it is read-only or has lost its
    /// prepared statements.
    case keepsSickSessions
    /// A standby reports commits that it does not have.
    case standbyBoasts
    /// A 200 does not wait for standbys where it should.
    case answersBeforeStandbys
    /// No process notices that a standby was promoted.
    case noticesNoFailover
    /// Answers wait only until the primary's setting says that commits wait for standbys.
    case believesSetting
    /// Of several standbys, only the most advanced one counts.
    case countsOnlyTheFastest
    /// A standby counts only as long as it is connected.
    case forgetsWhoIsAway
    /// A slot whose standby has just connected does not count.
    case forgetsBusySlots
    /// A lost slot is treated as absent.
    case forgetsLostSlots
    /// The old primary's report of its standbys counts for the new primary.
    case trustsOldTimelines
    /// After a failover, the replay begins above the position where the new history began.
    case replaysAboveTheBranch
    /// A row that an operator has locked stops the claims of all other rows too.
    case locksNeighbours
    /// While an operator blocks one sender, nobody is named as locked, and heartbeats fail: every wait
    /// seems to concern everybody.
    case blamesEverybody
    /// An answer is delivered twice.
    case deliversTwice

    package static var names: String {
        allCases.map(\.rawValue).joined(separator: ", ")
    }
}
