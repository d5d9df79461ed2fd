import Channels
import Instruments
import Logging
import Postgres
import Scanner
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
    private let live: BoundedChannel<PendingGroup.Item>
    private let backlog: BoundedChannel<PendingGroup.Item>
    let configuration: IngestionConfiguration
    private let instruments: LaneInstruments
    let logger: Logger
    private let days: DayMaker<Outside>
    /// Takes what can't be committed now; nil: nobody does.
    private let overflow: SpoolIntake?
    private let unreplicated: UnreplicatedCommits

    var connection: GroupCommit<Outside>
    var health: LaneHealth
    private var turns: LaneTurns
    private var liveHold = PartitionWaitQueue()
    private var backlogHold = PartitionWaitQueue()
    var blocked = BlockedSenders()
    private var isClosed = false
    /// When a closing lane stops trying. Set from another thread, perhaps during a group.
    private let closing = Mutex<ContinuousClock.Instant?>(nil)
    private let timesKept = Mutex(LaneTimes())
    /// What is taken from a queue, for a moment.
    private var items: [PendingGroup.Item] = []
    var group = PendingGroup()
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
        live: BoundedChannel<PendingGroup.Item>, backlog: BoundedChannel<PendingGroup.Item>,
        configuration: IngestionConfiguration,
        days: DayMaker<Outside>, instruments: LaneInstruments, overflow: SpoolIntake?,
        unreplicated: UnreplicatedCommits, logger: Logger
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
        self.unreplicated = unreplicated
        var logger = logger
        logger[metadataKey: "lane"] = "\(number)"
        self.logger = logger
        connection = GroupCommit(lane: number, outside: outside, instruments: instruments)
        health = LaneHealth(configuration, now: outside.now)
        turns = LaneTurns(sharePercent: configuration.replaySharePercent, now: outside.now)
    }

    /// How it has spent its time so far. For any thread.
    var times: LaneTimes {
        let now = outside.now
        return timesKept.withLock { $0.seen(at: now) }
    }

    // MARK: Groups

    /// Takes groups until nothing is left that may be taken now, as ``LaneTurns`` decides. Device
    /// batches whose days are still to be made are held, and others go before them.
    func drain() {
        var taken = 0
        var now = outside.now
        while let turn = turns.next(taken: taken, isClosing: isClosing, now: now) {
            switch turn {
            case .live:
                let bytes = placements.current.bytesTaken(byLane: number, configuration)
                live.take(upTo: bytes, into: &items)
                taken = items.count
                group = PendingGroup(taking: &items)
                if taken > 0 || !liveHold.isEmpty { settleLive() }
            case .backlog(let portion):
                switch portion {
                case .held: break
                case .small: backlog.take(upTo: configuration.replayGroupBytesMax, into: &items)
                case .large: backlog.take(upTo: configuration.groupBytesMax, into: &items)
                }
                taken = items.count
                group = PendingGroup(taking: &items)
                if taken > 0 || !backlogHold.isEmpty { settleBacklog(now) }
            }
            now = outside.now
        }
    }

    private func settleLive() {
        // What can't be committed is offered to the spool, which then answers it.
        spool(PendingGroup(deviceBatches: prepare(&liveHold, heldMax: configuration.stallMax)))
        let apart = takeBlocked()
        spool(apart.waiting)
        groups(of: group).forEach(settleLive)
        spool(tryAlone(apart.due, settleLive))
        overflow?.dispatch()
    }

    private func settleBacklog(_ start: ContinuousClock.Instant) {
        var late = PendingGroup(
            deviceBatches: prepare(&backlogHold, heldMax: configuration.replayRetry))
        if isClosing {
            late += group
            group = PendingGroup()
        }
        let apart = takeBlocked()
        late += apart.waiting
        answer(SettledGroup(unavailable: late))
        guard !group.isEmpty || !apart.due.isEmpty else { return }
        timesKept.withLock { $0.begin(0, waited: .zero, now: start) }
        groups(of: group).forEach(settleBacklog)
        answer(SettledGroup(unavailable: tryAlone(apart.due, settleBacklog)))
        let end = outside.now
        turns.replayed(from: start, to: end)
        timesKept.withLock { $0.end(now: end) }
    }

    private func settleBacklog(_ group: PendingGroup) {
        var settled = settle(group)
        hold(&settled, in: &backlogHold)
        answer(settled)
    }

    /// Splits what was taken into groups, each one transaction.
    func groups(of taken: PendingGroup) -> [PendingGroup] {
        guard !taken.isEmpty else { return [] }
        return placements.current.groups(of: taken, bytesMax: configuration.groupBytesMax)
    }

    /// Reduces ``group`` to what can be written now: holds device batches that have to wait for
    /// their days, and adds held ones whose days are settled.
    ///
    /// - Returns: device batches for which there is no room to wait, or that have waited too long.
    private func prepare(
        _ hold: inout PartitionWaitQueue, heldMax: Duration
    ) -> [Pending<ReceivedDeviceBatch>] {
        // While the database is unreachable nothing waits for a day.
        guard health.isUp, !isClosing else {
            group.deviceBatches += hold.takeAll()
            return []
        }
        var refused = hold.admit(&group.deviceBatches, days.standings)
        let released = hold.release(offeredBefore: outside.now - heldMax, days.standings)
        refused += released.late
        if !released.ready.isEmpty {
            // In the order of offers, so that a device's older batch goes first.
            group.deviceBatches = (released.ready + group.deviceBatches).sorted {
                $0.offeredAt < $1.offeredAt
            }
        }
        return refused
    }

    private func spool(_ pendings: PendingGroup) {
        let left = PendingGroup(
            deviceBatches: pendings.deviceBatches.filter {
                overflow?.take(.deviceBatch($0)) != true
            },
            units: pendings.units.filter { overflow?.take(.unit($0)) != true })
        answer(SettledGroup(unavailable: left))
    }

    private func settleLive(_ group: PendingGroup) {
        let now = outside.now
        var waited = Duration.zero
        func note(_ offeredAt: ContinuousClock.Instant) {
            let wait = now - offeredAt
            instruments.queueWait.record(wait)
            waited += wait
        }
        for pending in group.deviceBatches { note(pending.offeredAt) }
        for pending in group.units { note(pending.offeredAt) }
        timesKept.withLock { $0.begin(group.count, waited: waited, now: now) }
        var settled = settle(group)
        hold(&settled, in: &liveHold)
        settled.deviceBatches.removeAll { spool($0, as: PendingGroup.Item.deviceBatch) }
        settled.units.removeAll { spool($0, as: PendingGroup.Item.unit) }
        answer(settled)
        overflow?.dispatch()
        let end = outside.now
        timesKept.withLock { $0.end(now: end) }
    }

    /// - Returns: whether the spool has taken what was not committed.
    private func spool<Payload>(
        _ settled: SettledGroup.Member<Payload>, as item: (Pending<Payload>) -> PendingGroup.Item
    ) -> Bool {
        guard case .unavailable = settled.outcome, let overflow else { return false }
        var pending = settled.pending
        pending.isInDoubt = isInDoubt
        return overflow.take(item(pending))
    }

    /// Holds back what was not committed because somebody dropped its days' partitions.
    private func hold(_ settled: inout SettledGroup, in hold: inout PartitionWaitQueue) {
        guard health.isUp, !isClosing else { return }
        settled.deviceBatches.removeAll { settled in
            guard case .unavailable = settled.outcome else { return false }
            return hold.needsAnswer(settled.pending) && hold.hold(settled.pending)
        }
    }

    /// Commits as much of a group as possible. What is committed is among the unreplicated commits
    /// before it is answered.
    private func settle(_ pendings: PendingGroup) -> SettledGroup {
        let history = outside.history
        isInDoubt = false
        asksBefore = isTrial
        narrowsUntil = isTrial ? outside.now + configuration.narrowMax : nil
        let group = Group(pendings)
        var settlement = GroupSettlement(known: waiting(of: group)) { group throws(Group.Failure) in
            try self.commit(group)
        }
        let outcomes = settlement.settle(group)
        note(settlement, of: group, outcomes)
        instruments.groupsSplit.increment(by: settlement.splits)
        instruments.noteRefusals(outcomes.deviceBatches)
        let settled = SettledGroup(pendings, outcomes)
        unreplicated.keep(
            settled, history: history, isReplaced: outside.history != history, now: outside.now)
        return settled
    }

    /// Answers a group, except what ``UnreplicatedCommits`` answers.
    private func answer(_ group: SettledGroup) {
        (unreplicated.answers ? group.committed(false) : group).answer()
    }

    /// Commits one group, with retries while they may help and `patience` lasts. While a group is
    /// narrowed, with one attempt at each part.
    private func commit(_ given: Group) throws(Group.Failure) -> Group.Result {
        var group = given
        if let failure = health.failure { throw Group.Failure(failure) }
        if let narrowsUntil, outside.now >= narrowsUntil {
            throw Group.Failure(PostgresError(.deadlineExceeded))
        }
        if asksBefore {
            asksBefore = false
            try demandUnlocked(group)
        }
        var attempts = LaneHealth.Attempts(
            giveUpAt: deadline(in: configuration.patience),
            lockGiveUpAt: deadline(in: configuration.lockWaitMax))
        var inDoubt: [BatchCounts]?
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
            do throws(Group.Failure) {
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
        _ attempts: inout LaneHealth.Attempts, after failure: PostgresError, of group: Group,
        _ unchanged: Set<Int64>
    ) throws(Group.Failure) {
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
                throw Group.Failure(error)
            }
            if isMissing { throw Group.Failure(failure) }
            guard attempts.foundAllDays() else { throw Group.Failure(failure.ofReading) }
        case .fail:
            if failure.failureClass == .stop {
                logger.error("the database refuses a group", metadata: ["error": "\(failure)"])
            }
            throw Group.Failure(failure)
        case .goAway:
            goAway(failure)
            throw Group.Failure(failure)
        }
        outside.pause(forAbout: health.pauseBeforeRetry())
    }

    /// Asks the database, because an operator's trigger can raise the code of a missing partition.
    /// Forgets the days that are missing.
    private func areDaysMissing(_ group: Group) throws(PostgresError) -> Bool {
        guard let session = connection.session else { return true }
        let days = group.deviceBatches.reduce(into: Set<Int32>()) {
            $0.formUnion(PartitionWaitQueue.days(of: $1.deviceBatch))
        }
        let missing = try session.missingDays(among: days)
        self.days.forget(missing)
        liveHold.forget(missing)
        backlogHold.forget(missing)
        return !missing.isEmpty
    }

    private func attempt(_ group: Group) throws(PostgresError) -> Group.Result {
        let session = try connection.open(
            to: placements.current.destination(of: group),
            by: deadline(in: configuration.connectMax))
        let start = outside.now
        let result = try connection.commit(group, on: session, by: attemptDeadline)
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
        _ counts: [BatchCounts], _ inDoubt: [BatchCounts]?
    ) -> [BatchCounts] {
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
            heartbeat()
        } else if health.isHeartbeatDue(now: outside.now) {
            heartbeat()
        }
    }

    private func heartbeat() {
        do throws(PostgresError) {
            let session = try connection.open(
                to: placements.current.destination(ofLane: number),
                by: deadline(in: configuration.connectMax))
            session.deadline = deadline(in: configuration.heartbeatMax)
            try session.heartbeat(node: configuration.node, lane: number)
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
    /// other limits, when it began. The next heartbeat opens another.
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
