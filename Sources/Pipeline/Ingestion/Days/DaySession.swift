package import Postgres
package import Readings

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

/// A day of one kind of readings.
package struct ReadingDay: Hashable {
    package let kind: ReadingKind
    /// Days since 2000-01-01.
    package let day: Int32

    package init(kind: ReadingKind, day: Int32) {
        self.kind = kind
        self.day = day
    }
}

/// The ``DaySession`` of a server; on Citus, of the coordinator.
final class PostgresDaySession: DaySession {
    private let connection: Connection
    private var parameters = Parameters()
    private var failing: FailingItems

    init(_ connection: Connection) throws(PostgresError) {
        self.connection = connection
        try Migrator.demandCurrent(on: connection)
        failing = try FailingItems(.days, on: connection)
    }

    var isOpen: Bool { connection.isOpen }
    var isOutdated: Bool { connection.isOutdated }

    var deadline: ContinuousClock.Instant {
        get { connection.deadline }
        set { connection.deadline = newValue }
    }

    func close() { connection.close() }

    func existingDays() throws(PostgresError) -> Set<Int32> {
        try Self.existingDays(on: connection)
    }

    static func existingDays(on connection: Connection) throws(PostgresError) -> Set<Int32> {
        let rows = try connection.query(
            """
            SELECT d.day - date '2000-01-01' FROM sluice.day_partition d WHERE NOT d.is_pending
            GROUP BY d.day HAVING count(DISTINCT d.kind) = \(DayTable.allCases.count)
            """)
        return Set((0..<rows.count).map { rows.int32($0, 0) })
    }

    func ensureDays(_ days: ClosedRange<Int32>) throws(PostgresError) -> Int {
        parameters.removeAll()
        parameters.append(date: days.lowerBound)
        parameters.append(date: days.upperBound)
        let rows = try connection.query("SELECT sluice.ensure_days($1, $2)", parameters)
        let tables = DayTable.allCases.count
        return (Int(rows.int32(0, 0)) + tables - 1) / tables
    }

    func daysThatLeft(among days: ClosedRange<Int32>) throws(PostgresError) -> Set<ReadingDay> {
        parameters.removeAll()
        parameters.append(int4s: Array(days))
        let rows = try connection.query(Self.daysThatLeft, parameters)
        var days: Set<ReadingDay> = []
        for row in 0..<rows.count {
            let name = rows.string(row, 0)
            for kind in ReadingKind.allCases where kind.name == name {
                days.insert(ReadingDay(kind: kind, day: rows.int32(row, 1)))
            }
        }
        return days
    }

    func noteFailure(of day: Int32, _ error: PostgresError) throws(PostgresError) {
        try failing.failed(Self.text(day), error, on: connection)
    }

    func noteSuccess(of days: ClosedRange<Int32>) throws(PostgresError) {
        for day in days { try failing.succeeded(Self.text(day), on: connection) }
    }

    private static func text(_ day: Int32) -> String {
        Timestamp(microseconds: Int64(day) * Timestamp.microsecondsPerDay).dayText
    }

    /// A kind is also missing when only the table of its sums is.
    private static let daysThatLeft = """
        SELECT DISTINCT replace(m.kind, '_rollup', ''), m.day - date '2000-01-01'
        FROM (SELECT date '2000-01-01' + n AS day FROM unnest($1) n) d,
            sluice.missing_days(d.day, d.day) m
        WHERE EXISTS (
            SELECT FROM sluice.missing_days(d.day, d.day) o WHERE sluice.is_out(o.kind, o.day)
        )
        """
}
