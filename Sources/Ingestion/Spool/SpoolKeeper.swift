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

    private let outside: Outside
    private let configuration: IngestionConfiguration
    private let instruments: SpoolInstruments
    private let ledger: SpoolLedger
    private let logger: Logger

    private let intake: BoundedChannel<SpoolItem>
    private let hasNews = Atomic(false)
    /// False for a moment after the disk was full or failed.
    private let isWriting = Atomic(true)
    private let published: Mutex<SpoolFigures>
    private let loop = Mutex<(any WorkLoop)?>(nil)

    /// nil once it is closed: its lock goes with it.
    private var opened: Spool<Outside.SpoolDisk>?
    private var replay: Replay
    private var lanes: [Lane<Outside>] = []
    private var isStopping = false
    private var pausedUntil: ContinuousClock.Instant?
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

    /// How long until there may be room again: nobody knows when a database comes back.
    var retryAfter: Duration { .seconds(10) }

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

    private var spool: Spool<Outside.SpoolDisk> {
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
                deliveries.settle(consignment.receipt, .unavailable(retryAfter: retryAfter))
            }
            deliveries.send()
        }
    }

    // MARK: Writing

    private func write() {
        while true {
            items.removeAll(keepingCapacity: true)
            intake.take(upTo: configuration.replayBytesMax, into: &items)
            if items.isEmpty { return }
            let start = outside.now
            let written = writeGroup()
            instruments.syncTime.record(outside.now - start)
            var deliveries = Deliveries()
            for (item, isWritten) in zip(items, written) {
                if !isWritten { instruments.batchesRefused.increment() }
                deliveries.settle(
                    item.receipt,
                    isWritten ? .spooled : .unavailable(retryAfter: retryAfter))
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

    private func publish() {
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

    // MARK: Bringing back

    /// Hands records to the lanes, oldest first, as long as all lanes take and not too much is under
    /// way.
    private func bringBack() {
        guard !isStopping, lanes.allSatisfy(\.isTaking) else { return }
        let now = outside.now
        replay.rewind(now: now)
        do throws(SpoolError) {
            while replay.hasRoom, let record = try spool.next(after: replay.cursor) {
                if replay.reach(record.id) { ship(record, now) }
            }
        } catch {
            instruments.failures.increment()
            logger.error("the spool could not be read", metadata: ["error": "\(error)"])
        }
        publish()
        for lane in lanes { lane.dispatch() }
    }

    private func ship(_ record: SpooledRecord, _ now: ContinuousClock.Instant) {
        guard let spooled = SpooledBatches(record.payload), spooled.readings == record.units else {
            // Written by another version, for its sums are right: kept for that one.
            logger.error(
                "a record of the spool can't be understood and stays",
                metadata: ["id": "\(record.id)"])
            replay.hold(record.id, until: now + .seconds(24 * 3600))
            return
        }
        let ticket = replay.ship(
            record.id, bytes: record.payload.count, readings: record.units)
        let parts = spooled.batches.reduce(0) { $0 + $1.parcels.count }
        let receipt = Receipt(ticket: ticket, target: self, parts: parts)
        for batch in spooled.batches {
            for parcel in batch.parcels {
                let lane = lanes[LaneChoice.lane(of: parcel, among: lanes.count)]
                let consignment = Consignment(
                    parcel: parcel, keyName: batch.keyName,
                    receivedAt: Timestamp(microseconds: batch.receivedAt), receipt: receipt,
                    offeredAt: now)
                if lane.offerBacklog(consignment) { continue }
                if let acknowledgement = receipt.settle(.unavailable(retryAfter: .seconds(1))) {
                    deliver([acknowledgement])
                }
            }
        }
    }

    private func arrived(_ acknowledgement: Acknowledgement) {
        let shipment = replay.arrive(acknowledgement.ticket)
        switch acknowledgement.outcome {
        case .committed(let stored, let duplicates, let quarantined):
            precondition(
                stored + duplicates + quarantined == shipment.readings,
                "BUG: \(shipment.readings) readings came back as \(acknowledgement.outcome)")
            do throws(SpoolError) {
                try spool.release(shipment.id)
            } catch {
                // It is brought back once more after a restart, and found stored then.
                logger.error(
                    "a record of the spool could not be released", metadata: ["error": "\(error)"])
            }
            ledger.settle(stored: stored, duplicates: duplicates, quarantined: quarantined)
            publish()
        case .unavailable:
            replay.hold(shipment.id, until: outside.now + configuration.replayRetry)
        case .refused(let sqlState):
            logger.error(
                "the database refuses a part of the spool; it stays there",
                metadata: ["sqlstate": "\(sqlState)", "readings": "\(shipment.readings)"])
            replay.hold(shipment.id, until: outside.now + configuration.replayRetry * 30)
        case .spooled:
            preconditionFailure("BUG: the spool was spooled")
        }
    }
}
