import Access
import Ingestion
import Readings
import Scanning

/// A sink that answers a unit while it is being offered.
struct HastySink: BatchSink {
    let isDatabaseUp = true
    let isAvailable = true

    func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? { nil }

    func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        .unavailable(retryAfter: .zero)
    }

    func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        replyTo.deliver([Acknowledgement(ticket: ticket, outcome: .spooled)])
        return .taken
    }

    func dispatch() {}
}
