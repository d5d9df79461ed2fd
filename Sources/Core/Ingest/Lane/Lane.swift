import Channels
import Instruments
import Logging
import Postgres
import Readings
import Scanner
import Synchronization

/// One writer: two bounded channels, a loop, a connection.
///
/// All work, including waiting and sleeping, happens on the loop; other threads only offer, query
/// and close.
final class Lane<Outside: World>: Sendable {
    let number: Int
    private let configuration: IngestionConfiguration
    private let live: BoundedChannel<PendingGroup.Item>
    private let backlog: BoundedChannel<PendingGroup.Item>
    private let worker: LaneWorker<Outside>
    private let loop: any WorkLoop
    private let hasNews = Atomic(false)

    init(
        number: Int, outside: Outside, placements: PlacementBook,
        configuration: IngestionConfiguration, days: DayMaker<Outside>,
        instruments: LaneInstruments, overflow: SpoolIntake?, unreplicated: UnreplicatedCommits,
        logger: Logger
    ) {
        self.number = number
        self.configuration = configuration
        let live = BoundedChannel<PendingGroup.Item>(bytesMax: configuration.laneBytesMax)
        // Filled by the replay alone, which bounds what it has under way.
        let backlog = BoundedChannel<PendingGroup.Item>(bytesMax: .max)
        let worker = LaneWorker(
            number: number, outside: outside, placements: placements, live: live, backlog: backlog,
            configuration: configuration, days: days, instruments: instruments,
            overflow: overflow, unreplicated: unreplicated, logger: logger)
        self.live = live
        self.backlog = backlog
        self.worker = worker
        loop = outside.makeLoop(
            "sluice.lane.\(number)", every: configuration.lookInterval,
            wake: { worker.drain() },
            tick: {
                worker.lookAfterConnection()
                worker.drain()
            })
        loop.start()
    }

    /// Whether batches should be queued here rather than spooled.
    var isTaking: Bool {
        worker.isUp.load(ordering: .relaxed) && !worker.isStalled.load(ordering: .relaxed)
    }

    /// Why it does not write; nil while it does.
    var failure: PostgresError? { worker.failure.withLock { $0 } }

    /// Devices and owners that it can't write while it writes others.
    var blockedCount: Int { worker.blockedCount.load(ordering: .relaxed) }

    /// How it has spent its time so far.
    var times: LaneTimes { worker.times }

    /// Queued elements and bytes.
    var depth: (elements: Int, bytes: Int) { live.depth }

    /// Calls back on the lane's loop after one attempt to reach the database.
    func lookNow(_ done: @escaping @Sendable () -> Void) {
        loop.run {
            self.worker.lookAfterConnection()
            done()
        }
    }

    func hasRoom(for bytes: Int) -> Bool { live.hasRoom(for: bytes) }

    /// - Parameter isSibling: another part of the same batch was just taken, so this one is not
    ///   turned away for lack of room.
    func offer(
        _ item: PendingGroup.Item, isSibling: Bool = false
    ) -> BoundedChannel<PendingGroup.Item>.Offer {
        let offer = live.offer(
            item, bytes: item.memory, flow: item.flow, isBound: !isSibling)
        if offer == .taken { hasNews.store(true, ordering: .releasing) }
        return offer
    }

    /// Queues a part of the backlog, to be written when live batches leave time.
    func offerBacklog(_ item: PendingGroup.Item) -> Bool {
        guard backlog.offer(item, bytes: item.memory) == .taken else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    /// Wakes the writer if anything was offered since the last time.
    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.raise() }
    }

    /// Wakes the writer, because a day that it waits for may be settled.
    func daysChanged() { loop.raise() }

    /// Takes out all live batches when the oldest has waited for longer than `limit`, and lets new
    /// ones go to the spool until the current group is done.
    func takeStalled(longerThan limit: Duration, now: ContinuousClock.Instant) -> [PendingGroup
        .Item]
    {
        guard let oldest = live.first?.offeredAt, now - oldest > limit else { return [] }
        worker.isStalled.store(true, ordering: .relaxed)
        var stalled: [PendingGroup.Item] = []
        live.take(upTo: .max, into: &stalled)
        return stalled
    }

    /// Time to drain the queue at the recent commit rate, between 1 and 30 seconds.
    var retryAfter: Duration {
        let rate = max(worker.bytesPerSecond.load(ordering: .relaxed), 1)
        let seconds = Double(live.depth.bytes) / Double(rate)
        return .seconds(min(max(seconds, 1), 30))
    }

    /// Stops taking batches and commits the queue; what is not committed by `deadline` goes to the
    /// spool.
    func close(by deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
        live.close()
        backlog.close()
        worker.beginClosing(by: deadline)
        loop.run {
            self.worker.close()
            self.loop.stop()
            done()
        }
    }
}

extension Lane {
    /// The lanes of a core. Their number rises when more nodes of a cluster become known, and never
    /// falls: a lane that has no shards is idle.
    ///
    /// For any thread. Lanes are added before the placement that needs them is installed, so whoever
    /// takes a number from a placement first finds its lane here.
    final class Book: Sendable {
        private struct Later {
            var lanes: [Lane<Outside>] = []
            var isClosed = false
        }

        private let first: [Lane<Outside>]
        private let later = Mutex(Later())
        private let hasGrown = Atomic(false)

        init(_ lanes: [Lane<Outside>]) { first = lanes }

        var all: [Lane<Outside>] {
            guard hasGrown.load(ordering: .acquiring) else { return first }
            return first + later.withLock { $0.lanes }
        }

        var count: Int { first.count + later.withLock { $0.lanes.count } }

        subscript(number: Int) -> Lane<Outside> {
            if number < first.count { return first[number] }
            return later.withLock { $0.lanes[number - first.count] }
        }

        /// - Returns: false once ``close()`` was called; the lanes are not added then.
        func add(_ lanes: [Lane<Outside>]) -> Bool {
            let isAdded = later.withLock { later in
                guard !later.isClosed else { return false }
                later.lanes += lanes
                return true
            }
            if isAdded { hasGrown.store(true, ordering: .releasing) }
            return isAdded
        }

        /// - Returns: all lanes; no other is added from now on.
        func close() -> [Lane<Outside>] {
            first
                + later.withLock { later in
                    later.isClosed = true
                    return later.lanes
                }
        }
    }
}
