import Instruments
import Logging
import Readings
import Scanner
import SpoolLog

/// Replays the spool, on the keeper's loop.
extension SpoolKeeper {
    /// Hands records to the lanes if all accept batches: first those due for a retry, then new
    /// ones, oldest first, up to the limit of what may be under way.
    func bringBack() {
        guard !isStopping, lanes.all.allSatisfy(\.isTaking) else { return }
        let now = outside.now
        while replay.hasRoom, let due = replay.takeDue(now: now) {
            do throws(SpoolError) {
                if let record = try spool.record(due.id) { ship(record, due.failures, now) }
            } catch {
                replay.hold(due.id, failures: due.failures, now: now)
                logFailedRead("\(error)", now)
            }
        }
        do throws(SpoolError) {
            while replay.hasRoom, let record = try spool.next(after: replay.cursor) {
                replay.reach(record.id)
                ship(record, 0, now)
            }
        } catch {
            logFailedRead("\(error)", now)
        }
        publish()
        if let news = unknownKinds.news(now: now) {
            logger.error(
                "the spool has units of kinds that this version does not know; they stay there",
                metadata: ["kinds": "\(news)"])
        }
        for lane in lanes.all { lane.dispatch() }
    }

    /// Reads one segment again, if one is due of which a part could not be read.
    func readAgain() {
        let start = outside.now
        let unread = spool.unreadSegments
        guard let number = replay.takeUnread(of: unread.map(\.number), now: start) else { return }
        let rereading = spool.readAgain(number)
        ledger.enter { $0.found += rereading.tally[.readings] }
        unitLedger.enter { $0.found += rereading.tally[.workUnits] }
        let now = outside.now
        replay.readAgain(number, revealing: rereading.records, took: now - start, now: now)
        if rereading.isUnread, rereading.records.isEmpty {
            let name = unread.first { $0.number == number }?.name ?? ""
            let reason = rereading.error.map { "\($0)" } ?? "unknown"
            logFailedRead("\(name): \(reason)", now)
        }
        publish()
    }

    /// What can't be read stays where it is.
    private func logFailedRead(_ reason: String, _ now: ContinuousClock.Instant) {
        instruments.readFailures.increment()
        guard let times = reminder.isDue("read", now: now) else { return }
        logger.error(
            "the spool can't be read completely now; what is missing stays there and is tried again",
            metadata: [
                "error": "\(reason)", "times": "\(times)",
                "files": "\(spool.unreadSegments.count)",
            ])
    }

    private func ship(
        _ record: SpooledRecord, _ failures: Int, _ now: ContinuousClock.Instant
    ) {
        guard let contents = contents(of: record) else {
            // Its sums are right, so another version wrote it: it is kept for that one.
            logger.error(
                "a record of the spool can't be decoded; it stays there",
                metadata: ["id": "\(record.id)"])
            replay.hold(record.id, failures: failures, for: .seconds(24 * 3600), now: now)
            return
        }
        if !contents.unknownKinds.isEmpty {
            unknownKinds.find(contents.unknownKinds, in: record.id)
            publishKept()
        }
        // A batch may be empty: it is written like any other, for its device's attributes.
        let parts = contents.deviceBatches.count + contents.units.count
        guard parts > 0 else { return keep() }
        let receipt = Receipt(
            ticket: replay.ship(record, count: contents.count, failures: failures), target: self,
            parts: parts)
        let placement = placements.current
        for received in contents.deviceBatches {
            offer(
                .deviceBatch(Pending(payload: received, receipt: receipt, offeredAt: now)), receipt,
                to: lanes[placement.lane(of: received.deviceBatch.key)])
        }
        for unit in contents.units {
            offer(
                .unit(Pending(payload: unit, receipt: .record(receipt), offeredAt: now)), receipt,
                to: lanes[placement.lane(ofUnit: unit.unit.route)])
        }
    }

    private func offer(_ item: PendingGroup.Item, _ receipt: Receipt, to lane: Lane<Outside>) {
        if lane.offerBacklog(item) { return }
        let outcome = BatchOutcome.unavailable(retryAfter: IngestionConfiguration.awayTime)
        if let acknowledgement = receipt.settle(outcome) { deliver([acknowledgement]) }
    }

    /// The part of a record that lanes can write.
    private struct Contents {
        var deviceBatches: [ReceivedDeviceBatch] = []
        var units: [ReceivedUnit] = []
        /// The kind of each unit that is left out.
        var unknownKinds: [String] = []

        /// Readings and units that lanes can write.
        var count: Int { deviceBatches.reduce(units.count) { $0 + $1.count } }
    }

    /// What a record holds; nil when that can't be understood.
    private func contents(of record: SpooledRecord) -> Contents? {
        var contents = Contents()
        switch record.kind {
        case .readings:
            guard let spooled = SpooledDeviceBatches(record.payload),
                spooled.readings == record.units
            else { return nil }
            contents.deviceBatches = spooled.deviceBatches
        case .workUnits:
            guard let spooled = SpooledUnits(record.payload), spooled.units.count == record.units
            else { return nil }
            for unit in spooled.units {
                guard let kind = unitKinds[unit.kindName] else {
                    contents.unknownKinds.append(unit.kindName)
                    continue
                }
                contents.units.append(
                    ReceivedUnit(
                        WorkUnit(kind: kind, route: unit.route, payload: unit.payload),
                        receivedAt: unit.receivedAt, isReplayed: true))
            }
        default:
            return nil
        }
        return contents
    }

    /// Leaves a record in the spool for another process.
    private func keep() {
        replay.keep()
        publishKept()
    }

    func arrived(_ acknowledgement: BatchOutcome.Acknowledgement) {
        let delivery = replay.arrive(acknowledgement.ticket)
        switch acknowledgement.outcome {
        case .committed(let counts):
            precondition(
                counts.count == delivery.count,
                "BUG: \(delivery.count) came back as \(acknowledgement.outcome)")
            guard delivery.isWhole else {
                logSetAside(counts.quarantined)
                return keep()
            }
            do throws(SpoolError) {
                try spool.release(delivery.id)
            } catch {
                // It is replayed again after a restart, and then found stored.
                logger.error(
                    "a record of the spool could not be released", metadata: ["error": "\(error)"])
            }
            let areUnits = delivery.kind == .workUnits
            (areUnits ? unitLedger : ledger).enter {
                $0.stored += counts.stored
                $0.duplicates += counts.duplicates
                $0.quarantined += counts.quarantined
            }
            if areUnits { logSetAside(counts.quarantined) }
            publish()
        case .unavailable, .spooled:
            // It is in the spool, and stays there.
            replay.hold(delivery, now: outside.now)
        case .refused(let sqlState):
            if let times = reminder.isDue("refused \(sqlState)", now: outside.now) {
                logger.error(
                    "the database refuses records of the spool; they stay there",
                    metadata: ["sqlstate": "\(sqlState)", "records": "\(times)"])
            }
            replay.hold(delivery, now: outside.now)
        }
    }

    private func logSetAside(_ units: Int) {
        guard units > 0 else { return }
        logger.error(
            "accepted units can't be stored; they are in sluice.unit_set_aside",
            metadata: ["units": "\(units)"])
    }
}
