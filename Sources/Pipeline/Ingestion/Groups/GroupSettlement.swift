import Postgres
import Readings
import Scanning

/// Settles a group: as a whole or, when PostgreSQL refuses something in it, in halves, down to the
/// rows and units that are to blame. Decides only; `commit` does the work, including retries.
///
/// Every parcel is tried, at the latest by itself, so one without a bad row is stored. A parcel
/// that is refused by itself is searched. Each search gets an equal share of the remaining splits,
/// so that one device's bad rows don't use up another's. What is refused when its share is used up
/// is quarantined unsearched. Its reason says so, and it can be requeued.
///
/// What can't be written though others can, as when its row is locked, is found in the same way,
/// unless it is known by name. It is not quarantined but left, and its sender is `blocked`. A parcel
/// that takes too long as a whole is written in pieces that grow, so that one reading tells whether
/// the size is the cause. `commit` limits the time of all this: after that it fails at once.
///
/// - Complexity: a split is two transactions. A group of `n` parcels and units is split fewer than
///   `n` times until each is by itself; its parcels are then split at most `splitsMax` times
///   together. So a constraint that refuses everything costs seconds per group.
struct GroupSettlement {
    typealias Commit = (Group) throws(GroupFailure) -> GroupResult

    private let commit: Commit
    /// Times something was split.
    private(set) var splits = 0
    /// Senders that were not written, though others can be.
    private(set) var blocked: Set<Sender> = []
    /// Senders of parcels that were written in pieces because of their size.
    private(set) var writtenInPieces: Set<Sender> = []
    /// Splits left to the search of the current parcel.
    private var share = 0
    /// Limits the splits of parcels in one group. Finding one bad row among 16 000 takes 14.
    static let splitsMax = 512

    init(_ commit: @escaping Commit) {
        self.commit = commit
    }

    /// - Returns: one outcome for each parcel and then one for each unit, in their order.
    mutating func settle(_ group: Group) -> [CommitOutcome] {
        let trials = attempt(group)
        var suspects = trials.count(where: \.isSuspect)
        var splitsLeft = Self.splitsMax
        var outcomes: [CommitOutcome] = []
        for trial in trials {
            switch trial {
            case .settled(let outcome): outcomes.append(outcome)
            case .suspect(let entry), .tooLarge(let entry):
                let given = splitsLeft / suspects
                share = given
                outcomes.append(trial.isTooLarge ? writeInPieces(entry) : search(entry))
                splitsLeft -= given - share
                suspects -= 1
            }
        }
        return outcomes
    }

    // MARK: Down to parcels and units

    /// What became of a parcel or unit.
    private enum Trial {
        case settled(CommitOutcome)
        /// Was refused by itself, and one of its rows may be to blame.
        case suspect(ReceivedParcel)
        /// Could not be written by itself, and its size may be the cause.
        case tooLarge(ReceivedParcel)

        var isSuspect: Bool {
            if case .settled = self { false } else { true }
        }

        var isTooLarge: Bool {
            if case .tooLarge = self { true } else { false }
        }

        /// Neither the database nor anything else is to blame that is known.
        static var unavailable: Trial { .settled(.unavailable(retryAfter: .seconds(1))) }
    }

    /// Leaves out senders that were found to be blocked.
    private mutating func attempt(_ group: Group) -> [Trial] {
        guard !blocked.isEmpty else { return attemptAll(group) }
        let areOut =
            group.parcels.map { blocked.contains(Sender($0)) }
            + group.units.map { blocked.contains(Sender($0)) }
        guard areOut.contains(true) else { return attemptAll(group) }
        let others = Group(
            parcels: zip(group.parcels, areOut).filter { !$1 }.map(\.0),
            units: zip(group.units, areOut[group.parcels.count...]).filter { !$1 }.map(\.0))
        var tried = (others.count > 0 ? attemptAll(others) : [])[...]
        return areOut.map { $0 ? .unavailable : tried.removeFirst() }
    }

    private mutating func attemptAll(_ group: Group) -> [Trial] {
        do throws(GroupFailure) {
            return try commit(group).outcomes(of: group).map(Trial.settled)
        } catch {
            if error.isOfMembers { return attempt(group, without: error) }
            let error = error.error
            switch error.failureClass {
            case .poison where group.count > 1:
                return attempt(group.halves())
            case .poison:
                return [attemptPoisoned(group, error)]
            case .partitionMissing where group.units.isEmpty, .retry:
                return [Trial](repeating: .unavailable, count: group.count)
            case .partitionMissing, .stop:
                // A kind's faulty statement must not block readings, nor the reverse.
                if let parts = group.parted() { return attempt(parts) }
                if let places = group.placesByKind() { return attempt(group.units, places) }
                let outcome = CommitOutcome.refused(sqlState: Self.code(error))
                return [Trial](repeating: .settled(outcome), count: group.count)
            }
        }
    }

    /// Handles one parcel or unit that was refused by itself.
    private mutating func attemptPoisoned(_ group: Group, _ error: PostgresError) -> Trial {
        if let unit = group.units.first { return attemptRefused(unit, error) }
        let entry = group.parcels[0]
        if entry.parcel.rowCount > 0 { return .suspect(entry) }
        // Not its rows, then, but the device, its attributes or its quarantined readings.
        return .settled(.refused(sqlState: Self.code(error)))
    }

