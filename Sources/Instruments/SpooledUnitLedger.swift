import Synchronization

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
