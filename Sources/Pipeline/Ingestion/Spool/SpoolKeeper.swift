import Channels
public import Instruments
import Logging
import Readings
import Scanning
import Spooling
import Synchronization

/// The spool's loop: writes what the database doesn't take, acknowledges it once it is on disk, and
/// brings it back.
final class SpoolKeeper<Outside: World>: Overflow, AcknowledgementTarget, @unchecked Sendable {
    // Guard of `@unchecked`: `spool`, `replay` and what else is mutable are touched on the loop only
    // (and in `start`, before there is one); the rest is for everybody.

    let outside: Outside
    let configuration: IngestionConfiguration
    let instruments: SpoolInstruments
    let ledger: SpoolLedger
    let unitLedger: SpoolLedger
    let logger: Logger
    /// By their names.
    let unitKinds: [String: UnitKind]
    let routes: RouteBook
    let tail: Tail

    let intake: BoundedChannel<Shipment>
    private let hasNews = Atomic(false)
    /// False for a moment after the disk was full or failed.
    let isWriting = Atomic(true)
    private let published: Mutex<SpoolFigures>
    private let publishedKept = Mutex(KeptRecords())
    private let loop = Mutex<(any WorkLoop)?>(nil)

    /// nil once it is closed: its lock goes with it.
    private var opened: Spool<Outside.SpoolDisk>?
    var replay: Replay
    var reminder = Reminder()
    var unknownKinds = UnknownKinds()
    private(set) var lanes: [Lane<Outside>] = []
    private(set) var isStopping = false
    /// The spool's directory is not where it was; told once.
    var isDirectoryLost = false
    var items: [Shipment] = []
    var record = RecordWriter()

    init(
        outside: Outside, spool: consuming Spool<Outside.SpoolDisk>, tail: Tail,
        unitKinds: [UnitKind],
        routes: RouteBook, configuration: IngestionConfiguration, instruments: SpoolInstruments,
        ledger: SpoolLedger, unitLedger: SpoolLedger, logger: Logger
    ) {
        self.outside = outside
        self.tail = tail
        self.configuration = configuration
        self.instruments = instruments
        self.ledger = ledger
        self.unitLedger = unitLedger
        self.logger = logger
        self.routes = routes
        self.unitKinds = Dictionary(uniqueKeysWithValues: unitKinds.map { ($0.name, $0) })
        opened = spool
        intake = BoundedChannel(bytesMax: configuration.spoolIntakeBytesMax)
        replay = Replay(
            bytesMax: configuration.replayBytesMax, retryMin: configuration.replayRetry,
            retryMax: configuration.replayRetryMax)
        published = Mutex(spool.figures)
        let tally = spool.figures.tally
        ledger.enter { $0.found += tally[.readings] }
        unitLedger.enter { $0.found += tally[.workUnits] }
    }

    /// Begins to watch the lanes and to bring back what is there.
    func start(_ lanes: [Lane<Outside>]) {
        self.lanes = lanes
        let loop = outside.makeLoop(
            "sluice.spool", every: configuration.lookInterval,
            wake: { [weak self] in self?.wake() }, tick: { [weak self] in self?.tick() })
        self.loop.withLock { $0 = loop }
    }

    // MARK: For everybody

    /// Whether a batch of this size would be taken now.
    func hasRoom(for bytes: Int) -> Bool {
        isWriting.load(ordering: .relaxed) && intake.hasRoom(for: bytes)
    }

    func knows(_ kind: UnitKind) -> Bool { unitKinds[kind.name] == kind }

    func take(_ shipment: Shipment) -> Bool {
        isWriting.load(ordering: .relaxed) && take(shipment, isSibling: false)
    }

