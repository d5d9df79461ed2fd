import Channels
import Instruments
import Logging
import Postgres
import Scanning
import Synchronization

/// The part of a lane that runs on its loop: takes groups, gets them committed, answers.
final class LaneWorker<Outside: World>: @unchecked Sendable {
    // Guard of `@unchecked`: everything mutable is touched on the lane's loop only; atomics and
    // mutexes are for any thread.

    /// Groups are being committed, as far as it knows.
    let isUp = Atomic(false)
    /// The queue has waited too long behind the current group. Set by the spool's keeper, cleared
    /// once that group is done.
    let isStalled = Atomic(false)
    /// Why nothing is written, as the last attempt found; nil while the lane is up.
    let failure = Mutex<PostgresError?>(nil)
    /// The recent commit rate; 0 before the first commit.
    let bytesPerSecond = Atomic(0)
    /// Devices and owners that are not written at the moment, though others are.
    let blockedCount = Atomic(0)

    let number: Int
    let outside: Outside
    let placements: PlacementBook
    private let live: BoundedChannel<Shipment>
    private let backlog: BoundedChannel<Shipment>
    let configuration: IngestionConfiguration
    private let instruments: LaneInstruments
    let logger: Logger
    private let days: DayMaker<Outside>
    /// Takes what can't be committed now; nil: nobody does. Weak, because it holds the lanes; the
    /// core holds both.
    private weak var overflow: (any Overflow)?
    private let tail: Tail

    var connection: LaneConnection<Outside>
    var health: LaneHealth
    private var turns: LaneTurns
    private var liveHold = DayHold()
    private var backlogHold = DayHold()
    var blocked = BlockedSenders()
    private var isClosed = false
    /// When a closing lane stops trying. Set from another thread, perhaps during a group.
    private let closing = Mutex<ContinuousClock.Instant?>(nil)
    private let timesKept = Mutex(LaneTimes())
    var group: [Shipment] = []
    /// A COMMIT of the present group was sent and not answered.
    private var isInDoubt = false
    /// Others than the present group can be written: what delays it is looked for until this time,
    /// with one attempt at each part.
    var narrowsUntil: ContinuousClock.Instant?
    /// The present group has one sender that was blocked before.
    var isTrial = false
    /// Whether rows of the present group are locked is asked before its first attempt.
    private var asksBefore = false

    init(
        number: Int, outside: Outside, placements: PlacementBook,
        live: BoundedChannel<Shipment>, backlog: BoundedChannel<Shipment>,
        configuration: IngestionConfiguration,
        days: DayMaker<Outside>, instruments: LaneInstruments, overflow: (any Overflow)?,
        tail: Tail, logger: Logger
    ) {
        self.number = number
        self.outside = outside
        self.placements = placements
        self.live = live
        self.backlog = backlog
        self.configuration = configuration
        self.days = days
        self.instruments = instruments
        self.overflow = overflow
        self.tail = tail
        var logger = logger
        logger[metadataKey: "lane"] = "\(number)"
        self.logger = logger
        connection = LaneConnection(
            lane: number, outside: outside, configuration: configuration, instruments: instruments)
        health = LaneHealth(configuration, now: outside.now)
        turns = LaneTurns(sharePercent: configuration.replaySharePercent, now: outside.now)
    }

    /// How it has spent its time so far. For any thread.
    var times: LaneTimes {
        let now = outside.now
        return timesKept.withLock { $0.seen(at: now) }
    }

    // MARK: Groups

    /// Takes groups until nothing is left that may be taken now, as ``LaneTurns`` decides. Parcels
    /// whose days are still to be made are held, and others go before them.
    func drain() {
        var taken = 0
        var now = outside.now
        while let turn = turns.next(taken: taken, isClosing: isClosing, now: now) {
            group.removeAll(keepingCapacity: true)
            switch turn {
            case .live:
                let bytes = placements.current.bytesTaken(byLane: number, configuration)
                live.take(upTo: bytes, into: &group)
                taken = group.count
                if taken > 0 || !liveHold.isEmpty { settleLive() }
            case .backlog(let portion):
                switch portion {
                case .held: break
                case .small: backlog.take(upTo: configuration.replayGroupBytesMax, into: &group)
                case .large: backlog.take(upTo: configuration.groupBytesMax, into: &group)
                }
                taken = group.count
                if taken > 0 || !backlogHold.isEmpty { settleBacklog(now) }
            }
            now = outside.now
        }
    }

