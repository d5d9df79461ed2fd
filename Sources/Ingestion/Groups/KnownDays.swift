import Postgres
import Readings
import Scanning

/// The days that have partitions, as far as this writer knows; makes the ones that are missing
/// before a group needs them.
///
/// Made in a transaction of its own: the lock it takes must not be held during COPY. When somebody
/// drops a partition meanwhile, the COPY fails with "partition missing", this forgets everything,
/// and the group is tried again.
///
/// A day that left the tables stays out. What a group has of one is named, to be set aside; the other
/// days of the group are made all the same.
struct KnownDays {
    /// Days since 2000-01-01.
    private var known: Set<Int32> = []

    mutating func forget() {
        known.removeAll()
    }

    /// - Returns: days of the group that have no partition and get none.
    mutating func ensure(
        _ group: [GroupEntry], _ session: some GroupSession
    ) throws(PostgresError) -> Set<ReadingDay> {
        var missing = self.missing(in: group)
        var left: Set<ReadingDay> = []
        while !missing.isEmpty {
            do throws(PostgresError) {
                for run in Self.runs(missing) { try session.ensureDays(run) }
                known.formUnion(missing)
                return left
            } catch {
                guard error.sqlState == Self.dayLeft else { throw error }
                let found = try session.daysThatLeft(among: missing)
                // Brought back in between: as with any refusal, smaller groups come next.
                guard !found.isEmpty else { throw error }
                left.formUnion(found)
                // A table that has its partition needs none made, whatever the others lack.
                missing.subtract(found.map(\.day))
            }
        }
        return left
    }

    /// `sluice.ensure_days` refuses a day that left the tables with this code.
    private static let dayLeft: SQLState = "22008"

    private func missing(in group: [GroupEntry]) -> Set<Int32> {
        var missing: Set<Int32> = []
        for parcel in group.lazy.map(\.parcel) {
            for kind in ReadingKind.allCases {
                let rows = parcel.summary(of: kind)
                guard rows.count > 0 else { continue }
                let first = Timestamp(microseconds: rows.first).day
                let last = Timestamp(microseconds: rows.last).day
                if first == last {
                    if !known.contains(first) { missing.insert(first) }
                } else {
                    let days = parcel.withRows(of: kind) { Self.days(in: $0.tuples.bytes) }
                    missing.formUnion(days.subtracting(known))
                }
            }
        }
        return missing
    }

    private static func days(in tuples: UnsafeRawBufferPointer) -> Set<Int32> {
        var days: Set<Int32> = []
        var latest: Int32?
        var start = 0
        while start < tuples.count {
            let day = Timestamp(microseconds: TupleBuffer.time(in: tuples, at: start)).day
            if day != latest {
                days.insert(day)
                latest = day
            }
            start = TupleBuffer.tupleEnd(in: tuples, at: start)
        }
        return days
    }

    /// Neighbouring days, so that a month is one call.
    static func runs(_ days: Set<Int32>) -> [ClosedRange<Int32>] {
        var runs: [ClosedRange<Int32>] = []
        for day in days.sorted() {
            if let last = runs.last, last.upperBound + 1 == day {
                runs[runs.count - 1] = last.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs
    }
}