    // MARK: Without those that can't be written now

    /// Goes on without what is to blame: the devices that are known, or what is found by splitting.
    private mutating func attempt(_ given: Group, without failure: GroupFailure) -> [Trial] {
        let group = failure.isInDoubt ? given.late() : given
        let known = group.parcels.filter { failure.devices.contains($0.parcel.key.value) }
        if !known.isEmpty {
            splits += 1
            for parcel in known { blocked.insert(Sender(parcel)) }
            return attempt(group)
        }
        if let parts = group.parted() { return attempt(parts) }
        if group.count > 1 { return attempt(group.halves()) }
        let error = failure.error
        switch error.classOfOne {
        case .poison: return [attemptPoisoned(group, error)]
        case .stop: return [.settled(.refused(sqlState: Self.code(error)))]
        case .retry, .partitionMissing, nil: break
        }
        if let entry = group.parcels.first, error.mayBeOfSize, entry.parcel.rowCount > 1 {
            return [.tooLarge(entry)]
        }
        for parcel in group.parcels { blocked.insert(Sender(parcel)) }
        for unit in group.units { blocked.insert(Sender(unit)) }
        return [.unavailable]
    }

    /// Writes a parcel piece by piece, the smallest first. Ends at the first that can't be written.
    private mutating func writeInPieces(_ entry: ReceivedParcel) -> CommitOutcome {
        var sum = CommitOutcome.committed(stored: 0, duplicates: 0, quarantined: 0)
        var pieces = cut(entry)
        while !pieces.isEmpty {
            let piece = pieces.removeFirst()
            switch attempt(Group(parcels: [piece]))[0] {
            case .settled(let outcome): sum = Self.sum(sum, outcome)
            case .suspect(let piece): sum = Self.sum(sum, search(piece))
            case .tooLarge(let piece): pieces = cut(piece) + pieces
            }
            guard sum.isCommitted else { return sum }
        }
        writtenInPieces.insert(Sender(entry))
        return sum
    }

    /// Pieces of one row, one, two, four … and half of the rows.
    private mutating func cut(_ entry: ReceivedParcel) -> [ReceivedParcel] {
        var pieces: [ReceivedParcel] = []
        var rest = entry
        while let (first, second) = rest.parcel.halves() {
            pieces.append(entry.with(second))
            rest = entry.with(first)
        }
        splits += 1
        return [rest] + pieces.reversed()
    }

    private mutating func attempt(_ parts: (Group, Group)) -> [Trial] {
        splits += 1
        return attempt(parts.0) + attempt(parts.1)
    }

    /// Kind by kind.
    private mutating func attempt(_ units: [ReceivedUnit], _ places: [[Int]]) -> [Trial] {
        splits += 1
        var trials = [Trial?](repeating: nil, count: units.count)
        for places in places {
            let tried = attempt(Group(units: places.map { units[$0] }))
            for (place, trial) in zip(places, tried) { trials[place] = trial }
        }
        return trials.map { trial in
            guard let trial else { preconditionFailure("BUG: a unit of no kind") }
            return trial
        }
    }

    /// Handles a unit that was refused by itself: a live one is refused, a replayed one is
    /// rejected.
    private mutating func attemptRefused(_ unit: ReceivedUnit, _ error: PostgresError) -> Trial {
        guard unit.isReplayed, unit.refusal == nil else {
            return .settled(.refused(sqlState: Self.code(error)))
        }
        let refusal = UnitRefusal(
            reason: .refusedByDatabase, sqlState: error.sqlState?.description)
        return attempt(Group(units: [unit.refused(refusal)]))[0]
    }

    // MARK: Down to rows

    /// Stores what it can of a parcel that was refused by itself, and quarantines the rest in one
    /// transaction.
    private mutating func search(_ entry: ReceivedParcel) -> CommitOutcome {
        var aside: [ReceivedParcel] = []
        var sum = search(entry, &aside)
        guard !aside.isEmpty else { return sum }
        for trial in attempt(Group(parcels: aside)) {
            guard case .settled(let outcome) = trial else {
                preconditionFailure("BUG: what was set aside has rows")
            }
            sum = Self.sum(sum, outcome)
        }
        return sum
    }

    /// - Parameter aside: receives the refused parts, with their rows quarantined.
    private mutating func search(
        _ entry: ReceivedParcel, _ aside: inout [ReceivedParcel]
    ) -> CommitOutcome {
        var sum = CommitOutcome.committed(stored: 0, duplicates: 0, quarantined: 0)
        guard share > 0, let (first, second) = entry.parcel.halves() else {
            let isAlone = entry.parcel.rowCount == 1
            let reason = isAlone ? QuarantineReason.refusedByDatabase : .refusedWithOthers
            aside.append(entry.with(entry.parcel.settingAsideAll(reason)))
            return sum
        }
        share -= 1
        splits += 1
        for half in [first, second] {
            switch attempt(Group(parcels: [entry.with(half)]))[0] {
            case .settled(let outcome): sum = Self.sum(sum, outcome)
            case .suspect(let half): sum = Self.sum(sum, search(half, &aside))
            case .tooLarge(let half): sum = Self.sum(sum, writeInPieces(half))
            }
        }
        return sum
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
