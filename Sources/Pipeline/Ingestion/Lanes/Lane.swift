import Channels
import Instruments
import Logging
import Postgres
import Readings
import Scanning
import Synchronization

/// One writer: two bounded channels, a loop, a connection.
///
/// All work, including waiting and sleeping, happens on the loop; other threads only offer, query
/// and close.
final class Lane<Outside: World>: Sendable {
    let number: Int
    private let configuration: IngestionConfiguration
    private let live: BoundedChannel<Shipment>
    private let backlog: BoundedChannel<Shipment>
    private let worker: LaneWorker<Outside>
    private let loop: any WorkLoop
    private let hasNews = Atomic(false)

    init(
        number: Int, outside: Outside, placements: PlacementBook,
        configuration: IngestionConfiguration, days: DayMaker<Outside>,
        instruments: LaneInstruments, overflow: (any Overflow)?, tail: Tail, logger: Logger
    ) {
        self.number = number
        self.configuration = configuration
        let live = BoundedChannel<Shipment>(bytesMax: configuration.laneBytesMax)
        // Filled by the replay alone, which bounds what it has under way.
        let backlog = BoundedChannel<Shipment>(bytesMax: .max)
        let worker = LaneWorker(
            number: number, outside: outside, placements: placements, live: live, backlog: backlog,
            configuration: configuration, days: days, instruments: instruments,
            overflow: overflow, tail: tail, logger: logger)
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
        _ shipment: Shipment, isSibling: Bool = false
    ) -> BoundedChannel<Shipment>.Offer {
        let offer = live.offer(
            shipment, bytes: shipment.memory, flow: shipment.flow, isBound: !isSibling)
        if offer == .taken { hasNews.store(true, ordering: .releasing) }
        return offer
    }

    /// Queues a part of the backlog, to be written when live batches leave time.
    func offerBacklog(_ shipment: Shipment) -> Bool {
        guard backlog.offer(shipment, bytes: shipment.memory) == .taken else {
            return false
        }
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
    func takeStalled(longerThan limit: Duration, now: ContinuousClock.Instant) -> [Shipment] {
        guard let oldest = live.first?.offeredAt, now - oldest > limit else { return [] }
        worker.isStalled.store(true, ordering: .relaxed)
        var stalled: [Shipment] = []
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

/// The queues and ``LaneTimes`` of all lanes as metrics.
struct LaneFigures<Outside: World>: MetricSource {
    let lanes: LaneBook<Outside>

    func expose(to text: inout MetricText) {
        let lanes = lanes.all
        func gauge(_ name: String, _ help: String, _ value: (Lane<Outside>) -> Int) {
            text.family(name, .gauge, help: help)
            for lane in lanes {
                text.sample(value(lane), labels: [MetricLabel("lane", "\(lane.number)")])
            }
        }
        gauge("sluice_lane_waiting_batches", "Batches that wait for a lane.") { $0.depth.elements }
        gauge("sluice_lane_waiting_bytes", "Bytes of batches that wait for a lane.") {
            $0.depth.bytes
        }
        gauge(
            "sluice_lane_blocked",
            "Devices and owners that a lane can't write while it writes others."
        ) { $0.blockedCount }
        gauge("sluice_lane_up", "1 while the lane commits, 0 while batches go to the spool.") {
            $0.isTaking ? 1 : 0
        }
        let all = lanes.map { ([MetricLabel("lane", "\($0.number)")], $0.times) }
        text.family(
            "sluice_lane_batches_total", .counter,
            help: "Batches and units taken from the queue of a lane.")
        for (labels, times) in all { text.sample(times.batches, labels: labels) }
        text.family(
            "sluice_lane_groups_total", .counter, help: "Transactions that a lane committed.")
        for (labels, times) in all { text.sample(times.groups, labels: labels) }
        func seconds(_ name: String, _ help: String, _ time: (LaneTimes) -> Duration) {
            text.family(name, .counter, help: help)
            for (labels, times) in all {
                text.sample(time(times) / .seconds(1), labels: labels)
            }
        }
        seconds(
            "sluice_lane_wait_seconds_total", "Time that batches waited for a lane, added up."
        ) { $0.wait }
        seconds(
            "sluice_lane_stay_seconds_total",
            "Time that batches were in a lane's group, added up."
        ) { $0.stay }
        seconds(
            "sluice_lane_busy_seconds_total", "Time in which a lane had a group to commit."
        ) { $0.busy }
        text.family(
            "sluice_lane_step_seconds_total", .counter,
            help: "Time of a lane's committed transactions, by step.")
        for (labels, times) in all {
            for (step, time) in [
                ("claim", times.steps.claim), ("sift", times.steps.sift),
                ("copy", times.steps.copy), ("commit", times.steps.commit),
            ] {
                text.sample(time / .seconds(1), labels: labels + [MetricLabel("step", step)])
            }
        }
    }
}

/// Where a lane's batches go when the database doesn't take them.
protocol Overflow: AnyObject, Sendable {
    /// Takes a shipment together with the duty to settle its receipt.
    ///
    /// - Returns: false when there is no room; the lane answers then.
    func take(_ shipment: Shipment) -> Bool
    /// To be called after a run of ``take(_:)``.
    func dispatch()
}
