/// Something that the model does wrong on purpose, to see whether the oracle notices.
package enum Sabotage: String, CaseIterable, Sendable {
    /// Transactions of one device no longer take turns.
    case claimsWithoutLock
    /// The claim takes the row of its key, whose ever it is.
    case claimsByKeyAlone
    /// Claims take the rows from the last to the first, some of the time.
    case claimsBackwards
    /// A watermark that was moved is forgotten by the commit.
    case forgetsWatermark
    /// One row of a COPY is not stored.
    case losesRow
    /// COMMIT is answered and does not happen.
    case answersWithoutCommit
    /// A COMMIT whose client is gone happens after its locks were given to others.
    case commitsWithoutLocks
    /// A COMMIT whose client is gone happens twice.
    case commitsTwice
    /// A transaction that is rolled back leaves its rows.
    case keepsRolledBackRows
    /// The disk says that bytes are durable which are not.
    case syncsNothing
    /// The disk says that names are durable which are not.
    case syncsNoNames
    /// Work given to a loop is dropped.
    case dropsWork
    /// A stored row comes back altered when it is read.
    case readsWrongRows
    /// One unit of a transaction is not recorded.
    case losesUnit
    /// A late version of a unit overwrites a newer one.
    case overwritesNewerUnits
    /// A live unit is compared by its stamp, as if it were late.
    case trustsClocks
    /// Units get each other's results.
    case swapsResults
    /// The claim does not say that a device tells something new.
    case hearsNothingNew
    /// A new session is as read-only, and knows as few prepared statements, as those before it.
    case keepsSickSessions
    /// The standby says that it has what it lacks.
    case standbyBoasts
    /// A 200 waits for no standby where it should.
    case answersBeforeStandbys
    /// Nobody hears that another server has taken over.
    case noticesNoFailover
    /// Answers wait for no more than the primary's word that commits wait for standbys.
    case believesSetting
    /// Of several standbys only the one that is furthest counts.
    case countsOnlyTheFastest
    /// A standby counts as long as it is connected.
    case forgetsWhoIsAway
    /// A slot whose standby has just connected does not count.
    case forgetsBusySlots
    /// A slot that is lost is not there.
    case forgetsLostSlots
    /// What an old primary says of its standbys counts for the new one.
    case trustsOldTimelines
    /// What is brought back after a failover begins above the point where the new history did.
    case replaysAboveTheBranch
    /// An answer is given twice.
    case deliversTwice

    package static var names: String {
        allCases.map(\.rawValue).joined(separator: ", ")
    }
}
