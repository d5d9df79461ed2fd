import Postgres
import Readings
import Scanner

/// Settles a group: as a whole or, when PostgreSQL refuses something in it, in halves, down to the
/// rows and units that are to blame. Decides only; `commit` does the work, including retries.
///
/// Every device batch is tried, at the latest by itself, so one without a bad row is stored. A
/// device batch that is refused by itself is searched. Each search gets an equal share of the
/// remaining splits, so that one device's bad rows don't use up another's. What is refused when its
/// share is used up is quarantined unsearched. Its reason says so, and it can be requeued.
///
/// What can't be written though others can, as when its row is locked, is found in the same way,
/// unless it is known by name. It is not quarantined but left, and its sender is `blocked`. A
/// device batch that takes too long as a whole is written in pieces that grow, so that one reading
/// tells whether the size is the cause. `commit` limits the time of all this: after that it fails
/// at once.
///
/// - Complexity: a split is two transactions. A group of `n` deviceBatches and units is split fewer
///   than `n` times until each is by itself; its deviceBatches are then split at most `splitsMax`
///   times together. So a constraint that refuses everything costs seconds per group.
struct GroupSettlement {
    typealias Commit = (Group) throws(Group.Failure) -> Group.Result

    private let commit: Commit
    private let known: Set<Sender>
    /// Times something was split.
    private(set) var splits = 0
    /// Senders that were not written, though others can be.
    private(set) var blocked: Set<Sender> = []
    /// Senders of device batches that were written in pieces because of their size.
    private(set) var writtenInPieces: Set<Sender> = []
    /// Splits left to the search of the current device batch.
    private var share = 0
    /// Limits the splits of device batches in one group. Finding one bad row among 16 000 takes 14.
    static let splitsMax = 512

    /// - Parameter known: senders that can't be written now and are left out.
    init(known: Set<Sender> = [], _ commit: @escaping Commit) {
        self.known = known
        self.commit = commit
    }

    mutating func settle(_ group: Group) -> Outcomes {
        let trials = attempt(group)
        var suspects = trials.deviceBatches.count(where: \.isSuspect)
        var splitsLeft = Self.splitsMax
        var outcomes = Outcomes(units: trials.units)
        for trial in trials.deviceBatches {
            switch trial {
            case .settled(let outcome): outcomes.deviceBatches.append(outcome)
            case .suspect(let entry), .tooLarge(let entry):
                let given = splitsLeft / suspects
                share = given
                outcomes.deviceBatches.append(
                    trial.isTooLarge ? writeInPieces(entry) : search(entry))
                splitsLeft -= given - share
                suspects -= 1
            }
        }
        return outcomes
    }

    // MARK: Down to device batches and units

    /// What became of a device batch.
    private enum Trial {
        case settled(BatchOutcome)
        /// Was refused by itself, and one of its rows may be to blame.
        case suspect(ReceivedDeviceBatch)
        /// Could not be written by itself, and its size may be the cause.
        case tooLarge(ReceivedDeviceBatch)

        var isSuspect: Bool {
            if case .settled = self { false } else { true }
        }

        var isTooLarge: Bool {
            if case .tooLarge = self { true } else { false }
        }
    }

    /// What became of a group.
    private struct Trials {
        var deviceBatches: [Trial] = []
        var units: [Outcome<ReceivedUnit.Result>] = []

        init(deviceBatches: [Trial] = [], units: [Outcome<ReceivedUnit.Result>] = []) {
            self.deviceBatches = deviceBatches
            self.units = units
        }

        init(_ result: Group.Result) {
            deviceBatches = result.counts.map { .settled(.committed($0)) }
            units = result.results.map { .committed($0) }
        }

        /// Neither the database nor anything else is to blame that is known.
        init(unavailable group: Group) {
            deviceBatches = group.deviceBatches.map { _ in .settled(unavailable()) }
            units = group.units.map { _ in unavailable() }
        }

        init(refused group: Group, _ sqlState: String) {
            deviceBatches = group.deviceBatches.map { _ in .settled(.refused(sqlState: sqlState)) }
            units = group.units.map { _ in .refused(sqlState: sqlState) }
        }

