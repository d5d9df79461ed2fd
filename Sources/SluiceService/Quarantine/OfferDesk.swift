import Dispatch
import Foundation
import Ingestion
import Postgres
import Synchronization

/// Offers to lanes from a command's own thread, and waits for them: for room and for answers.
final class OfferDesk: AcknowledgementTarget {
    private let received = Mutex<[Acknowledgement]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// How often a full lane is asked again, every tenth of a second.
    private static let attemptsMax = 600

    /// Makes an offer until it is taken, and starts the lanes.
    ///
    /// - Throws: why nothing is written now, or `.poolExhausted` after a minute without room.
    func offer(to ingestor: any BatchSink, _ make: () -> Offer) throws(PostgresError) {
        for _ in 0..<Self.attemptsMax {
            switch make() {
            case .taken:
                ingestor.dispatch()
                return
            case .full, .shareUsedUp: usleep(100_000)
            case .unavailable:
                throw (ingestor as? Ingestor)?.failure ?? PostgresError(.connectionFailed)
            }
        }
        throw PostgresError(.poolExhausted)
    }

    func deliver(_ acknowledgements: [Acknowledgement]) {
        received.withLock { $0 += acknowledgements }
        for _ in acknowledgements { arrived.signal() }
    }

    /// The next `count` answers. Every offer that was taken gets one, so this ends.
    func take(_ count: Int) -> [Acknowledgement] {
        for _ in 0..<count { arrived.wait() }
        return received.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
