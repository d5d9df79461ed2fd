/// A state in which the database is for a while.
enum DatabaseCondition: CaseIterable {
    /// Killed: sessions and open transactions are gone, connections are refused.
    case down
    /// Killed and up again at once.
    case restarting
    /// Stopped by a signal: nothing is answered; what was sent is done later.
    case frozen
    /// Connections are not answered; sessions that there are go on.
    case unreachable
    case readOnly
    case diskFull
    /// Somebody holds the tables.
    case locked
    /// The right to write was taken away.
    case forbidden
    /// Partitions without rows are dropped.
    case withoutDays
    /// Days without rows have left the tables, and come back when the database recovers.
    case daysOut
    /// One session after the other is terminated.
    case terminating
    /// The standby is promoted, without the commits that it lacks. Only where there is one.
    case failover

    /// Those of a database without standbys.
    static var ofOneServer: [DatabaseCondition] { allCases.filter { $0 != .failover } }
}
