import Channels
import Instruments
import Logging
import Readings
import Spooling
import Synchronization

/// Writes the queue, a group at a time, on the keeper's loop.
extension SpoolKeeper {
    /// Bytes synced at once; more would only make the first batches wait for the last.
    private static var groupBytesMax: Int { 4 * 1024 * 1024 }

    func write() {
        while true {
            items.removeAll(keepingCapacity: true)
            intake.take(upTo: Self.groupBytesMax, into: &items)
            if items.isEmpty { return }
            writeAndAnswer()
        }
    }

    private func writeAndAnswer() {
        // A record has parcels or units, not both.
        items.partUnits()
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

    /// Spools commits that have waited too long for standbys, and answers them. A replayed record
    /// is in the spool already, where it may wait without limit; if its server was replaced, it is
    /// retried.
    func writeOverdue() {
        let overdue = tail.takeOverdue(now: outside.now) { $0.receipt?.target === self }
        guard !overdue.isEmpty else { return }
        var deliveries = Deliveries()
        items = []
        for shipment in overdue {
            if shipment.receipt?.target === self {
                deliveries.settle(
                    shipment.receipt, .unavailable(retryAfter: CommitOutcome.awayTime))
            } else {
                items.append(shipment)
            }
        }
        deliveries.send()
        if !items.isEmpty { writeAndAnswer() }
    }

    /// After a takeover, spools the commits from memory that the new server may lack.
    func returnTail() {
        if let lost = tail.takeOver(outside.history), lost.readings + lost.units > 0 {
            logger.warning(
                """
                another database server has taken over; what was acknowledged and may be missing \
                there is written again
                """, metadata: ["readings": "\(lost.readings)", "units": "\(lost.units)"])
        }
        writeTail()
    }

    /// A group at a time, with new batches in between.
    func writeTail() {
        while isWriting.load(ordering: .relaxed) {
            items = tail.takeReturning(upTo: Self.groupBytesMax)
            if items.isEmpty { return }
            items.partUnits()
            let written = writeGroup()
            tail.returned(zip(items, written).filter(\.1).map(\.0))
            tail.putBack(zip(items, written).filter { !$1 }.map(\.0))
            publish()
            if !written.contains(true) { return }
            if !isStopping { write() }
        }
    }

    /// Logs, as the process ends, how many readings and units it loses from the tail.
    func tellOfLostTail() {
        let count = tail.figures.returning
        guard count > 0 else { return }
        logger.critical(
            """
            acknowledged readings and units could not be written to the spool and may be on one \
            database server only: once this process has ended, a failover loses them
            """, metadata: ["readings_and_units": "\(count)"])
    }

    /// - Returns: for each item whether it is on disk.
    private func writeGroup() -> [Bool] {
        var written = [Bool](repeating: false, count: items.count)
        var (readings, units) = (0, 0)
        do throws(SpoolError) {
            var start = 0
            while start < items.count {
                let end = recordEnd(from: start)
                if let count = try append(Array(items[start..<end])) {
                    if items[start].isUnit { units += count } else { readings += count }
                    for index in start..<end { written[index] = true }
                }
                start = end
            }
        } catch {
            // What was appended before is synced below, or dropped if that fails.
            failed(error)
        }
        do throws(SpoolError) {
            try spool.sync()
        } catch {
            failed(error)
            return [Bool](repeating: false, count: items.count)
        }
        ledger.enter { $0.written += readings }
        unitLedger.enter { $0.written += units }
        return written
    }

    private func failed(_ error: SpoolError) {
        instruments.failures.increment()
        isWriting.store(false, ordering: .relaxed)
        if case .disk(let fault) = error, fault.isLostDirectory {
            return tellOfLostDirectory(fault)
        }
        logger.error("the spool could not be written", metadata: ["error": "\(error)"])
    }

    /// Whether the next process would find what is written now. True if that is unknown; then the
    /// next sync finds out.
    func findsDirectory() -> Bool {
        do throws(DiskError) {
            try spool.check()
        } catch {
            guard error.isLostDirectory else { return true }
            tellOfLostDirectory(error)
            return false
        }
        if isDirectoryLost {
            isDirectoryLost = false
            logger.notice("the spool's directory is back")
        }
        return true
    }

    private func tellOfLostDirectory(_ fault: DiskError) {
        guard !isDirectoryLost else { return }
        isDirectoryLost = true
        logger.critical(
            """
            the spool's directory was removed, moved or replaced: batches that the database can't \
            take get a 503. If it was moved, move it back. Otherwise let the server replay the files \
            that it still has open, and restart it when the spool is empty
            """, metadata: waitingMetadata(fault))
    }

    /// Logs, as the process ends, what the next one will not find.
    func tellOfLostFiles() {
        guard figures.units > 0 else { return }
        logger.critical(
            "the spool's directory is missing: the next start will not find these records",
            metadata: waitingMetadata(nil))
    }

    private func waitingMetadata(_ fault: DiskError?) -> Logger.Metadata {
        let tally = figures.tally
        var metadata: Logger.Metadata = [
            "readings": "\(tally[.readings])", "units": "\(tally[.workUnits])",
        ]
        if let fault { metadata["error"] = "\(fault)" }
        return metadata
    }

    /// The end of the next record: as many batches or units as fit, at least one.
    private func recordEnd(from start: Int) -> Int {
        var end = start
        var bytes = 0
        while end < items.count {
            bytes += items[end].memory
            if end > start,
                bytes > configuration.spoolRecordBytesMax
                    || items[end].isUnit != items[start].isUnit
            {
                break
            }
            end += 1
        }
        return end
    }

    /// - Parameter part: only batches or only units.
    /// - Returns: the readings or units written, or nil when there is no room for them.
    private func append(_ part: [Shipment]) throws(SpoolError) -> Int? {
        record.removeAll()
        let areUnits = part[0].isUnit
        if areUnits {
            SpooledUnits.write(part, to: &record)
        } else {
            SpooledParcels.write(part, to: &record)
        }
        let count = part.reduce(0) { $0 + $1.count }
        let time = part.map(\.receivedAt.microseconds).min() ?? 0
        let outcome: AppendOutcome
        do throws(SpoolError) {
            outcome = try record.withBytes { bytes throws(SpoolError) in
                try spool.append(
                    bytes, units: count, kind: areUnits ? .workUnits : .readings, time: time)
            }
        } catch {
            // One batch whose tuples are much longer than its JSON was: only the database takes it.
            guard case .recordTooLarge = error else { throw error }
            if let times = reminder.isDue("too large", now: outside.now) {
                logger.error(
                    "a batch is too large for the spool",
                    metadata: ["error": "\(error)", "times": "\(times)"])
            }
            return nil
        }
        switch outcome {
        case .appended:
            if !areUnits { instruments.recordReadings.record(count) }
            return count
        case .full:
            if isWriting.exchange(false, ordering: .relaxed) {
                logger.warning("the spool is full", metadata: ["bytes": "\(figures.bytesOnDisk)"])
            }
            return nil
        }
    }
}