    private func settleLive() {
        // What can't be committed is offered to the spool, which then answers it.
        spool(prepare(&liveHold, heldMax: configuration.stallMax))
        let apart = takeBlocked()
        spool(apart.waiting)
        groups(of: group).forEach(settleLive)
        spool(tryAlone(apart.due, settleLive))
        overflow?.dispatch()
    }

    private func settleBacklog(_ start: ContinuousClock.Instant) {
        var late = prepare(&backlogHold, heldMax: configuration.replayRetry)
        if isClosing {
            late += group
            group = []
        }
        let apart = takeBlocked()
        late += apart.waiting
        answer(late, unavailable(late))
        guard !group.isEmpty || !apart.due.isEmpty else { return }
        timesKept.withLock { $0.begin(0, waited: .zero, now: start) }
        groups(of: group).forEach(settleBacklog)
        let left = tryAlone(apart.due, settleBacklog)
        answer(left, unavailable(left))
        let end = outside.now
        turns.replayed(from: start, to: end)
        timesKept.withLock { $0.end(now: end) }
    }

    private func settleBacklog(_ group: [Shipment]) {
        let outcomes = outcomes(of: group)
        var settled = group
        let left = hold(&settled, outcomes, in: &backlogHold)
        answer(settled, left)
    }

    /// Splits what was taken into groups, each one transaction.
    func groups(of taken: [Shipment]) -> [[Shipment]] {
        guard !taken.isEmpty else { return [] }
        return placements.current.groups(of: taken, bytesMax: configuration.groupBytesMax)
    }

    /// Reduces ``group`` to what can be written now: holds parcels that have to wait for their
    /// days, and adds held ones whose days are settled.
    ///
    /// - Returns: parcels for which there is no room to wait, or that have waited too long.
    private func prepare(_ hold: inout DayHold, heldMax: Duration) -> [Shipment] {
        // While the database is unreachable nothing waits for a day.
        guard health.isUp, !isClosing else {
            group += hold.takeAll()
            group.partUnits()
            return []
        }
        var refused = hold.admit(&group, days.standings)
        let released = hold.release(offeredBefore: outside.now - heldMax, days.standings)
        refused += released.late
        if !released.ready.isEmpty {
            // In the order of offers, so that a device's older batch goes first.
            group = (released.ready + group).sorted { $0.offeredAt < $1.offeredAt }
        }
        group.partUnits()
        return refused
    }

    private func spool(_ shipments: [Shipment]) {
        let left = shipments.filter { overflow?.take($0) != true }
        answer(left, unavailable(left))
    }

    private func settleLive(_ group: [Shipment]) {
        let now = outside.now
        var waited = Duration.zero
        for shipment in group {
            let wait = now - shipment.offeredAt
            instruments.queueWait.record(wait)
            waited += wait
        }
        timesKept.withLock { $0.begin(group.count, waited: waited, now: now) }
        let outcomes = outcomes(of: group)
        var settled = group
        let left = hold(&settled, outcomes, in: &liveHold)
        var answered: [Shipment] = []
        var answers: [CommitOutcome] = []
        for (shipment, outcome) in zip(settled, left) {
            if case .unavailable = outcome {
                var shipment = shipment
                shipment.isInDoubt = isInDoubt
                if overflow?.take(shipment) == true { continue }
            }
            answered.append(shipment)
            answers.append(outcome)
        }
        answer(answered, answers)
        overflow?.dispatch()
        let end = outside.now
        timesKept.withLock { $0.end(now: end) }
    }

    /// Holds back what was not committed because somebody dropped its days' partitions.
    ///
    /// - Returns: the outcomes of what stays in `group`.
    private func hold(
        _ group: inout [Shipment], _ outcomes: [CommitOutcome], in hold: inout DayHold
    ) -> [CommitOutcome] {
        guard health.isUp, !isClosing else { return outcomes }
        var settled: [Shipment] = []
        var left: [CommitOutcome] = []
        for (shipment, outcome) in zip(group, outcomes) {
            if case .unavailable = outcome, hold.needsAnswer(shipment), hold.hold(shipment) {
                continue
            }
            settled.append(shipment)
            left.append(outcome)
        }
        group = settled
        return left
    }

    private func unavailable(_ group: [Shipment]) -> [CommitOutcome] {
        group.map { _ in .unavailable(retryAfter: .seconds(1)) }
    }

