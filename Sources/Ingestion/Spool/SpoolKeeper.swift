import Channels
import Instruments
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
    let unitLedger: SpooledUnitLedger
    let logger: Logger
    /// By their names.
    let unitKinds: [String: UnitKind]
    let routes: RouteBook

    let intake: BoundedChannel<SpoolItem>
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
    var items: [SpoolItem] = []
    var record = RecordWriter()

    init(
        outside: Outside, spool: consuming Spool<Outside.SpoolDisk>, unitKinds: [UnitKind],
        routes: RouteBook, configuration: IngestionConfiguration, instruments: SpoolInstruments,
        ledger: SpoolLedger, unitLedger: SpooledUnitLedger, logger: Logger
    ) {
        self.outside = outside
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
        ledger.find(spool.figures.tally[.readings])
        unitLedger.find(spool.figures.tally[.workUnits])
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

    func offer(_ item: SpoolItem) -> Bool {
        guard isWriting.load(ordering: .relaxed), intake.offer(item, bytes: item.memory) == .taken
        else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    func take(_ consignment: Consignment) -> Bool {
        let load: SpoolItem.Load =
            switch consignment.load {
            case .parcel(let parcel, let keyName): .parcels([parcel], keyName: keyName)
            case .unit(let unit): .unit(unit)
            }
        return offer(
            SpoolItem(
                load: load, receivedAt: consignment.receivedAt, receipt: consignment.receipt))
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
            self.write()
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
            for consignment in stalled where !take(consignment) {
                deliveries.settle(
                    consignment.receipt, .unavailable(retryAfter: CommitOutcome.awayTime))
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
        let readings = ledger.snapshot.waiting - figures.tally[.readings]
        let units = unitLedger.snapshot.waiting - figures.tally[.workUnits]
        precondition(
            readings >= 0 && units >= 0,
            "BUG: spool \(figures), ledgers \(ledger.snapshot), \(unitLedger.snapshot)")
        if readings > 0 || units > 0 {
            logger.critical(
                "the spool can't read back what it had promised to keep; its file is moved aside",
                metadata: ["readings": "\(readings)", "units": "\(units)"])
            ledger.setAside(readings)
            unitLedger.lose(units)
        }
        published.withLock { $0 = figures }
    }
}
