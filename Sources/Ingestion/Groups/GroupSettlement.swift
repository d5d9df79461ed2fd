import Postgres
import Readings
import Scanning

/// Gets a group settled: as a whole, or, when PostgreSQL refuses something in it, in halves, down to
/// the rows that are to blame. Decides only; `commit` does it, retries included.
struct GroupSettlement {
    typealias Commit = ([GroupEntry]) throws(PostgresError) -> [GroupCounts]

    private let commit: Commit
    /// Times something was split.
    private(set) var splits = 0
    /// Rows found one by one so far in this group. A constraint that refuses everything must not
    /// cost two transactions a row for hours: beyond the limit a refused half goes to
    /// quarantine as it is, where nothing is lost.
    private var found = 0
    static let foundMax = 64

    init(_ commit: @escaping Commit) {
        self.commit = commit
    }

    /// - Returns: one outcome for each entry, in their order.
    mutating func settle(_ entries: [GroupEntry]) -> [CommitOutcome] {
        do throws(PostgresError) {
            return try commit(entries).map { counts in
                .committed(
                    stored: counts.stored, duplicates: counts.duplicates,
                    quarantined: counts.quarantined)
            }
        } catch {
            switch error.failureClass {
            case .poison where entries.count > 1:
                splits += 1
                let middle = entries.count / 2
                return settle(Array(entries[..<middle])) + settle(Array(entries[middle...]))
            case .poison:
                return [settleRefused(entries[0], error)]
            case .retry:
                let outcome = CommitOutcome.unavailable(retryAfter: .seconds(1))
                return entries.map { _ in outcome }
            case .partitionMissing, .stop:
                let outcome = CommitOutcome.refused(sqlState: Self.code(error))
                return entries.map { _ in outcome }
            }
        }
    }

    /// A parcel that was refused by itself.
    private mutating func settleRefused(
        _ entry: GroupEntry, _ error: PostgresError
    ) -> CommitOutcome {
        // Not its rows, then: the device, its attributes or what it had set aside.
        guard entry.parcel.rowCount > 0 else { return .refused(sqlState: Self.code(error)) }
        if found < Self.foundMax, let (first, second) = entry.parcel.halves() {
            splits += 1
            let outcomes = [first, second].map {
                settle([entry.with($0)])[0]
            }
            return Self.sum(outcomes[0], outcomes[1])
        }
        found += 1
        let setAside = entry.parcel.settingAsideAll(.refusedByDatabase)
        return settle([entry.with(setAside)])[0]
    }

    private static func code(_ error: PostgresError) -> String {
        error.sqlState?.description ?? error.kind.rawValue
    }

    private static func sum(_ left: CommitOutcome, _ right: CommitOutcome) -> CommitOutcome {
        guard case .committed(let stored, let duplicates, let quarantined) = left else {
            return left
        }
        guard case .committed(let moreStored, let moreDuplicates, let moreQuarantined) = right
        else { return right }
        return .committed(
            stored: stored + moreStored, duplicates: duplicates + moreDuplicates,
            quarantined: quarantined + moreQuarantined)
    }
}
