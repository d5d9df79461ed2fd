import Channels
import Instruments
import Logging
import Readings
import Scanner
import SpoolLog
import Synchronization

/// The spool's loop: writes what the database doesn't take, acknowledges it once it is on disk, and
/// brings it back.
final class SpoolKeeper<Outside: World>: AcknowledgementTarget, @unchecked Sendable {
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
    let unreplicated: UnreplicatedCommits

    let intake: SpoolIntake
    private let published: Mutex<SpoolFigures>
    private let publishedKept = Mutex(KeptRecords())
    private let loop = Mutex<(any WorkLoop)?>(nil)

    /// nil once it is closed, which releases its lock.
    private var opened: Spool<Outside.SpoolDisk>?
    var replay: Replay
    var reminder = Reminder()
    var unknownKinds = UnknownKinds()
    private(set) var lanes = Lane<Outside>.Book([])
    private(set) var isStopping = false
    /// The spool's directory is not where it was; logged once.
    var isDirectoryLost = false
    var record = RecordWriter()

    init(
        outside: Outside, spool: consuming Spool<Outside.SpoolDisk>,
        unreplicated: UnreplicatedCommits,
        unitKinds: [UnitKind],
        placements: PlacementBook, configuration: IngestionConfiguration,
        instruments: SpoolInstruments,
        ledger: SpoolLedger, unitLedger: SpoolLedger, logger: Logger
    ) {
        self.outside = outside
        self.unreplicated = unreplicated
        self.configuration = configuration
        self.instruments = instruments
        self.ledger = ledger
        self.unitLedger = unitLedger
        self.logger = logger
        self.placements = placements
        self.unitKinds = Dictionary(uniqueKeysWithValues: unitKinds.map { ($0.name, $0) })
        opened = spool
        intake = SpoolIntake(bytesMax: configuration.spoolIntakeBytesMax)
        replay = Replay(
            bytesMax: configuration.replayBytesMax, retryMin: configuration.replayRetry,
            retryMax: configuration.replayRetryMax)
        published = Mutex(spool.figures)
        let tally = spool.figures.tally
        ledger.enter { $0.found += tally[.readings] }
        unitLedger.enter { $0.found += tally[.workUnits] }
    }

    /// Starts to watch the lanes and to replay the spool.
    func start(_ lanes: Lane<Outside>.Book) {
        self.lanes = lanes
        let loop = outside.makeLoop(
            "sluice.spool", every: configuration.lookInterval,
            wake: { [weak self] in self?.wake() }, tick: { [weak self] in self?.tick() })
        self.loop.withLock { $0 = loop }
        intake.wake(loop)
        loop.start()
    }

    // MARK: For everybody

    func knows(_ kind: UnitKind) -> Bool { unitKinds[kind.name] == kind }

    /// As of the last change.
    var figures: SpoolFigures { published.withLock { $0 } }

    /// What stays in the spool for another process.
    var keptRecords: KeptRecords { publishedKept.withLock { $0 } }

    /// The lanes' answers for replayed records.
    func deliver(_ acknowledgements: [BatchOutcome.Acknowledgement]) {
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
            self.unreplicated.end()
            // The disk may have been full at the last tick. Acknowledged commits go before batches
            // that may still get a 503.
            self.intake.isWriting.store(self.findsDirectory(), ordering: .relaxed)
            self.writeUnreplicated()
            self.intake.isWriting.store(self.findsDirectory(), ordering: .relaxed)
            self.write()
            self.writeOverdue()
            self.logLostUnreplicated()
            if self.isDirectoryLost { self.logLostFiles() }
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
        intake.isWriting.store(findsDirectory(), ordering: .relaxed)
        watchLanes()
        write()
        returnUnreplicated()
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
            var left = PendingGroup()
            for item in stalled where !intake.take(item) { left.append(item) }
            SettledGroup(unavailable: left, retryAfter: IngestionConfiguration.awayTime).answer()
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
