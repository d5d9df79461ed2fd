import Synchronization

/// The books of all readings that clients have sent: at every moment
/// `received = stored + duplicates + quarantined + spooled + refused + inFlight`.
///
/// Whoever counts readings in must settle or refuse exactly as many. One lock guards the whole book,
/// so that a snapshot never falls between two entries; it is taken twice a request, for some
/// nanoseconds, never per reading.
public final class ReadingLedger: MetricSource {
    /// The book at one moment.
    public struct Snapshot: Equatable, Sendable {
        /// Readings seen in request bodies.
        public internal(set) var received = 0
        /// Committed by this batch.
        public internal(set) var stored = 0
        /// Were stored already.
        public internal(set) var duplicates = 0
        /// Set aside with their original bytes.
        public internal(set) var quarantined = 0
        /// Written to the spool, set aside ones among them; see ``SpoolLedger`` for their further way.
        public internal(set) var spooled = 0
        /// Turned down with their whole batch; the client was told to keep them.
        public internal(set) var refused = 0
        /// Received and not yet answered.
        public internal(set) var inFlight = 0

        /// An empty book.
        public init() {}

        /// The equation that must hold.
        public var isBalanced: Bool {
            received == stored + duplicates + quarantined + spooled + refused + inFlight
        }
    }

    private let book = Mutex(Snapshot())

    /// An empty book.
    public init() {}

    /// Readings have arrived; they are in flight from now on.
    public func receive(_ count: Int) {
        precondition(count >= 0, "BUG: count=\(count)")
        entry { book in
            book.received += count
            book.inFlight += count
        }
    }

    /// Readings in flight have been committed, each in one of three ways.
    public func settle(stored: Int, duplicates: Int, quarantined: Int) {
        precondition(
            stored >= 0 && duplicates >= 0 && quarantined >= 0,
            "BUG: stored=\(stored) duplicates=\(duplicates) quarantined=\(quarantined)")
        entry { book in
            book.stored += stored
            book.duplicates += duplicates
            book.quarantined += quarantined
            book.inFlight -= stored + duplicates + quarantined
        }
    }

    /// Readings in flight are in the spool.
    public func spool(_ count: Int) {
        precondition(count >= 0, "BUG: count=\(count)")
        entry { book in
            book.spooled += count
            book.inFlight -= count
        }
    }

    /// Readings in flight are turned down: their batch was no batch, or there was no room.
    public func refuse(_ count: Int) {
        precondition(count >= 0, "BUG: count=\(count)")
        entry { book in
            book.refused += count
            book.inFlight -= count
        }
    }

    /// The book now; always balanced.
    public var snapshot: Snapshot {
        book.withLock { $0 }
    }

    private func entry(_ change: (inout Snapshot) -> Void) {
        book.withLock { book in
            change(&book)
            precondition(book.inFlight >= 0 && book.isBalanced, "BUG: ledger \(book)")
        }
    }

    /// Seven series from one look at the book.
    public func expose(to text: inout MetricText) {
        let book = snapshot
        text.family(
            "sluice_readings_received_total", .counter,
            help: "Readings seen in request bodies; the sum of the outcomes and those in flight.")
        text.sample(book.received)
        text.family(
            "sluice_readings_total", .counter, help: "Readings by what became of them.")
        text.sample(book.stored, labels: [MetricLabel("outcome", "stored")])
        text.sample(book.duplicates, labels: [MetricLabel("outcome", "duplicate")])
        text.sample(book.quarantined, labels: [MetricLabel("outcome", "quarantined")])
        text.sample(book.spooled, labels: [MetricLabel("outcome", "spooled")])
        text.sample(book.refused, labels: [MetricLabel("outcome", "refused")])
        text.family(
            "sluice_readings_in_flight", .gauge, help: "Readings received and not yet answered.")
        text.sample(book.inFlight)
    }
}
