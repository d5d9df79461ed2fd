import Synchronization

/// The books of all units of work that were offered, captures and the like: at every moment
/// `received = recorded + spooled + refused + turnedAway + inFlight`.
///
/// As in ``ReadingLedger``, an entry that doesn't add up ends the process.
public final class UnitLedger: MetricSource {
    /// The book at one moment; units everywhere.
    public struct Snapshot: Equatable, Sendable {
        /// Offered.
        public internal(set) var received = 0
        /// Committed.
        public internal(set) var recorded = 0
        /// Written to the spool; see ``SpooledUnitLedger`` for their further way.
        public internal(set) var spooled = 0
        /// The database does not take them and never will.
        public internal(set) var refused = 0
        /// There was no room, or neither database nor spool: the client was told to keep them.
        public internal(set) var turnedAway = 0
        /// Taken and not yet answered.
        public internal(set) var inFlight = 0

        /// An empty book.
        public init() {}

        /// The equation that must hold.
        public var isBalanced: Bool {
            received == recorded + spooled + refused + turnedAway + inFlight
        }
    }

    private let book = Mutex(Snapshot())

    /// An empty book.
    public init() {}

    /// A unit was offered; it is in flight from now on.
    public func receive() {
        entry { book in
            book.received += 1
            book.inFlight += 1
        }
    }

    /// One in flight is committed.
    public func record() { leave(\.recorded) }

    /// One in flight is in the spool.
    public func spool() { leave(\.spooled) }

    /// One in flight was refused by the database.
    public func refuse() { leave(\.refused) }

    /// One in flight was not taken after all.
    public func turnAway() { leave(\.turnedAway) }

    /// The book now; always balanced.
    public var snapshot: Snapshot { book.withLock { $0 } }

    private func leave(_ outcome: WritableKeyPath<Snapshot, Int>) {
        entry { book in
            book[keyPath: outcome] += 1
            book.inFlight -= 1
        }
    }

    private func entry(_ change: (inout Snapshot) -> Void) {
        book.withLock { book in
            change(&book)
            precondition(book.inFlight >= 0 && book.isBalanced, "BUG: unit ledger \(book)")
        }
    }

    /// Six series from one look at the book.
    public func expose(to text: inout MetricText) {
        let book = snapshot
        text.family(
            "sluice_units_received_total", .counter,
            help: "Units of work offered; the sum of the outcomes and those in flight.")
        text.sample(book.received)
        text.family(
            "sluice_units_total", .counter, help: "Units of work by what became of them.")
        text.sample(book.recorded, labels: [MetricLabel("outcome", "recorded")])
        text.sample(book.spooled, labels: [MetricLabel("outcome", "spooled")])
        text.sample(book.refused, labels: [MetricLabel("outcome", "refused")])
        text.sample(book.turnedAway, labels: [MetricLabel("outcome", "turned_away")])
        text.family(
            "sluice_units_in_flight", .gauge, help: "Units of work taken and not yet answered.")
        text.sample(book.inFlight)
    }
}
