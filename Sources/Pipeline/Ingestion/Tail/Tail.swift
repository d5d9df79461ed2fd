internal import DequeModule
public import Postgres
import Synchronization

/// What was committed and acknowledged, and may be on the primary only.
///
/// A primary with asynchronous standbys may lose its last commits when one of them is promoted; devices
/// have deleted their copies by then. So what a lane has committed stays here, in memory, until all
/// standbys that count (``Standbys``) have it on their disks. When another server takes over, what is
/// left is written to the spool and brought back from there; what the new server has already is found
/// stored. It survives the database, not this process; a process that stops in good order leaves it in
/// its spool.
///
/// Nothing is asked behind a commit. Somebody looks at the primary now and then: ``mark`` before, and
/// ``observe(_:position:since:)`` with what was seen. What was kept before the mark is no further on in the
/// log than the position that the primary had after it, and goes once the standbys have reached that one.
///
/// Bounded in bytes: past ``bytesMax`` the oldest is dropped and counted. Without standbys nothing is kept.
///
/// With ``Durability/replicated`` nobody is answered before that: the answers wait here with what they are
/// for. What has waited for too long, has no room, or is of a history that is over, goes to the spool
/// and is answered as spooled; a record of the spool stays there and is brought back again.
public final class Tail: Sendable {
    /// What a lane had committed at once.
    private struct Kept {
        /// Counts up.
        let number: Int
        let shipments: [Shipment]
        /// What their senders will be told; empty if they have been.
        let outcomes: [CommitOutcome]
        let keptAt: ContinuousClock.Instant
        let bytes: Int
    }

    private struct State {
        var kept = Deque<Kept>()
        /// Number of the next.
        var end = 0
        var bytes = 0
        /// Where the primary was after everything below `end` had been kept; both rise.
        var marks = Deque<(end: Int, position: UInt64)>()
        var standbys = Standbys()
        /// Of a history that is over: to be written to the spool.
        var returning = Deque<Shipment>()
        /// Of those that are being written, readings and units.
        var underWay = 0
        /// Those whose answers have waited long enough.
        var overdue: [Shipment] = []
        /// Of which history `kept` is; see `EraBook.generation`.
        var history = 0
        var figures = TailFigures()

        /// Number of the first that is left.
        var first: Int { kept.first?.number ?? end }

        mutating func removeFirst() -> Kept {
            let group = kept.removeFirst()
            bytes -= group.bytes
            return group
        }

        /// Takes out those below `end`.
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

    /// A moment in what is kept.
    public struct Mark: Sendable {
        let end: Int
        /// Of which history it is.
        public let history: Int
    }

    private let state = Mutex(State())
    private let isOn: Atomic<Bool>
    private let bytesMax: Int
    private let patience: Duration
    /// What an answer that says "committed" promises.
    public let durability: Durability

    /// - Parameters:
    ///   - bytesMax: memory of what is kept, at most; 0: nothing is.
    ///   - patience: how long an answer waits, where it does.
    public init(
        bytesMax: Int, durability: Durability = .committed, patience: Duration = .seconds(5)
    ) {
        precondition(bytesMax > 0 || durability == .committed, "BUG: answers have no room to wait")
        self.bytesMax = bytesMax
        self.durability = durability
        self.patience = patience
        // Until the first look nobody knows of standbys.
        isOn = Atomic(bytesMax > 0)
    }

    /// Whether it answers for what is committed.
    var answers: Bool { durability == .replicated }

    /// Keeps what of a group was committed; to be called before it is acknowledged, if ``answers``
    /// instead of it.
    ///
    /// - Parameters:
    ///   - outcomes: of each shipment.
    ///   - history: what was in force before the commit began.
    ///   - isReplaced: another one is by now.
    func keep(
        _ group: [Shipment], _ outcomes: [CommitOutcome], history: Int, isReplaced: Bool,
        now: ContinuousClock.Instant
    ) {
        // What a server has that was replaced meanwhile is kept in any case.
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

    // MARK: For whoever looks at the primary

    /// To be taken before the primary is asked.
    public var mark: Mark { state.withLock { Mark(end: $0.end, history: $0.history) } }

    /// Lets go what is safe, and answers for it where answers wait.
    ///
    /// - Parameters:
    ///   - synchronous: where the log is that so many standbys have as the primary lets commits wait for;
    ///     those that answers wait for need no more than that. nil: not so many are there.
    ///   - position: the end of the primary's log on its disk.
    ///   - mark: taken before the primary was asked.
    public func observe(
        _ standbys: [StandbyPosition], synchronous: UInt64? = nil, position: UInt64,
        since mark: Mark, now: ContinuousClock.Instant = .now
    ) {
        guard bytesMax > 0 else { return }
        let released = state.withLock { state -> [Kept] in
            guard mark.history == state.history else { return [] }
            let before = state.standbys.count
            state.standbys.see(standbys, now: now)
            let isEnough = answers ? synchronous : nil
            guard let flushed = [state.standbys.flushed, isEnough].compactMap({ $0 }).max() else {
                if !answers {
                    isOn.store(false, ordering: .relaxed)
                    // Gone for too long; at the first look nobody knew that there are none.
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

    /// Another server has taken over: all that is left is to be written to it.
    ///
    /// - Returns: readings and units that are; nil: this history is known.
    func takeOver(_ history: Int) -> (readings: Int, units: Int)? {
        state.withLock { state in
            guard history != state.history else { return nil }
            state.takeOver(history)
            if bytesMax > 0 { isOn.store(true, ordering: .relaxed) }
            let units = state.returning.count(where: \.isUnit)
            let all = state.returning.reduce(0) { $0 + $1.count }
            return (all - units, units)
        }
    }

    /// Takes out those whose answers can't wait any longer. Each has its receipt.
    ///
    /// - Parameter waits: whether somebody waits for its answer for as long as it takes, as for all of
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

    /// The spool did not take it.
    func putBack(_ shipments: [Shipment]) {
        let count = shipments.reduce(0) { $0 + $1.count }
        state.withLock { state in
            state.returning.prepend(contentsOf: shipments)
            state.underWay -= count
        }
    }

    /// What was taken out is in the spool.
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
    /// Memory of what was dropped since there was no room for it.
    public internal(set) var droppedBytes = 0
    /// Readings and units that were written to the spool after a failover.
    public internal(set) var returned = 0
    /// Those that still have to be.
    public internal(set) var returning = 0
    /// Readings and units that had waited for standbys and went to the spool.
    public internal(set) var overdue = 0
    /// Standbys that count.
    public internal(set) var standbys = 0
    /// The role may not see how far they are.
    public internal(set) var isHidden = false
    /// Slots of standbys whose log the primary has removed.
    public internal(set) var lostSlots: Set<String> = []
}
