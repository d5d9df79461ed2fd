package import Postgres
import Readings

/// The ``DaySession`` of a server; on Citus, of the coordinator.
package final class PostgresDaySession: DaySession {
    private let connection: Connection
    private var parameters = Parameters()
    private var failing: FailingItems

    init(_ connection: Connection) throws(PostgresError) {
        self.connection = connection
        try Migrator.demandCurrent(on: connection)
        failing = try FailingItems(.days, on: connection)
    }

    package var isOpen: Bool { connection.isOpen }
    package var isOutdated: Bool { connection.isOutdated }

    package var deadline: ContinuousClock.Instant {
        get { connection.deadline }
        set { connection.deadline = newValue }
    }

    package func close() { connection.close() }

    package func existingDays() throws(PostgresError) -> Set<Int32> {
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

    package func ensureDays(_ days: ClosedRange<Int32>) throws(PostgresError) -> Int {
        parameters.removeAll()
        parameters.append(date: days.lowerBound)
        parameters.append(date: days.upperBound)
        let rows = try connection.query("SELECT sluice.ensure_days($1, $2)", parameters)
        let tables = DayTable.allCases.count
        return (Int(rows.int32(0, 0)) + tables - 1) / tables
    }

    package func daysThatLeft(among days: ClosedRange<Int32>) throws(PostgresError) -> Set<
        ReadingDay
    > {
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

    package func noteFailure(of day: Int32, _ error: PostgresError) throws(PostgresError) {
        try failing.failed(Self.text(day), error, on: connection)
    }

    package func noteSuccess(of days: ClosedRange<Int32>) throws(PostgresError) {
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
