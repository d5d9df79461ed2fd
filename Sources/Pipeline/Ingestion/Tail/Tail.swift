internal import DequeModule
public import Postgres
import Synchronization

/// Commits that may be on the primary only.
///
/// A primary with asynchronous standbys may lose its last commits when one of them is promoted, and
/// devices have deleted their copies by then. So what a lane has committed stays here, in memory,
/// until all standbys that count (``Standbys``) have it on disk. When another server takes over,
/// the remainder goes to the spool and is replayed; what the new server has already is found
/// stored. The tail survives the database, not this process; a process that stops in good order
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
public final class Tail: Sendable {
    /// The commits of one group.
    private struct Kept {
        /// Counts up.
        let number: Int
        let shipments: [Shipment]
        /// The answers to give; empty if they were given before.
        let outcomes: [CommitOutcome]
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
        var returning = Deque<Shipment>()
        /// Readings and units that are being written to the spool.
        var underWay = 0
        /// With ``answers``: to be written to the spool and answered.
        var overdue: [Shipment] = []
        /// The history of `kept`; see `EraBook.generation`.
        var history = 0
        var figures = TailFigures()

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

        mutating func takeOver(_ history: Int) {
            for group in kept {
                if group.outcomes.isEmpty {
                    returning.append(contentsOf: group.shipments)
                } else {
                    overdue += group.shipments
                }
            }
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

    /// Whether the tail gives the answers for commits.
    var answers: Bool { durability == .replicated }

    /// Keeps the committed part of a group. To be called before it is acknowledged or, if
    /// ``answers``, instead.
    ///
    /// - Parameters:
    ///   - outcomes: of each shipment.
    ///   - history: the one in force before the commit began.
    ///   - isReplaced: another one is in force by now.
    func keep(
        _ group: [Shipment], _ outcomes: [CommitOutcome], history: Int, isReplaced: Bool,
        now: ContinuousClock.Instant
    ) {
        // A commit on a server that was replaced meanwhile is kept in any case.
        guard isOn.load(ordering: .relaxed) || isReplaced else { return }
        let committed = zip(group, outcomes).filter { $1.isCommitted }
        guard !committed.isEmpty else { return }
        let shipments = committed.map { answers ? $0.0 : $0.0.silent }
        state.withLock { state in
            guard history >= state.history else {
                // Its server was replaced while it was written.
                if answers { return state.overdue += shipments }
                return state.returning.append(contentsOf: shipments)
            }
            let group = Kept(
                number: state.end, shipments: shipments,
                outcomes: answers ? committed.map(\.1) : [], keptAt: now,
                bytes: shipments.reduce(0) { $0 + $1.memory })
            state.kept.append(group)
            state.end += 1
            state.bytes += group.bytes
            while state.bytes > bytesMax, state.kept.count > 1 {
                let dropped = state.removeFirst()
                if answers {
                    state.overdue += dropped.shipments
                } else {
                    state.figures.droppedBytes += dropped.bytes
                }
            }
        }
    }

    /// Keeps nothing from now on: the database is a cluster, whose nodes commit what nobody watches.
    /// Not for a tail that ``answers``.
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
        var deliveries = Deliveries()
        for group in released {
            for (shipment, outcome) in zip(group.shipments, group.outcomes) {
                deliveries.settle(shipment.receipt, outcome)
            }
        }
        deliveries.send()
    }

    // MARK: For the spool's keeper

    /// Another server has taken over: everything that is left is to be written to it.
    ///
    /// - Returns: the readings and units to be written; nil: this history is known already.
    func takeOver(_ history: Int) -> (readings: Int, units: Int)? {
        state.withLock { state in
            guard history != state.history else { return nil }
            state.takeOver(history)
            if bytesMax > 0, !isSwitchedOff.load(ordering: .relaxed) {
                isOn.store(true, ordering: .relaxed)
            }
            let units = state.returning.count(where: \.isUnit)
            let all = state.returning.reduce(0) { $0 + $1.count }
            return (all - units, units)
        }
    }

    /// Takes out the shipments whose answers can't wait any longer, with their receipts.
    ///
    /// - Parameter waits: whether a shipment's answer may wait without limit; the same for all of
    ///   its group.
    func takeOverdue(
        now: ContinuousClock.Instant, except waits: (Shipment) -> Bool
    ) -> [Shipment] {
        guard answers else { return [] }
        return state.withLock { state in
            func isOverdue(_ group: Kept) -> Bool {
                now - group.keptAt >= patience && !(group.shipments.first.map(waits) ?? true)
            }
            for group in state.kept where isOverdue(group) {
                state.overdue += group.shipments
                state.bytes -= group.bytes
            }
            state.kept.removeAll(where: isOverdue)
            defer { state.overdue = [] }
            state.figures.overdue += state.overdue.reduce(0) { $0 + $1.count }
            return state.overdue
        }
    }

    /// At the end of the process: what is left goes to the spool, and the next process replays it.
    func end() {
        state.withLock { $0.takeOver($0.history) }
    }

    /// Takes out what is to be written to the spool, until the next would exceed `bytes`.
    func takeReturning(upTo bytes: Int) -> [Shipment] {
        state.withLock { state in
            var taken: [Shipment] = []
            var sum = 0
            while let next = state.returning.first, taken.isEmpty || sum + next.memory <= bytes {
                sum += next.memory
                state.underWay += next.count
                taken.append(state.returning.removeFirst())
            }
            return taken
        }
    }

    /// Puts back what the spool did not take.
    func putBack(_ shipments: [Shipment]) {
        let count = shipments.reduce(0) { $0 + $1.count }
        state.withLock { state in
            state.returning.prepend(contentsOf: shipments)
            state.underWay -= count
        }
    }

    /// These are in the spool now.
    func returned(_ shipments: [Shipment]) {
        let count = shipments.reduce(0) { $0 + $1.count }
        state.withLock { state in
            state.figures.returned += count
            state.underWay -= count
        }
    }

    /// Its state in numbers.
    public var figures: TailFigures {
        state.withLock { state in
            var figures = state.figures
            figures.bytes = state.returning.reduce(state.bytes) { $0 + $1.memory }
            figures.returning = state.returning.reduce(state.underWay) { $0 + $1.count }
            figures.standbys = state.standbys.count
            figures.isHidden = state.standbys.isHidden
            figures.lostSlots = state.standbys.lostSlots
            return figures
        }
    }
}

/// The state of a ``Tail`` in numbers.
public struct TailFigures: Sendable, Equatable {
    /// Nothing was ever kept.
    public init() {}

    /// Memory of what may be on the primary only.
    public internal(set) var bytes = 0
    /// Memory of commits that were dropped for lack of room or because all standbys were gone.
    public internal(set) var droppedBytes = 0
    /// Readings and units that were written to the spool after a failover.
    public internal(set) var returned = 0
    /// Readings and units that still have to be.
    public internal(set) var returning = 0
    /// Readings and units that stopped waiting for standbys, and are in the spool or go there.
    public internal(set) var overdue = 0
    /// Standbys that count.
    public internal(set) var standbys = 0
    /// The role may not see the standbys' positions.
    public internal(set) var isHidden = false
    /// Slots of standbys whose log the primary has removed.
    public internal(set) var lostSlots: Set<String> = []
}