    /// - Parameter isSibling: a part of the same batch was taken just now: it makes no sense to turn
    ///   away the rest.
    func take(_ shipment: Shipment, isSibling: Bool) -> Bool {
        let offer = intake.offer(shipment, bytes: shipment.memory, isBound: !isSibling)
        guard offer == .taken else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.withLock { $0 }?.raise() }
    }

    /// As it was after the last group.
    var figures: SpoolFigures { published.withLock { $0 } }

    /// What stays in the spool for another process.
    var keptRecords: KeptRecords { publishedKept.withLock { $0 } }

    /// Records that the lanes are done with.
    func deliver(_ acknowledgements: [Acknowledgement]) {
        loop.withLock { $0 }?.run {
            // What arrives behind the end stays in the spool and is found stored the next time.
            guard self.opened != nil else { return }
            for acknowledgement in acknowledgements { self.arrived(acknowledgement) }
            self.bringBack()
        }
    }

    /// Brings nothing back any more; what is under way arrives.
    func stopReplay() {
        loop.withLock { $0 }?.run { self.isStopping = true }
    }

    /// Writes what waits and closes the spool. No lane may be at work any more.
    func close(_ done: @escaping @Sendable () -> Void) {
        intake.close()
        guard let loop = loop.withLock({ $0 }) else { return done() }
        loop.run {
            self.isStopping = true
            self.tail.end()
            // It may have been full at the last tick. What was acknowledged goes before what may get a
            // 503.
            self.isWriting.store(self.findsDirectory(), ordering: .relaxed)
            self.writeTail()
            self.isWriting.store(self.findsDirectory(), ordering: .relaxed)
            self.write()
            self.writeOverdue()
            self.tellOfLostTail()
            if self.isDirectoryLost { self.tellOfLostFiles() }
            self.spool.close()
            self.opened = nil
            loop.stop()
            done()
        }
    }

    // MARK: On the loop

    var spool: Spool<Outside.SpoolDisk> {
        guard let opened else { preconditionFailure("BUG: the spool is closed") }
        return opened
    }

    private func wake() {
        write()
        bringBack()
    }

    private func tick() {
        guard !isStopping else { return }
        isWriting.store(findsDirectory(), ordering: .relaxed)
        watchLanes()
        write()
        returnTail()
        writeOverdue()
        bringBack()
    }

    /// Takes batches from lanes that keep them waiting for too long.
    private func watchLanes() {
        let now = outside.now
        for lane in lanes {
            let stalled = lane.takeStalled(longerThan: configuration.stallMax, now: now)
            guard !stalled.isEmpty else { continue }
            instruments.stalls.increment()
            logger.warning(
                "a lane keeps batches waiting; they go to the spool",
                metadata: ["lane": "\(lane.number)", "batches": "\(stalled.count)"])
            var deliveries = Deliveries()
            for shipment in stalled where !take(shipment) {
                deliveries.settle(
                    shipment.receipt, .unavailable(retryAfter: CommitOutcome.awayTime))
            }
            deliveries.send()
        }
    }

    func publishKept() {
        let kept = KeptRecords(count: replay.keptCount, unknownUnits: unknownKinds.units)
        publishedKept.withLock { $0 = kept }
    }

    func publish() {
        let figures = spool.figures
        let readings = ledger.snapshot.pending - figures.tally[.readings]
        let units = unitLedger.snapshot.pending - figures.tally[.workUnits]
        precondition(
            readings >= 0 && units >= 0,
            "BUG: spool \(figures), ledgers \(ledger.snapshot), \(unitLedger.snapshot)")
        if readings > 0 || units > 0 {
            logger.critical(
                "the spool can't read back what it had promised to keep; its file is moved aside",
                metadata: ["readings": "\(readings)", "units": "\(units)"])
            ledger.enter { $0.lost += readings }
            unitLedger.enter { $0.lost += units }
        }
        published.withLock { $0 = figures }
    }
}

/// What the spool tells of itself, besides its ledger.
public final class SpoolInstruments: Sendable {
    let syncTime: Histogram
    let recordReadings: Histogram
    let batchesRefused: Counter
    let failures: Counter
    let stalls: Counter

    /// Registers all of them, once for each registry.
    public init(_ registry: Registry) {
        syncTime = registry.histogram(
            "sluice_spool_sync_seconds", help: "Time to write and sync a group of batches.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        recordReadings = registry.histogram(
            "sluice_spool_record_readings", help: "Readings a record.",
            unit: .count, bounds: Histogram.sizeBounds)
        batchesRefused = registry.counter(
            "sluice_spool_refused_total", help: "Batches that the spool had no room for.")
        failures = registry.counter(
            "sluice_spool_failures_total", help: "Groups that could not be written or synced.")
        stalls = registry.counter(
            "sluice_lane_stalls_total",
            help: "Times that batches went to the spool because their lane took too long.")
    }
}
