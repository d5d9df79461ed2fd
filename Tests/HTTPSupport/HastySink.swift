import Auth
import Ingest
import Readings
import Scanner

/// A sink that answers a unit while it is being offered.
struct HastySink: BatchSink {
    let isDatabaseUp = true
    let isAvailable = true

    func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? { nil }

    func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer {
        .unavailable(retryAfter: .zero)
    }

    func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget
    ) -> Offer {
        replyTo.deliver([UnitOutcome.Acknowledgement(ticket: ticket, outcome: .spooled)])
        return .taken
    }

    func dispatch() {}
}