        static func + (left: Trials, right: Trials) -> Trials {
            Trials(
                deviceBatches: left.deviceBatches + right.deviceBatches,
                units: left.units + right.units)
        }
    }

    private static func unavailable<Committed>() -> Outcome<Committed> {
        .unavailable(retryAfter: .seconds(1))
    }

    /// Leaves out senders that can't be written.
    private mutating func attempt(_ group: Group) -> Trials {
        let out = blocked.union(known)
        guard !out.isEmpty else { return attemptAll(group) }
        let others = Group(
            deviceBatches: group.deviceBatches.filter { !out.contains($0.sender) },
            units: group.units.filter { !out.contains($0.sender) })
        guard others.count < group.count else { return attemptAll(group) }
        let tried = others.count > 0 ? attemptAll(others) : Trials()
        var (batches, units) = (tried.deviceBatches[...], tried.units[...])
        return Trials(
            deviceBatches: group.deviceBatches.map {
                out.contains($0.sender)
                    ? .settled(Self.unavailable()) : batches.removeFirst()
            },
            units: group.units.map {
                out.contains($0.sender) ? Self.unavailable() : units.removeFirst()
            })
    }

    private mutating func attemptAll(_ group: Group) -> Trials {
        do throws(Group.Failure) {
            return Trials(try commit(group))
        } catch {
            if error.isOfMembers { return attempt(group, without: error) }
            let error = error.error
            switch error.failureClass {
            case .poison where group.count > 1:
                return attempt(group.halves())
            case .poison:
                return attemptPoisoned(group, error)
            case .partitionMissing where group.units.isEmpty, .retry:
                return Trials(unavailable: group)
            case .partitionMissing, .stop:
                // A kind's faulty statement must not block readings, nor the reverse.
                if let parts = group.parted() { return attempt(parts) }
                if let kinds = group.unitsByKind() { return attempt(group.units, kinds) }
                return Trials(refused: group, Self.code(error))
            }
        }
    }

    /// Handles one device batch or unit that was refused by itself.
    private mutating func attemptPoisoned(_ group: Group, _ error: PostgresError) -> Trials {
        if let unit = group.units.first {
            return Trials(units: [attemptRefused(unit, Self.code(error))])
        }
        let entry = group.deviceBatches[0]
        if entry.deviceBatch.rowCount > 0 { return Trials(deviceBatches: [.suspect(entry)]) }
        // Not its rows, then, but the device, its attributes or its quarantined readings.
        return Trials(refused: group, Self.code(error))
    }

    // MARK: Without those that can't be written now

    /// Goes on without what is to blame: the devices that are known, or what is found by splitting.
    private mutating func attempt(_ given: Group, without failure: Group.Failure) -> Trials {
        let group = failure.isInDoubt ? given.late() : given
        let known = group.deviceBatches.filter {
            failure.devices.contains($0.deviceBatch.key.value)
        }
        if !known.isEmpty {
            splits += 1
            for deviceBatch in known { blocked.insert(deviceBatch.sender) }
            return attempt(group)
        }
        if let parts = group.parted() { return attempt(parts) }
        if group.count > 1 { return attempt(group.halves()) }
        let error = failure.error
        switch error.classOfOne {
        case .poison: return attemptPoisoned(group, error)
        case .stop: return Trials(refused: group, Self.code(error))
        case .retry, .partitionMissing, nil: break
        }
        if let entry = group.deviceBatches.first, error.mayBeOfSize, entry.deviceBatch.rowCount > 1
        {
            return Trials(deviceBatches: [.tooLarge(entry)])
        }
        for deviceBatch in group.deviceBatches { blocked.insert(deviceBatch.sender) }
        for unit in group.units { blocked.insert(unit.sender) }
        return Trials(unavailable: group)
    }

