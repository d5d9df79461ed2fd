import Channels
import Instruments
import Logging
import Readings
import SpoolLog
import Synchronization

/// Writes the queue, a group at a time, on the keeper's loop.
extension SpoolKeeper {
    /// Bytes synced at once; more would only make the first batches wait for the last.
    private static var groupBytesMax: Int { 4 * 1024 * 1024 }

    func write() {
        while true {
            let group = intake.dequeue(upTo: Self.groupBytesMax)
            if group.isEmpty { return }
            writeAndAnswer(group)
        }
    }

    private func writeAndAnswer(_ group: PendingGroup) {
        let start = outside.now
        let (written, left) = write(group)
        instruments.syncTime.record(outside.now - start)
        instruments.batchesRefused.increment(by: left.count)
        var settled = SettledGroup(spooled: written)
        settled += SettledGroup(unavailable: left, retryAfter: IngestionConfiguration.awayTime)
        publish()
        settled.answer()
    }

    /// Spools commits that have waited too long for standbys, and answers them. A replayed record
    /// is in the spool already, where it may wait without limit; if its server was replaced, it is
    /// retried.
    func writeOverdue() {
        let overdue = unreplicated.takeOverdue(now: outside.now)
        guard !overdue.isEmpty else { return }
        SettledGroup(
            unavailable: overdue.replayed(true), retryAfter: IngestionConfiguration.awayTime
        ).answer()
        let live = overdue.replayed(false)
        if !live.isEmpty { writeAndAnswer(live) }
    }

    /// After a takeover, spools the commits from memory that the new server may lack.
    func returnUnreplicated() {
        if let lost = unreplicated.takeOver(outside.history), lost.readings + lost.units > 0 {
            logger.warning(
                """
                another database server has taken over; what was acknowledged and may be missing \
                there is written again
                """, metadata: ["readings": "\(lost.readings)", "units": "\(lost.units)"])
        }
        writeUnreplicated()
    }

    /// A group at a time, with new batches in between.
    func writeUnreplicated() {
        while intake.isWriting.load(ordering: .relaxed) {
            let group = unreplicated.takeReturning(upTo: Self.groupBytesMax)
            if group.isEmpty { return }
            let (written, left) = write(group)
            unreplicated.returned(written)
            unreplicated.putBack(left)
            publish()
            if written.isEmpty { return }
            if !isStopping { write() }
        }
    }

    /// Logs, as the process ends, how many readings and units it loses from the unreplicated commits.
    func logLostUnreplicated() {
        let count = unreplicated.figures.returning
        guard count > 0 else { return }
        logger.critical(
            """
            acknowledged readings and units could not be written to the spool and may be on one \
            database server only: once this process has ended, a failover loses them
            """, metadata: ["readings_and_units": "\(count)"])
    }

    /// - Returns: what is on disk, and what is not.
    private func write(_ group: PendingGroup) -> (written: PendingGroup, left: PendingGroup) {
        var written = PendingGroup()
        var left = group
        do throws(SpoolError) {
            // A record has device batches or units, not both.
            try append(\.deviceBatches, of: &left, to: &written)
            try append(\.units, of: &left, to: &written)
        } catch {
            // What was appended before is synced below, or dropped if that fails.
            failed(error)
        }
        do throws(SpoolError) {
            try spool.sync()
        } catch {
            failed(error)
            return (PendingGroup(), group)
        }
        let readings = written.deviceBatches.reduce(0) { $0 + $1.payload.count }
        ledger.enter { $0.written += readings }
        unitLedger.enter { $0.written += written.units.count }
        return (written, left)
    }

    /// Appends record by record, and moves what was appended from `left` to `written`.
    private func append<Payload>(
        _ list: WritableKeyPath<PendingGroup, [Pending<Payload>]>, of left: inout PendingGroup,
        to written: inout PendingGroup
    ) throws(SpoolError) {
        let pendings = left[keyPath: list]
        left[keyPath: list] = []
        var start = 0
        defer { left[keyPath: list] += pendings[start...] }
        while start < pendings.count {
            let part = pendings[start..<recordEnd(in: pendings, from: start)]
            if try append(part) {
                written[keyPath: list] += part
            } else {
                left[keyPath: list] += part
            }
            start = part.endIndex
        }
    }

    private func failed(_ error: SpoolError) {
        instruments.failures.increment()
        intake.isWriting.store(false, ordering: .relaxed)
        if case .disk(let fault) = error, fault.isLostDirectory {
            return logLostDirectory(fault)
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
            logLostDirectory(error)
            return false
        }
        if isDirectoryLost {
            isDirectoryLost = false
            logger.notice("the spool's directory is back")
        }
        return true
    }

    private func logLostDirectory(_ fault: DiskError) {
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
    func logLostFiles() {
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
    private func recordEnd<Payload>(in pendings: [Pending<Payload>], from start: Int) -> Int {
        var end = start
        var bytes = 0
        while end < pendings.count {
            bytes += pendings[end].payload.memory
            if end > start, bytes > configuration.spoolRecordBytesMax { break }
            end += 1
        }
        return end
    }

    /// - Returns: false when there is no room for them.
    private func append<Payload>(_ part: ArraySlice<Pending<Payload>>) throws(SpoolError) -> Bool {
        record.removeAll()
        Payload.write(part.map(\.payload), to: &record)
        let count = part.reduce(0) { $0 + $1.payload.count }
        let time = part.map(\.payload.receivedAt.microseconds).min() ?? 0
        let outcome: AppendOutcome
        do throws(SpoolError) {
            outcome = try record.withBytes { bytes throws(SpoolError) in
                try spool.append(bytes, units: count, kind: Payload.recordKind, time: time)
            }
        } catch {
            // One batch whose tuples are much longer than its JSON was: only the database takes it.
            guard case .recordTooLarge = error else { throw error }
            if let times = reminder.isDue("too large", now: outside.now) {
                logger.error(
                    "a batch is too large for the spool",
                    metadata: ["error": "\(error)", "times": "\(times)"])
            }
            return false
        }
        switch outcome {
        case .appended:
            if Payload.recordKind == .readings { instruments.recordReadings.record(count) }
            return true
        case .full:
            if intake.isWriting.exchange(false, ordering: .relaxed) {
                logger.warning("the spool is full", metadata: ["bytes": "\(figures.bytesOnDisk)"])
            }
            return false
        }
    }
}
