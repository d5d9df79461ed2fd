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

/// The books of all units of work in the spool: at every moment
/// `found + written = recorded + setAside + lost + waiting`.
///
/// As in ``SpoolLedger``, an entry that doesn't add up ends the process: what is on disk is found
/// again by the next one.
public final class SpooledUnitLedger: MetricSource {
    /// The book at one moment; units everywhere.
    public struct Snapshot: Equatable, Sendable {
        /// In the spool when it was opened.
        public internal(set) var found = 0
        /// Written and synced since.
        public internal(set) var written = 0
        /// Brought back to the database and committed.
        public internal(set) var recorded = 0
        /// Brought back, and in `sluice.unit_set_aside` now.
        public internal(set) var setAside = 0
        /// In records that turned out to be unreadable; their file is kept.
        public internal(set) var lost = 0
        /// In the spool now.
        public internal(set) var waiting = 0

        /// An empty book.
        public init() {}

        /// The equation that must hold.
        public var isBalanced: Bool {
            found + written == recorded + setAside + lost + waiting
        }
    }

    private let book = Mutex(Snapshot())

    /// An empty book.
    public init() {}

    /// The spool was opened with this many in it.
    public func find(_ count: Int) {
        entry { book in
            book.found += count
            book.waiting += count
        }
    }

    /// Units were written and synced.
    public func write(_ count: Int) {
        entry { book in
            book.written += count
            book.waiting += count
        }
    }

    /// Units were committed, in one of two ways.
    public func settle(recorded: Int, setAside: Int) {
        entry { book in
            book.recorded += recorded
            book.setAside += setAside
            book.waiting -= recorded + setAside
        }
    }

    /// Units can't be read back; their file is kept.
    public func lose(_ count: Int) {
        entry { book in
            book.lost += count
            book.waiting -= count
        }
    }

    /// The book now; always balanced.
    public var snapshot: Snapshot { book.withLock { $0 } }

    private func entry(_ change: (inout Snapshot) -> Void) {
        book.withLock { book in
            change(&book)
            precondition(book.waiting >= 0 && book.isBalanced, "BUG: spooled unit ledger \(book)")
        }
    }

    /// Six series from one look at the book.
    public func expose(to text: inout MetricText) {
        let book = snapshot
        text.family(
            "sluice_spool_found_units_total", .counter,
            help: "Units of work in the spool when it was opened.")
        text.sample(book.found)
        text.family(
            "sluice_spool_written_units_total", .counter,
            help: "Units of work written to the spool and synced.")
        text.sample(book.written)
        text.family(
            "sluice_spool_replayed_units_total", .counter,
            help: "Units of work brought from the spool to the database, by what became of them.")
        text.sample(book.recorded, labels: [MetricLabel("outcome", "recorded")])
        text.sample(book.setAside, labels: [MetricLabel("outcome", "set_aside")])
        text.family(
            "sluice_spool_lost_units_total", .counter,
            help: "Units of work in records that could not be read back; their file is kept.")
        text.sample(book.lost)
        text.family("sluice_spool_waiting_units", .gauge, help: "Units of work in the spool.")
        text.sample(book.waiting)
    }
}
