package import Postgres
import Readings

/// A session that makes partitions: ``PostgresDaySession``, or the simulation's model. Only the
/// ``DayMaker`` uses it, on its loop.
package protocol DaySession: AnyObject {
    /// False once the connection is known to be lost.
    var isOpen: Bool { get }
    /// Another server has taken over since it was opened.
    var isOutdated: Bool { get }
    /// When the current call times out and the connection is closed.
    var deadline: ContinuousClock.Instant { get set }

    /// The days that have all of their partitions, counted from 2000-01-01.
    func existingDays() throws(PostgresError) -> Set<Int32>
    /// Makes the missing partitions of these days, in one transaction.
    ///
    /// - Returns: the new partitions, counted in sets of one for each table, rounded up.
    func ensureDays(_ days: ClosedRange<Int32>) throws(PostgresError) -> Int
    /// The days that ``ensureDays(_:)`` refuses, with the kinds that have no partition.
    func daysThatLeft(among days: ClosedRange<Int32>) throws(PostgresError) -> Set<ReadingDay>
    /// Keeps for operators that a day can't be made.
    func noteFailure(of day: Int32, _ error: PostgresError) throws(PostgresError)
    /// Days were made, perhaps some that had failed.
    func noteSuccess(of days: ClosedRange<Int32>) throws(PostgresError)
    func close()
}

extension DaySession {
    /// There is one server only.
    package var isOutdated: Bool { false }

    /// There is no operator.
    package func noteFailure(of day: Int32, _ error: PostgresError) {}
    /// There is no operator.
    package func noteSuccess(of days: ClosedRange<Int32>) {}
}
