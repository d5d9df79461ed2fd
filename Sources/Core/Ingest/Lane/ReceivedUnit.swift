import Instruments
package import Readings
import SpoolLog

/// A unit as it was received.
package final class ReceivedUnit: LanePayload {
    typealias Committed = Result

    package let unit: WorkUnit
    /// When it was received, which may be long ago if it was spooled. Rises strictly among the live
    /// units of a process.
    package let receivedAt: Timestamp
    /// It comes from the spool: its sender was told that it is safe, so it can't be refused any
    /// more, only moved to `sluice.unit_set_aside`.
    package let isReplayed: Bool
    /// It comes from the spool, or its COMMIT was sent before and not answered: another version may
    /// have been acknowledged since.
    package let isLate: Bool
    /// Why it is to be rejected; nil: it is to be recorded.
    package let refusal: UnitRefusal?

    init(
        _ unit: WorkUnit, receivedAt: Timestamp, isReplayed: Bool = false, isLate: Bool = false,
        refusal: UnitRefusal? = nil
    ) {
        self.unit = unit
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
        self.isLate = isReplayed || isLate
        self.refusal = refusal
    }

    var memory: Int { unit.memory }
    var count: Int { 1 }
    var mayWaitInSpool: Bool { unit.kind.mayWaitInSpool }
    var sender: Sender { Sender(flow: unit.route, unitKind: unit.kind.name) }

    func refused(_ refusal: UnitRefusal) -> ReceivedUnit {
        ReceivedUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: isLate, refusal: refusal)
    }

    /// The same when it may have been committed already.
    func late() -> ReceivedUnit {
        ReceivedUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: true, refusal: refusal)
    }
}

extension ReceivedUnit {
    /// What a committed transaction did with a unit.
    enum Result: Sendable, Equatable {
        /// It is recorded; with what the statement returned.
        case recorded(String)
        /// It is in `sluice.unit_set_aside`. Only units from the spool get there, because their
        /// senders were told that they are safe.
        case setAside(UnitRefusal)
    }
}

extension ReceivedUnit {
    /// Who waits for the outcome of a unit.
    enum Waiter: Sendable {
        /// Its sender, and the ledger that counts its answer.
        case sender(ticket: UInt64, UnitTarget, UnitLedger)
        /// The replay: the unit is a part of a record of the spool.
        case record(Receipt)
    }
}

extension Outcome<ReceivedUnit.Result> {
    /// What a unit's sender is told.
    var ofSender: UnitOutcome {
        map { result in
            switch result {
            case .recorded(let text): .committed(text)
            case .setAside(let refusal): .refused(sqlState: refusal.sqlState ?? "")
            }
        }
    }

    /// What it adds to its record.
    var ofRecord: BatchOutcome {
        map { result in
            switch result {
            case .recorded: .committed(BatchCounts(stored: 1))
            case .setAside: .committed(BatchCounts(quarantined: 1))
            }
        }
    }
}

extension UnitBook {
    mutating func settle(_ outcome: UnitOutcome) {
        switch outcome {
        case .committed: recorded += 1
        case .spooled: spooled += 1
        case .refused: refused += 1
        case .unavailable: turnedAway += 1
        }
    }
}
