internal import DequeModule
public import Postgres
import Synchronization

/// Commits that may be on the primary only.
///
/// A primary with asynchronous standbys may lose its last commits when one of them is promoted, and
/// devices have deleted their copies by then. So what a lane has committed stays here, in memory,
/// until all standbys that count (``Standbys``) have it on disk. When another server takes over,
/// the remainder goes to the spool and is replayed; what the new server has already is found
/// stored. What is kept survives the database, not this process; a process that stops in good order
/// leaves it in its spool.
///
/// Nothing is queried after a commit. A watcher looks at the primary now and then: it takes
/// ``mark`` before, and calls ``observe(_:synchronous:position:since:now:)`` with what it saw. What
/// was kept before the mark is no further in the log than the primary's position after it, and is
/// released once the standbys have reached that position.
///
/// Bounded in bytes: beyond `bytesMax` the oldest is dropped and counted. Without standbys nothing
/// is kept.
///
/// With ``Durability/replicated`` the answers wait here too. What has waited too long, has no room
/// or is on a replaced server goes to the spool and is answered as spooled; a record of the spool
/// stays there and is retried.
public final class UnreplicatedCommits: Sendable {
    /// The commits of one group.
    private struct Kept {
        /// Counts up.
        let number: Int
        /// Without receipts, if the answers were given before.
        let group: SettledGroup
        let keptAt: ContinuousClock.Instant
        let bytes: Int
    }

    private struct State {
        var kept = Deque<Kept>()
        /// The number of the next group.
        var end = 0
        var bytes = 0
        /// The primary's position after everything below `end` had been kept; both rise.
        var marks = Deque<(end: Int, position: UInt64)>()
        var standbys = Standbys()
        /// From a replaced server: to be written to the spool.
        var returning = (
            deviceBatches: Deque<Pending<ReceivedDeviceBatch>>(),
            units: Deque<Pending<ReceivedUnit>>()
        )
        /// Readings and units that are being written to the spool.
        var underWay = 0
        /// With ``answers``: to be written to the spool and answered.
        var overdue = PendingGroup()
        /// The history of `kept`; see `EpochFence.generation`.
        var history = 0
        var figures = UnreplicatedFigures()

        /// The number of the first kept group.
        var first: Int { kept.first?.number ?? end }

        mutating func removeFirst() -> Kept {
            let group = kept.removeFirst()
            bytes -= group.bytes
            return group
        }

        /// Takes out the groups below `end`.
        mutating func release(below end: Int) -> [Kept] {
            var released: [Kept] = []
            while let group = kept.first, group.number < end { released.append(removeFirst()) }
            while let mark = marks.first, mark.end <= first { marks.removeFirst() }
            return released
        }

        mutating func removeAll() {
            kept.removeAll()
            marks.removeAll()
            bytes = 0
        }

        mutating func release(_ group: PendingGroup, answers: Bool) {
            if answers { return overdue += group }
            returning.deviceBatches += group.deviceBatches
            returning.units += group.units
        }

        mutating func takeOver(_ history: Int, answers: Bool) {
            for kept in kept { release(kept.group.pendings, answers: answers) }
            removeAll()
            if history != self.history { standbys.follow() }
            self.history = history
        }
    }

    /// A position in the sequence of kept groups.
    public struct Mark: Sendable {
        let end: Int
        /// The history that it belongs to.
        public let history: Int
    }

    private let state = Mutex(State())
    private let isOn: Atomic<Bool>
    private let isSwitchedOff = Atomic(false)
    private let bytesMax: Int
    private let patience: Duration
    /// What an answer that says "committed" promises.
    public let durability: Durability

    /// - Parameters:
    ///   - bytesMax: the memory for commits; 0: none are kept, unless the server is replaced
    ///     meanwhile.
    ///   - patience: how long an answer waits, with ``Durability/replicated``.
    public init(
        bytesMax: Int, durability: Durability = .committed, patience: Duration = .seconds(5)
    ) {
        precondition(bytesMax > 0 || durability == .committed, "BUG: answers have no room to wait")
        self.bytesMax = bytesMax
        self.durability = durability
        self.patience = patience
        // Before the first look it is unknown whether there are standbys.
        isOn = Atomic(bytesMax > 0)
    }

    /// Whether it gives the answers for commits.
    var answers: Bool { durability == .replicated }

    /// Keeps the committed part of a group. To be called before it is acknowledged or, if
    /// ``answers``, instead.
    ///
    /// - Parameters:
    ///   - history: the one in force before the commit began.
    ///   - isReplaced: another one is in force by now.
    func keep(
        _ group: SettledGroup, history: Int, isReplaced: Bool, now: ContinuousClock.Instant
    ) {
        // A commit on a server that was replaced meanwhile is kept in any case.
        guard isOn.load(ordering: .relaxed) || isReplaced else { return }
        var committed = group.committed(true)
        guard !committed.isEmpty else { return }
        if !answers { committed = committed.silent }
        state.withLock { state in
            guard history >= state.history else {
                // Its server was replaced while it was written.
                return state.release(committed.pendings, answers: answers)
            }
            let group = Kept(
                number: state.end, group: committed, keptAt: now,
                bytes: committed.pendings.memory)
            state.kept.append(group)
            state.end += 1
            state.bytes += group.bytes
            while state.bytes > bytesMax, state.kept.count > 1 {
                let dropped = state.removeFirst()
                if answers {
                    state.overdue += dropped.group.pendings
                } else {
                    state.figures.droppedBytes += dropped.bytes
                }
            }
        }
    }

