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
    let logger: Logger

    private let intake: BoundedChannel<SpoolItem>
    private let hasNews = Atomic(false)
    /// False for a moment after the disk was full or failed.
    private let isWriting = Atomic(true)
    private let published: Mutex<SpoolFigures>
    private let loop = Mutex<(any WorkLoop)?>(nil)

    /// nil once it is closed: its lock goes with it.
    private var opened: Spool<Outside.SpoolDisk>?
    var replay: Replay
    private(set) var lanes: [Lane<Outside>] = []
    private(set) var isStopping = false
    private var items: [SpoolItem] = []
    private var record = RecordWriter()

    init(
        outside: Outside, spool: consuming Spool<Outside.SpoolDisk>,
        configuration: IngestionConfiguration, instruments: SpoolInstruments,
        ledger: SpoolLedger, logger: Logger
    ) {
        self.outside = outside
        self.configuration = configuration
        self.instruments = instruments
        self.ledger = ledger
        self.logger = logger
        opened = spool
        intake = BoundedChannel(bytesMax: configuration.spoolIntakeBytesMax)
        replay = Replay(bytesMax: configuration.replayBytesMax)
        published = Mutex(spool.figures)
        ledger.find(spool.figures.units)
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

    func offer(_ item: SpoolItem) -> Bool {
        guard isWriting.load(ordering: .relaxed), intake.offer(item, bytes: item.memory) == .taken
        else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    func take(_ consignment: Consignment) -> Bool {
        offer(
            SpoolItem(
                parcels: [consignment.parcel], keyName: consignment.keyName,
                receivedAt: consignment.receivedAt, receipt: consignment.receipt))
    }

    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.withLock { $0 }?.raise() }
    }

    /// As it was after the last group.
    var figures: SpoolFigures { published.withLock { $0 } }

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
        isWriting.store(true, ordering: .relaxed)
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

    // MARK: Writing

    /// What is synced at once: more only makes the first of them wait for the last.
    private static var groupBytesMax: Int { 4 * 1024 * 1024 }

    private func write() {
        while true {
            items.removeAll(keepingCapacity: true)
            intake.take(upTo: Self.groupBytesMax, into: &items)
            if items.isEmpty { return }
            let start = outside.now
            let written = writeGroup()
            instruments.syncTime.record(outside.now - start)
            var deliveries = Deliveries()
            for (item, isWritten) in zip(items, written) {
                if !isWritten { instruments.batchesRefused.increment() }
                deliveries.settle(
                    item.receipt,
                    isWritten ? .spooled : .unavailable(retryAfter: CommitOutcome.awayTime))
            }
            publish()
            deliveries.send()
        }
    }

    /// - Returns: for each item whether it is on disk.
    private func writeGroup() -> [Bool] {
        var written = [Bool](repeating: false, count: items.count)
        var readings = 0
        do throws(SpoolError) {
            var start = 0
            while start < items.count {
                let end = recordEnd(from: start)
                if let count = try append(Array(items[start..<end])) {
                    readings += count
                    for index in start..<end { written[index] = true }
                }
                start = end
            }
        } catch {
            // What was appended before is in the spool and will be synced with the next group, if
            // not now: so it is counted now.
            failed(error)
        }
        do throws(SpoolError) {
            try spool.sync()
        } catch {
            failed(error)
            return [Bool](repeating: false, count: items.count)
        }
        ledger.write(readings)
        return written
    }

    private func failed(_ error: SpoolError) {
        instruments.failures.increment()
        isWriting.store(false, ordering: .relaxed)
        logger.error("the spool could not be written", metadata: ["error": "\(error)"])
    }

    /// Batches that make one record: as many as fit, at least one.
    private func recordEnd(from start: Int) -> Int {
        var end = start
        var bytes = 0
        while end < items.count {
            bytes += items[end].memory
            if end > start, bytes > configuration.spoolRecordBytesMax { break }
            end += 1
        }
        return end
    }

    /// - Returns: the readings written, or nil when there is no room for them.
    private func append(_ part: [SpoolItem]) throws(SpoolError) -> Int? {
        record.removeAll()
        SpooledBatches.write(part, to: &record)
        let readings = part.reduce(0) { $0 + $1.readings }
        let time = part.map(\.receivedAt.microseconds).min() ?? 0
        let outcome: AppendOutcome
        do throws(SpoolError) {
            outcome = try record.withBytes { bytes throws(SpoolError) in
                try spool.append(bytes, units: readings, time: time)
            }
        } catch {
            // One batch whose tuples are much longer than its JSON was: only the database takes it.
            guard case .recordTooLarge = error else { throw error }
            logger.error("a batch is too large for the spool", metadata: ["error": "\(error)"])
            return nil
        }
        switch outcome {
        case .appended:
            instruments.recordReadings.record(readings)
            return readings
        case .full:
            if isWriting.exchange(false, ordering: .relaxed) {
                logger.warning("the spool is full", metadata: ["bytes": "\(figures.bytesOnDisk)"])
            }
            return nil
        }
    }

    func publish() {
        let figures = spool.figures
        let lost = ledger.snapshot.waiting - figures.units
        precondition(
            lost >= 0, "BUG: spool has \(figures.units) readings, ledger \(ledger.snapshot)")
        if lost > 0 {
            logger.critical(
                "the spool can't read back what it had promised to keep; its file is moved aside",
                metadata: ["readings": "\(lost)"])
            ledger.setAside(lost)
        }
        published.withLock { $0 = figures }
    }
}
