/// A state that the database enters for a while.
enum DatabaseCondition: CaseIterable {
    /// Killed: sessions and open transactions are lost, connections are refused.
    case down
    /// Killed and restarted at once.
    case restarting
    /// Stopped by a signal: it answers nothing and executes what was sent once it continues.
    case frozen
    /// New connections get no answer; existing sessions work.
    case unreachable
    case readOnly
    case diskFull
    /// Another client holds locks on the tables.
    case locked
    /// The role has lost its write privilege.
    case forbidden
    /// Partitions without rows are dropped.
    case withoutDays
    /// Days without rows, or the oldest ones with theirs, have left the tables. They return when the
    /// database recovers.
    case daysOut
    /// Terminates sessions, one at a time.
    case terminating
    /// A standby is promoted that lacks some commits. Needs a database with standbys.
    case failover

    /// The conditions that a database without standbys can have.
    static var ofOneServer: [DatabaseCondition] { allCases.filter { $0 != .failover } }
}