    /// Keeps nothing from now on: the database is a cluster, whose nodes commit what nobody
    /// watches. Not where it ``answers``.
    func switchOff() {
        guard !isSwitchedOff.exchange(true, ordering: .relaxed) else { return }
        isOn.store(false, ordering: .relaxed)
        if !answers { state.withLock { $0.removeAll() } }
    }

    // MARK: For the watcher of the primary

    /// To be taken before the primary is queried.
    public var mark: Mark { state.withLock { Mark(end: $0.end, history: $0.history) } }

    /// Releases the commits that are safe, and gives the answers that wait for them.
    ///
    /// - Parameters:
    ///   - synchronous: the position of as many standbys as the primary's commits wait for, which
    ///     is enough for waiting answers. nil: there are not so many.
    ///   - position: the end of the primary's log on its disk.
    ///   - mark: taken before the primary was queried.
    public func observe(
        _ standbys: [StandbyPosition], synchronous: UInt64? = nil, position: UInt64,
        since mark: Mark, now: ContinuousClock.Instant = .now
    ) {
        guard bytesMax > 0, !isSwitchedOff.load(ordering: .relaxed) else { return }
        let released = state.withLock { state -> [Kept] in
            guard mark.history == state.history else { return [] }
            let before = state.standbys.count
            state.standbys.see(standbys, now: now)
            let isEnough = answers ? synchronous : nil
            guard let flushed = [state.standbys.flushed, isEnough].compactMap({ $0 }).max() else {
                if !answers {
                    isOn.store(false, ordering: .relaxed)
                    // A loss only if standbys counted before.
                    if before > 0 { state.figures.droppedBytes += state.bytes }
                    state.removeAll()
                }
                return []
            }
            isOn.store(true, ordering: .relaxed)
            if mark.end > (state.marks.last?.end ?? state.first) {
                state.marks.append((mark.end, position))
            }
            let safe = state.marks.last { $0.position <= flushed }?.end
            return state.release(below: safe ?? state.first)
        }
        guard answers else { return }
        var group = SettledGroup()
        for kept in released { group += kept.group }
        group.answer()
    }

    // MARK: For the spool's keeper

    /// Another server has taken over: everything that is left is to be written to it.
    ///
    /// - Returns: the readings and units to be written; nil: this history is known already.
    func takeOver(_ history: Int) -> (readings: Int, units: Int)? {
        state.withLock { state in
            guard history != state.history else { return nil }
            state.takeOver(history, answers: answers)
            if bytesMax > 0, !isSwitchedOff.load(ordering: .relaxed) {
                isOn.store(true, ordering: .relaxed)
            }
            let readings = state.returning.deviceBatches.reduce(0) { $0 + $1.payload.count }
            return (readings, state.returning.units.count)
        }
    }

    /// Takes out those whose answers can't wait any longer, with their receipts. The answers to
    /// what comes from the spool wait without limit.
    func takeOverdue(now: ContinuousClock.Instant) -> PendingGroup {
        guard answers else { return PendingGroup() }
        return state.withLock { state in
            func isOverdue(_ kept: Kept) -> Bool {
                now - kept.keptAt >= patience && !kept.group.isReplayed
            }
            for kept in state.kept where isOverdue(kept) {
                state.overdue += kept.group.pendings
                state.bytes -= kept.bytes
            }
            state.kept.removeAll(where: isOverdue)
            defer { state.overdue = PendingGroup() }
            state.figures.overdue += state.overdue.readingsAndUnits
            return state.overdue
        }
    }

    /// At the end of the process: what is left goes to the spool, and the next process replays it.
    func end() {
        state.withLock { $0.takeOver($0.history, answers: answers) }
    }

    /// Takes out what is to be written to the spool, until the next would exceed `bytes`.
    func takeReturning(upTo bytes: Int) -> PendingGroup {
        state.withLock { state in
            var taken = PendingGroup()
            var sum = 0
            func take<Payload>(_ waiting: inout Deque<Pending<Payload>>) -> [Pending<Payload>] {
                var taken: [Pending<Payload>] = []
                while let next = waiting.first, sum == 0 || sum + next.payload.memory <= bytes {
                    sum += next.payload.memory
                    taken.append(waiting.removeFirst())
                }
                return taken
            }
            taken.deviceBatches = take(&state.returning.deviceBatches)
            if state.returning.deviceBatches.isEmpty { taken.units = take(&state.returning.units) }
            state.underWay += taken.readingsAndUnits
            return taken
        }
    }

    /// Puts back what the spool did not take.
    func putBack(_ group: PendingGroup) {
        state.withLock { state in
            state.returning.deviceBatches.prepend(contentsOf: group.deviceBatches)
            state.returning.units.prepend(contentsOf: group.units)
            state.underWay -= group.readingsAndUnits
        }
    }

    /// These are in the spool now.
    func returned(_ group: PendingGroup) {
        state.withLock { state in
            state.figures.returned += group.readingsAndUnits
            state.underWay -= group.readingsAndUnits
        }
    }

    /// Its state in numbers.
    public var figures: UnreplicatedFigures {
        state.withLock { state in
            var figures = state.figures
            let (deviceBatches, units) = state.returning
            figures.bytes =
                state.bytes + deviceBatches.reduce(0) { $0 + $1.payload.memory }
                + units.reduce(0) { $0 + $1.payload.memory }
            figures.returning =
                state.underWay + deviceBatches.reduce(0) { $0 + $1.payload.count } + units.count
            figures.standbys = state.standbys.count
            figures.isHidden = state.standbys.isHidden
            figures.lostSlots = state.standbys.lostSlots
            return figures
        }
    }
}
