import Auth
import Dispatch
import Foundation
import Ingest
import JSONText
import Postgres
import Readings
import Scanner
import Synchronization

/// Offers batches and units from a command's own thread; blocks until lanes have room and answer.
final class OfferQueue<Committed: Sendable & Equatable>: AcknowledgementTarget {
    private let received = Mutex<[Outcome<Committed>.Acknowledgement]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// How often an offer is repeated while lanes are full, every tenth of a second.
    private static var attemptsMax: Int { 600 }

    /// Repeats an offer until it is accepted, then starts the lanes.
    ///
    /// - Throws: the lanes' failure if they are unavailable; `.poolExhausted` after a minute
    ///   without room.
    func offer(to ingestor: Ingestor, _ make: () -> Offer) throws(PostgresError) {
        for _ in 0..<Self.attemptsMax {
            switch make() {
            case .taken:
                ingestor.dispatch()
                return
            case .full, .shareUsedUp: usleep(100_000)
            case .unavailable:
                throw ingestor.failure ?? PostgresError(.connectionFailed)
            }
        }
        throw PostgresError(.poolExhausted)
    }

    func deliver(_ acknowledgements: [Outcome<Committed>.Acknowledgement]) {
        received.withLock { $0 += acknowledgements }
        for _ in acknowledgements { arrived.signal() }
    }

    /// The next `count` answers. Every accepted offer gets one, so this returns.
    func take(_ count: Int) -> [Outcome<Committed>.Acknowledgement] {
        for _ in 0..<count { arrived.wait() }
        return received.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