    /// Writes a device batch piece by piece, the smallest first. Ends at the first that can't be
    /// written.
    private mutating func writeInPieces(_ entry: ReceivedDeviceBatch) -> BatchOutcome {
        var counts = BatchCounts()
        var pieces = cut(entry)
        while !pieces.isEmpty {
            let outcome: BatchOutcome
            switch attempt(pieces.removeFirst()) {
            case .settled(let settled): outcome = settled
            case .suspect(let piece): outcome = search(piece)
            case .tooLarge(let piece):
                pieces = cut(piece) + pieces
                continue
            }
            guard case .committed(let more) = outcome else { return outcome }
            counts += more
        }
        writtenInPieces.insert(entry.sender)
        return .committed(counts)
    }

    /// Pieces of one row, one, two, four … and half of the rows.
    private mutating func cut(_ entry: ReceivedDeviceBatch) -> [ReceivedDeviceBatch] {
        var pieces: [ReceivedDeviceBatch] = []
        var rest = entry
        while let (first, second) = rest.deviceBatch.halves() {
            pieces.append(entry.with(second))
            rest = entry.with(first)
        }
        splits += 1
        return [rest] + pieces.reversed()
    }

    private mutating func attempt(_ part: ReceivedDeviceBatch) -> Trial {
        attempt(Group(deviceBatches: [part])).deviceBatches[0]
    }

    private mutating func attempt(_ parts: (Group, Group)) -> Trials {
        splits += 1
        return attempt(parts.0) + attempt(parts.1)
    }

    /// Kind by kind.
    private mutating func attempt(
        _ units: [ReceivedUnit], _ kinds: [[(place: Int, unit: ReceivedUnit)]]
    ) -> Trials {
        splits += 1
        var trials = Trials(unavailable: Group(units: units))
        for kind in kinds {
            let tried = attempt(Group(units: kind.map(\.unit))).units
            for (member, outcome) in zip(kind, tried) { trials.units[member.place] = outcome }
        }
        return trials
    }

    /// Handles a unit that was refused by itself: a live one is refused, a replayed one is set
    /// aside.
    private mutating func attemptRefused(
        _ unit: ReceivedUnit, _ sqlState: String
    ) -> Outcome<ReceivedUnit.Result> {
        guard unit.isReplayed, unit.refusal == nil else { return .refused(sqlState: sqlState) }
        return attempt(Group(units: [unit.refused(.byDatabase(sqlState: sqlState))])).units[0]
    }

    // MARK: Down to rows

    /// Stores what it can of a device batch that was refused by itself, and quarantines the rest in
    /// one transaction.
    private mutating func search(_ entry: ReceivedDeviceBatch) -> BatchOutcome {
        var aside: [ReceivedDeviceBatch] = []
        var sum = search(entry, &aside)
        guard !aside.isEmpty else { return sum }
        for trial in attempt(Group(deviceBatches: aside)).deviceBatches {
            // What is aside has no rows, so nothing in it is suspect or too large.
            guard case .settled(let outcome) = trial else { return Self.unavailable() }
            sum = Self.sum(sum, outcome)
        }
        return sum
    }

    /// - Parameter aside: receives the refused parts, with their rows quarantined.
    private mutating func search(
        _ entry: ReceivedDeviceBatch, _ aside: inout [ReceivedDeviceBatch]
    ) -> BatchOutcome {
        var sum = BatchOutcome.committed(BatchCounts())
        guard share > 0, let (first, second) = entry.deviceBatch.halves() else {
            let isAlone = entry.deviceBatch.rowCount == 1
            let reason = isAlone ? QuarantineReason.refusedByDatabase : .refusedWithOthers
            aside.append(entry.with(entry.deviceBatch.settingAsideAll(reason)))
            return sum
        }
        share -= 1
        splits += 1
        for half in [first, second] {
            switch attempt(entry.with(half)) {
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

    /// The counts of both, or the first failure.
    private static func sum(_ left: BatchOutcome, _ right: BatchOutcome) -> BatchOutcome {
        guard case .committed(var counts) = left, case .committed(let more) = right else {
            return left.isCommitted ? right : left
        }
        counts += more
        return .committed(counts)
    }
}

extension GroupSettlement {
    /// What became of a group's device batches and of its units, in their order.
    struct Outcomes {
        var deviceBatches: [BatchOutcome] = []
        var units: [Outcome<ReceivedUnit.Result>] = []
    }
}
