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
    // Guard of `@unchecked`: `spool`, `replay` and other mutable properties are touched on the loop
    // only (and in `start`, before there is one); the rest is for any thread.

    let outside: Outside
    let configuration: IngestionConfiguration
    let instruments: SpoolInstruments
    let ledger: SpoolLedger
    let unitLedger: SpoolLedger
    let logger: Logger
    /// By name.
    let unitKinds: [String: UnitKind]
    let placements: PlacementBook
    let tail: Tail

    let intake: BoundedChannel<Shipment>
    private let hasNews = Atomic(false)
    /// False after the disk was full or failed, until the next tick finds the directory in place.
    let isWriting = Atomic(true)
    private let published: Mutex<SpoolFigures>
    private let publishedKept = Mutex(KeptRecords())
    private let loop = Mutex<(any WorkLoop)?>(nil)

    /// nil once it is closed, which releases its lock.
    private var opened: Spool<Outside.SpoolDisk>?
    var replay: Replay
    var reminder = Reminder()
    var unknownKinds = UnknownKinds()
    private(set) var lanes = LaneBook<Outside>([])
    private(set) var isStopping = false
    /// The spool's directory is not where it was; logged once.
    var isDirectoryLost = false
    var items: [Shipment] = []
    var record = RecordWriter()

    init(
        outside: Outside, spool: consuming Spool<Outside.SpoolDisk>, tail: Tail,
        unitKinds: [UnitKind],
        placements: PlacementBook, configuration: IngestionConfiguration,
        instruments: SpoolInstruments,
        ledger: SpoolLedger, unitLedger: SpoolLedger, logger: Logger
    ) {
        self.outside = outside
        self.tail = tail
        self.configuration = configuration
        self.instruments = instruments
        self.ledger = ledger
        self.unitLedger = unitLedger
        self.logger = logger
        self.placements = placements
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

    /// Starts to watch the lanes and to replay the spool.
    func start(_ lanes: LaneBook<Outside>) {
        self.lanes = lanes
        let loop = outside.makeLoop(
            "sluice.spool", every: configuration.lookInterval,
            wake: { [weak self] in self?.wake() }, tick: { [weak self] in self?.tick() })
        self.loop.withLock { $0 = loop }
        loop.start()
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

    /// - Parameter isSibling: another part of the same batch was just taken, so this one is not
    ///   turned away for lack of room.
    func take(_ shipment: Shipment, isSibling: Bool) -> Bool {
        guard shipment.mayWaitInSpool else { return false }
        let offer = intake.offer(shipment, bytes: shipment.memory, isBound: !isSibling)
        guard offer == .taken else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.withLock { $0 }?.raise() }
    }

    /// As of the last change.
    var figures: SpoolFigures { published.withLock { $0 } }

    /// What stays in the spool for another process.
    var keptRecords: KeptRecords { publishedKept.withLock { $0 } }

    /// The lanes' answers for replayed records.
    func deliver(_ acknowledgements: [Acknowledgement]) {
        loop.withLock { $0 }?.run {
            // A record answered after the end stays in the spool and is found stored the next time.
            guard self.opened != nil else { return }
            for acknowledgement in acknowledgements { self.arrived(acknowledgement) }
            self.bringBack()
        }
    }

    /// Stops the replay; records under way are still answered.
    func stopReplay() {
        loop.withLock { $0 }?.run { self.isStopping = true }
    }

    /// Writes the queue and closes the spool. All lanes must have ended.
    func close(_ done: @escaping @Sendable () -> Void) {
        intake.close()
        guard let loop = loop.withLock({ $0 }) else { return done() }
        loop.run {
            self.isStopping = true
            self.tail.end()
            // The disk may have been full at the last tick. Acknowledged commits go before batches
            // that may still get a 503.
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
        readAgain()
        bringBack()
    }

    /// Takes batches from lanes that keep them waiting for too long.
    private func watchLanes() {
        let now = outside.now
        for lane in lanes.all {
            let stalled = lane.takeStalled(longerThan: configuration.stallMax, now: now)
            guard !stalled.isEmpty else { continue }
            instruments.stalls.increment()
            logger.warning(
                "a lane is stalled; its pending batches go to the spool",
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
                "records of the spool are damaged; their file is kept as bad-….lz4",
                metadata: ["readings": "\(readings)", "units": "\(units)"])
            ledger.enter { $0.lost += readings }
            unitLedger.enter { $0.lost += units }
        }
        published.withLock { $0 = figures }
    }
}

/// The spool's instruments, besides its ledger.
public final class SpoolInstruments: Sendable {
    let syncTime: Histogram
    let recordReadings: Histogram
    let batchesRefused: Counter
    let failures: Counter
    let readFailures: Counter
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
        readFailures = registry.counter(
            "sluice_spool_read_failures_total",
            help: "Times that a record or file of the spool could not be read; it is tried again.")
        stalls = registry.counter(
            "sluice_lane_stalls_total",
            help: "Times that batches went to the spool because their lane took too long.")
    }
}
