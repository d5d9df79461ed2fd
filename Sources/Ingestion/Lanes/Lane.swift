import Channels
import Instruments
import Logging
import Postgres
import Readings
import Scanning
import Synchronization

/// One writer: two bounded channels, a loop, a connection.
///
/// All of the work, also waiting and sleeping, is done on the loop; other threads only offer, ask,
/// and close.
final class Lane<Outside: World>: Sendable {
    let number: Int
    private let configuration: IngestionConfiguration
    private let live: BoundedChannel<Consignment>
    private let backlog: BoundedChannel<Consignment>
    private let worker: LaneWorker<Outside>
    private let loop: any WorkLoop
    private let hasNews = Atomic(false)

    init(
        number: Int, outside: Outside, routes: RouteBook, configuration: IngestionConfiguration,
        days: DayMaker<Outside>, instruments: LaneInstruments, overflow: (any Overflow)?,
        logger: Logger
    ) {
        self.number = number
        self.configuration = configuration
        let live = BoundedChannel<Consignment>(bytesMax: configuration.laneBytesMax)
        // Filled by the replay alone, which bounds what it has under way.
        let backlog = BoundedChannel<Consignment>(bytesMax: .max)
        let worker = LaneWorker(
            number: number, outside: outside, routes: routes, live: live, backlog: backlog,
            configuration: configuration, days: days, instruments: instruments,
            overflow: overflow, logger: logger)
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
    }

    /// Whether batches should come here and not go to the spool.
    var isTaking: Bool {
        worker.isUp.load(ordering: .relaxed) && !worker.isStalled.load(ordering: .relaxed)
    }

    /// Why it does not write; nil while it does.
    var failure: PostgresError? { worker.failure.withLock { $0 } }

    /// What it has done with its time, up to now.
    var times: LaneTimes { worker.times }

    /// Elements and bytes that wait.
    var depth: (elements: Int, bytes: Int) { live.depth }

    /// Calls back on the lane's loop when it has looked for its database once.
    func lookNow(_ done: @escaping @Sendable () -> Void) {
        loop.run {
            self.worker.lookAfterConnection()
            done()
        }
    }

    func hasRoom(for bytes: Int) -> Bool { live.hasRoom(for: bytes) }

    /// - Parameter isSibling: a part of the same batch was taken just now: it makes no sense to turn
    ///   away the rest.
    func offer(
        _ consignment: Consignment, isSibling: Bool = false
    ) -> BoundedChannel<Consignment>.Offer {
        let offer = live.offer(
            consignment, bytes: consignment.memory, flow: consignment.flow, isBound: !isSibling)
        if offer == .taken { hasNews.store(true, ordering: .releasing) }
        return offer
    }

    /// Takes a part of the backlog, to be written when live batches leave time.
    func offerBacklog(_ consignment: Consignment) -> Bool {
        guard backlog.offer(consignment, bytes: consignment.memory) == .taken else {
            return false
        }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    /// Wakes the writer if anything was offered since the last time.
    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.raise() }
    }

    /// Wakes the writer: something has become of a day that it may wait for.
    func daysChanged() { loop.raise() }

    /// Takes out all live batches when the oldest has waited for longer than `limit`, and sends new
    /// ones elsewhere until a group is committed again.
    func takeStalled(longerThan limit: Duration, now: ContinuousClock.Instant) -> [Consignment] {
        guard let oldest = live.first?.offeredAt, now - oldest > limit else { return [] }
        worker.isStalled.store(true, ordering: .relaxed)
        var stalled: [Consignment] = []
        live.take(upTo: .max, into: &stalled)
        return stalled
    }

    /// How long it takes to work off what waits, at the rate of late; between one second and half a
    /// minute.
    var retryAfter: Duration {
        let rate = max(worker.bytesPerSecond.load(ordering: .relaxed), 1)
        let seconds = Double(live.depth.bytes) / Double(rate)
        return .seconds(min(max(seconds, 1), 30))
    }

    /// Takes no more and works off what waits; what is not committed by `deadline` goes to the
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
