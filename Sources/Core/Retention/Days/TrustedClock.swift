import Glibc
import Postgres
import Readings

/// The database's time, as far as it can be trusted.
///
/// With a clock that is a year ahead, every day would be old enough to leave. So the clock must
/// be within ``differenceMax`` of this node's, and the trusted today is at most
/// ``RetentionConfiguration/quietDaysMax`` days after the newest day with a reading: if both
/// clocks are wrong, the devices' times show it. If no device sends any more, an operator who
/// checked the clock can confirm it.
struct TrustedClock {
    /// By the database's clock, in UTC.
    let today: Day
    /// The newest day with a reading in the tables; nil: there is none.
    let newest: Day?
    private let quietDaysMax: Int
    private let isVouchedFor: Bool

    private static let differenceMax: Duration = .seconds(3600)

    /// Complexity: one query per partition, newest first, until one has a row.
    ///
    /// - Parameters:
    ///   - nodeTime: seconds since 1970; nil: now.
    ///   - isVouchedFor: trusts the clock without readings.
    /// - Throws: ``ArchiveError/clocksDiffer(seconds:)``.
    init(
        _ configuration: RetentionConfiguration, on connection: Connection, nodeTime: Int? = nil,
        isVouchedFor: Bool = false
    ) throws {
        connection.deadline = .now + ArchiveSession.quick
        let now = try connection.query(
            """
            SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date,
                extract(epoch FROM clock_timestamp())::bigint
            """)
        let seconds = Int(now.int64(0, 1)) - (nodeTime ?? Int(time(nil)))
        guard .seconds(seconds.magnitude) <= Self.differenceMax else {
            throw ArchiveError.clocksDiffer(seconds: seconds)
        }
        today = Day(number: now.int32(0, 0))
        newest = try Self.newest(on: connection)
        quietDaysMax = configuration.quietDaysMax
        self.isVouchedFor = isVouchedFor
    }

    /// The date from which ages are counted; nil: no day leaves.
    var trustedToday: Day? {
        isVouchedFor ? today : newest.map { min(today, $0.before(days: -quietDaysMax)) }
    }

    /// How many seconds ``today`` is ahead of ``trustedToday``; 0 without readings.
    var doubtfulSeconds: Int64 {
        trustedToday.map { Int64(today.number - $0.number) * 86_400 } ?? 0
    }

    private static func newest(on connection: Connection) throws(PostgresError) -> Day? {
        let names = try connection.query(
            "SELECT DISTINCT name FROM sluice.day_partition WHERE NOT is_pending")
        let partitions = (0..<names.count).compactMap { DayPartition(name: names.string($0, 0)) }
        for partition in partitions.sorted().reversed() where !partition.kind.isRollup {
            connection.deadline = .now + ArchiveSession.quick
            let table = "sluice_partitions.\(ArchiveCatalog.quoted(partition.name))"
            do throws(PostgresError) {
                if try connection.query("SELECT EXISTS (SELECT 1 FROM \(table))").bool(0, 0) {
                    return try newest(in: partition, on: connection)
                }
            } catch {
                // A partition that can't be read: an older reading makes the clock trust less.
                guard error.kind == .refused, connection.isOpen else { throw error }
            }
        }
        return nil
    }

    /// Of several days of the partition, the one that the newest watermark tells; without one, the
    /// first.
    private static func newest(
        in partition: DayPartition, on connection: Connection
    ) throws(PostgresError) -> Day {
        guard try ArchiveCatalog.partitionDays(on: connection) > 1 else { return partition.day }
        let watermarks = ReadingKind.allCases.map { "\($0.name)_until" }.joined(separator: ", ")
        var parameters = Parameters()
        parameters.append(date: partition.day.number)
        let rows = try connection.query(
            """
            SELECT least(
                greatest((max(greatest(\(watermarks))) AT TIME ZONE 'UTC')::date, $1::date),
                $1::date + sluice.partition_days() - 1)
            FROM sluice.device_state
            """, parameters)
        return Day(number: rows.int32(0, 0))
    }
}
