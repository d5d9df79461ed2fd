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
        guard let loads = loads(of: record) else {
            // Written by another version, for its sums are right: kept for that one.
            logger.error(
                "a record of the spool can't be understood and stays",
                metadata: ["id": "\(record.id)"])
            replay.hold(record.id, until: now + .seconds(24 * 3600))
            return
        }
        let receipt = Receipt(ticket: replay.ship(record), target: self, parts: loads.count)
        for (load, receivedAt) in loads {
            let consignment = Consignment(
                load: load, receivedAt: receivedAt, receipt: receipt, offeredAt: now)
            if lane(of: load).offerBacklog(consignment) { continue }
            if let acknowledgement = receipt.settle(
                .unavailable(retryAfter: CommitOutcome.awayTime))
            {
                deliver([acknowledgement])
            }
        }
    }

    private func lane(of load: Consignment.Load) -> Lane<Outside> {
        switch load {
        case .parcel(let parcel, _): lanes[routes.lane(of: parcel)]
        case .unit(let unit): lanes[routes.lane(ofUnit: unit.unit.route)]
        }
    }

    /// What a record holds; nil when that can't be understood.
    private func loads(of record: SpooledRecord) -> [(Consignment.Load, Timestamp)]? {
        switch record.kind {
        case .readings:
            guard let spooled = SpooledBatches(record.payload), spooled.readings == record.units
            else { return nil }
            return spooled.batches.flatMap { batch in
                batch.parcels.map {
                    (
                        .parcel($0, keyName: batch.keyName),
                        Timestamp(microseconds: batch.receivedAt)
                    )
                }
            }
        case .workUnits:
            guard let spooled = SpooledUnits(record.payload), spooled.units.count == record.units
            else { return nil }
            return spooled.units.map { unit in
                let received = Timestamp(microseconds: unit.receivedAt)
                return (.unit(replayed(unit, received)), received)
            }
        default:
            return nil
        }
    }

    /// A kind that this version doesn't know is on its way to where an operator finds it.
    private func replayed(_ unit: SpooledUnits.Unit, _ receivedAt: Timestamp) -> GroupUnit {
        let kind = unitKinds[unit.kindName]
        return GroupUnit(
            WorkUnit(
                kind: kind ?? UnitKind(name: unit.kindName, statement: ""), route: unit.route,
                payload: unit.payload),
            receivedAt: receivedAt, isReplayed: true,
            refusal: kind == nil ? UnitRefusal(reason: .kindUnknown) : nil)
    }

    func arrived(_ acknowledgement: Acknowledgement) {
        let shipment = replay.arrive(acknowledgement.ticket)
        switch acknowledgement.outcome {
        case .committed(let stored, let duplicates, let quarantined, _):
            precondition(
                stored + duplicates + quarantined == shipment.count,
                "BUG: \(shipment.count) came back as \(acknowledgement.outcome)")
            do throws(SpoolError) {
                try spool.release(shipment.id)
            } catch {
                // It is brought back once more after a restart, and found stored then.
                logger.error(
                    "a record of the spool could not be released", metadata: ["error": "\(error)"])
            }
            if shipment.kind == .workUnits {
                unitLedger.settle(recorded: stored, setAside: quarantined)
                tellOfSetAside(quarantined)
            } else {
                ledger.settle(stored: stored, duplicates: duplicates, quarantined: quarantined)
            }
            publish()
        case .unavailable:
            replay.hold(shipment.id, until: outside.now + configuration.replayRetry)
        case .refused(let sqlState):
            logger.error(
                "the database refuses a part of the spool; it stays there",
                metadata: ["sqlstate": "\(sqlState)", "count": "\(shipment.count)"])
            replay.hold(shipment.id, until: outside.now + configuration.replayRetry * 30)
        case .recorded, .spooled:
            preconditionFailure("BUG: a part of the spool came back as \(acknowledgement.outcome)")
        }
    }

    private func tellOfSetAside(_ units: Int) {
        guard units > 0 else { return }
        logger.error(
            "units that were accepted can't be recorded; they are in sluice.unit_set_aside",
            metadata: ["units": "\(units)"])
    }
}