    /// Commits as much of a group as possible. What is committed is in the tail before it is
    /// answered.
    private func outcomes(of group: [Shipment]) -> [CommitOutcome] {
        let history = outside.history
        isInDoubt = false
        asksBefore = isTrial
        narrowsUntil = isTrial ? outside.now + configuration.narrowMax : nil
        var settlement = GroupSettlement { group throws(GroupFailure) in
            try self.commit(group)
        }
        let outcomes = settlement.settle(Group(group))
        note(settlement, of: group, outcomes)
        instruments.groupsSplit.increment(by: settlement.splits)
        instruments.noteRefusals(outcomes)
        tail.keep(
            group, outcomes, history: history, isReplaced: outside.history != history,
            now: outside.now)
        return outcomes
    }

    /// Answers all batches of a group that are now complete, one call for each event loop; except
    /// those that the tail answers.
    private func answer(_ group: [Shipment], _ outcomes: [CommitOutcome]) {
        var deliveries = Deliveries()
        for (shipment, outcome) in zip(group, outcomes)
        where !(tail.answers && outcome.isCommitted) {
            deliveries.settle(shipment.receipt, outcome)
        }
        deliveries.send()
    }

    /// Commits one group, with retries while they may help and `patience` lasts. While a group is
    /// narrowed, with one attempt at each part.
    private func commit(_ given: Group) throws(GroupFailure) -> GroupResult {
        var group = given
        if let failure = health.failure { throw GroupFailure(failure) }
        if let narrowsUntil, outside.now >= narrowsUntil {
            throw GroupFailure(PostgresError(.deadlineExceeded))
        }
        if asksBefore {
            asksBefore = false
            try demandUnlocked(group)
        }
        var attempts = Attempts(
            giveUpAt: deadline(in: configuration.patience),
            lockGiveUpAt: deadline(in: configuration.lockWaitMax))
        var inDoubt: [GroupCounts]?
        while true {
            let failure: PostgresError
            do throws(PostgresError) {
                var result = try attempt(group)
                isStalled.store(false, ordering: .relaxed)
                health.succeeded()
                result.counts = Self.truth(result.counts, inDoubt)
                return result
            } catch {
                failure = error
            }
            let unchanged = connection.unchanged
            if failure.isConnectionClosed {
                if connection.countsInDoubt != nil {
                    group = group.late()
                    isInDoubt = true
                }
                inDoubt = inDoubt ?? connection.countsInDoubt
                connection.close()
            }
            do throws(GroupFailure) {
                try prepareNext(&attempts, after: failure, of: group, unchanged)
            } catch {
                var failure = error
                failure.isInDoubt = inDoubt != nil
                throw failure
            }
            instruments.groupsRetried.increment()
        }
    }

    /// - Parameter unchanged: devices that are known to be the cause.
    /// - Throws: what the group fails with, when there is no next attempt.
    private func prepareNext(
        _ attempts: inout Attempts, after failure: PostgresError, of group: Group,
        _ unchanged: Set<Int64>
    ) throws(GroupFailure) {
        let mayHaveMoved = connection.destination.isOfShards && failure.mayComeOfMovedShard
        if mayHaveMoved { placements.doubt() }
        let isRerouted = mayHaveMoved && failure.failureClass == .stop
        if narrowsUntil != nil, failure.classOfOne != nil, !isRerouted {
            narrow(after: failure)
            throw blaming(group, failure, unchanged)
        }
        var next = attempts.next(after: failure, mayHaveMoved: mayHaveMoved, now: outside.now)
        if case .askForBlame(let isSure) = next {
            if let blaming = findBlame(group, failure, unchanged, isSure: isSure) {
                narrow(after: failure)
                if failure.failureClass == .stop {
                    logger.error(
                        "the database refuses a part of a group",
                        metadata: ["error": "\(failure)"])
                }
                throw blaming
            }
            next = attempts.foundNobody(after: failure, now: outside.now)
        }
        switch next {
        case .pause, .askForBlame: break
        case .reconnect: connection.close()
        case .askForDays:
            let isMissing: Bool
            do throws(PostgresError) {
                isMissing = try areDaysMissing(group)
            } catch {
                throw GroupFailure(error)
            }
            if isMissing { throw GroupFailure(failure) }
            guard attempts.foundAllDays() else { throw GroupFailure(failure.ofReading) }
        case .fail:
            if failure.failureClass == .stop {
                logger.error("the database refuses a group", metadata: ["error": "\(failure)"])
            }
            throw GroupFailure(failure)
        case .goAway:
            goAway(failure)
            throw GroupFailure(failure)
        }
        outside.pause(forAbout: health.pauseBeforeRetry())
    }

    /// Asks the database, because an operator's trigger can raise the code of a missing partition.
    /// Forgets the days that are missing.
    private func areDaysMissing(_ group: Group) throws(PostgresError) -> Bool {
        guard let session = connection.session else { return true }
        let days = group.parcels.reduce(into: Set<Int32>()) {
            $0.formUnion(DayHold.days(of: $1.parcel))
        }
        let missing = try session.missingDays(among: days)
        self.days.forget(missing)
        liveHold.forget(missing)
        backlogHold.forget(missing)
        return !missing.isEmpty
    }

