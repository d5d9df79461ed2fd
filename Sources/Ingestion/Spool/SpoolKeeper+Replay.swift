import Instruments
import Logging
import Readings
import Scanning
import Spooling

/// Bringing back what was spooled; on the keeper's loop.
extension SpoolKeeper {
    /// Hands records to the lanes, oldest first, as long as all lanes take and not too much is under
    /// way.
    func bringBack() {
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
                if let acknowledgement = receipt.settle(
                    .unavailable(retryAfter: CommitOutcome.awayTime))
                {
                    deliver([acknowledgement])
                }
            }
        }
    }

    func arrived(_ acknowledgement: Acknowledgement) {
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
