import Postgres
import Readings
import Scanning

/// Gets a group settled: as a whole, or, when PostgreSQL refuses something in it, in halves, down to
/// the rows and units that are to blame. Decides only; `commit` does it, retries included.
struct GroupSettlement {
    typealias Commit = (Group) throws(PostgresError) -> GroupResult

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

    /// - Returns: one outcome for each parcel and then one for each unit, in their order.
    mutating func settle(_ group: Group) -> [CommitOutcome] {
        do throws(PostgresError) {
            return try commit(group).outcomes(of: group)
        } catch {
            switch error.failureClass {
            case .poison where group.count > 1:
                return settle(group.halves())
            case .poison:
                if let unit = group.units.first { return [settleRefused(unit, error)] }
                return [settleRefused(group.parcels[0], error)]
            case .retry:
                let outcome = CommitOutcome.unavailable(retryAfter: .seconds(1))
                return [CommitOutcome](repeating: outcome, count: group.count)
            case .partitionMissing, .stop:
                // What is wrong with a kind's statement must not cost readings, nor the reverse.
                if let parts = group.parted() { return settle(parts) }
                if let places = group.placesByKind() { return settle(group.units, places) }
                let outcome = CommitOutcome.refused(sqlState: Self.code(error))
                return [CommitOutcome](repeating: outcome, count: group.count)
            }
        }
    }

    private mutating func settle(_ parts: (Group, Group)) -> [CommitOutcome] {
        splits += 1
        return settle(parts.0) + settle(parts.1)
    }

    /// Kind by kind.
    private mutating func settle(_ units: [GroupUnit], _ places: [[Int]]) -> [CommitOutcome] {
        splits += 1
        var outcomes = [CommitOutcome?](repeating: nil, count: units.count)
        for places in places {
            let settled = settle(Group(units: places.map { units[$0] }))
            for (place, outcome) in zip(places, settled) { outcomes[place] = outcome }
        }
        return outcomes.map { outcome in
            guard let outcome else { preconditionFailure("BUG: a unit of no kind") }
            return outcome
        }
    }

    /// A unit that was refused by itself. Who sent it is told, if that is still possible.
    private mutating func settleRefused(
        _ unit: GroupUnit, _ error: PostgresError
    ) -> CommitOutcome {
        guard unit.isReplayed, unit.refusal == nil else {
            return .refused(sqlState: Self.code(error))
        }
        let refusal = UnitRefusal(
            reason: .refusedByDatabase, sqlState: error.sqlState?.description)
        return settle(Group(units: [unit.refused(refusal)]))[0]
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
                settle(Group(parcels: [entry.with($0)]))[0]
            }
            return Self.sum(outcomes[0], outcomes[1])
        }
        found += 1
        let setAside = entry.parcel.settingAsideAll(Self.reason(error))
        return settle(Group(parcels: [entry.with(setAside)]))[0]
    }

    /// `sluice.ensure_days` refuses a day that left the tables with its own code.
    private static func reason(_ error: PostgresError) -> QuarantineReason {
        error.sqlState == "22008" ? .timeTooOld : .refusedByDatabase
    }

    private static func code(_ error: PostgresError) -> String {
        error.sqlState?.description ?? error.kind.rawValue
    }

    private static func sum(_ left: CommitOutcome, _ right: CommitOutcome) -> CommitOutcome {
        guard case .committed(let stored, let duplicates, let quarantined, let refusals) = left
        else { return left }
        guard
            case .committed(
                let moreStored, let moreDuplicates, let moreQuarantined, let moreRefusals) = right
        else { return right }
        return .committed(
            stored: stored + moreStored, duplicates: duplicates + moreDuplicates,
            quarantined: quarantined + moreQuarantined, refusals: refusals + moreRefusals)
    }
}