    private func attempt(_ group: Group) throws(PostgresError) -> GroupResult {
        let session = try connection.open(
            to: placements.current.destination(of: group),
            by: deadline(in: configuration.connectMax))
        let start = outside.now
        let result = try connection.commit(group, by: attemptDeadline)
        let time = outside.now - start
        note(group, time)
        var times = session.times
        times.sift = max(.zero, time - times.claim - times.copy - times.commit)
        timesKept.withLock { $0.committed(times) }
        return result
    }

    /// A part of a group that is narrowed must not take as long as a group may.
    private var attemptDeadline: ContinuousClock.Instant {
        let deadline = deadline(in: configuration.attemptMax)
        guard let narrowsUntil else { return deadline }
        return min(deadline, max(narrowsUntil, outside.now + configuration.narrowMax / 2))
    }

    private func note(_ group: Group, _ time: Duration) {
        let rate = Int(Double(instruments.note(group, time)) / max(time / .seconds(1), 1e-6))
        let known = bytesPerSecond.load(ordering: .relaxed)
        bytesPerSecond.store(known == 0 ? rate : (known * 7 + rate) / 8, ordering: .relaxed)
    }

    /// After a COMMIT whose answer was lost, the group is sent again. If everything is then found
    /// stored, the first attempt did it, and its counts are right. For units this is not known:
    /// what their statement returns the second time stands.
    private static func truth(
        _ counts: [GroupCounts], _ inDoubt: [GroupCounts]?
    ) -> [GroupCounts] {
        guard let inDoubt, counts.allSatisfy({ $0.stored == 0 }) else { return counts }
        return inDoubt
    }

    // MARK: Connection

    /// Checks whether an idle connection still lives, and whether a database that was unreachable
    /// accepts rows again.
    func lookAfterConnection() {
        guard !isClosed, !isClosing else { return }
        // Between two groups no batch waits behind one. Without this, a lane whose group ended
        // without a commit while its queue was taken away would never get batches again.
        isStalled.store(false, ordering: .relaxed)
        if !blocked.isEmpty {
            let before = blocked.count
            blocked.forgetQuiet(now: outside.now)
            publishBlocked(before)
        }
        if health.isUp {
            guard connection.isStale else { return }
            connection.close()
            beat()
        } else if health.isBeatDue(now: outside.now) {
            beat()
        }
    }

    private func beat() {
        do throws(PostgresError) {
            let session = try connection.open(
                to: placements.current.destination(ofLane: number),
                by: deadline(in: configuration.connectMax))
            session.deadline = deadline(in: configuration.beatMax)
            try session.beat(node: configuration.node, lane: number)
        } catch {
            if connection.destination.isOfShards { placements.doubt() }
            goAway(error)
            return
        }
        health.succeeded()
        isStalled.store(false, ordering: .relaxed)
        failure.withLock { $0 = nil }
        if !isUp.exchange(true, ordering: .relaxed) {
            logger.info(
                "the database is writable",
                metadata: ["session": "\(connection.session?.name ?? "")"])
        }
    }

    /// Also closes the session, which may be the cause: its role may have been read-only, or had
    /// other limits, when it began. The next beat opens another.
    private func goAway(_ error: PostgresError) {
        connection.close()
        failure.withLock { $0 = error }
        isUp.store(false, ordering: .relaxed)
        logger.warning(
            "the database is not writable; batches go to the spool",
            metadata: ["error": "\(error)"])
        health.gaveUp(error, now: outside.now)
    }

    func deadline(in duration: Duration) -> ContinuousClock.Instant {
        let deadline = outside.now + duration
        guard let closesAt else { return deadline }
        return min(deadline, closesAt)
    }

    // MARK: Closing

    private var closesAt: ContinuousClock.Instant? { closing.withLock { $0 } }
    private var isClosing: Bool { closesAt != nil }

    /// From any thread: attempts that begin from now on end by `deadline`.
    func beginClosing(by deadline: ContinuousClock.Instant) {
        closing.withLock { $0 = deadline }
    }

    /// Commits the queue, or hands it to the spool from the deadline on, and closes the connection.
    func close() {
        drain()
        precondition(liveHold.isEmpty && backlogHold.isEmpty, "BUG: a batch is held at the end")
        isClosed = true
        isUp.store(false, ordering: .relaxed)
        connection.close()
    }
}
