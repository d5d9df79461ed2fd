import Synchronization

/// The books of all readings in the spool: at every moment
/// `found + written = stored + duplicates + quarantined + setAside + waiting`.
///
/// As in ``ReadingLedger``, an entry that doesn't add up ends the process: what is on disk is found
/// again by the next one.
public final class SpoolLedger: MetricSource {
    /// The book at one moment; readings everywhere.
    public struct Snapshot: Equatable, Sendable {
        /// In the spool when it was opened.
        public internal(set) var found = 0
        /// Written and synced since.
        public internal(set) var written = 0
        /// Brought back to the database, by what became of them there.
        public internal(set) var stored = 0
        /// Were in the database already.
        public internal(set) var duplicates = 0
        /// Set aside with their original bytes.
        public internal(set) var quarantined = 0
        /// In records that turned out to be unreadable and were moved aside.
        public internal(set) var setAside = 0
        /// In the spool now.
        public internal(set) var waiting = 0

        /// An empty book.
        public init() {}

        /// The equation that must hold.
        public var isBalanced: Bool {
            found + written == stored + duplicates + quarantined + setAside + waiting
        }
    }

    private let book = Mutex(Snapshot())

    /// An empty book.
    public init() {}

    /// The spool was opened with this much in it.
    public func find(_ count: Int) {
        entry { book in
            book.found += count
            book.waiting += count
        }
    }

    /// Readings were written and synced.
    public func write(_ count: Int) {
        entry { book in
            book.written += count
            book.waiting += count
        }
    }

    /// Readings were committed, each in one of three ways.
    public func settle(stored: Int, duplicates: Int, quarantined: Int) {
        entry { book in
            book.stored += stored
            book.duplicates += duplicates
            book.quarantined += quarantined
            book.waiting -= stored + duplicates + quarantined
        }
    }

    /// Readings can't be read back; their file is kept.
    public func setAside(_ count: Int) {
        entry { book in
            book.setAside += count
            book.waiting -= count
        }
    }

    /// The book now; always balanced.
    public var snapshot: Snapshot { book.withLock { $0 } }

    private func entry(_ change: (inout Snapshot) -> Void) {
        book.withLock { book in
            change(&book)
            precondition(book.waiting >= 0 && book.isBalanced, "BUG: spool ledger \(book)")
        }
    }

    /// Seven series from one look at the book.
    public func expose(to text: inout MetricText) {
        let book = snapshot
        text.family(
            "sluice_spool_found_readings_total", .counter,
            help: "Readings in the spool when it was opened.")
        text.sample(book.found)
        text.family(
            "sluice_spool_written_readings_total", .counter,
            help: "Readings written to the spool and synced.")
        text.sample(book.written)
        text.family(
            "sluice_spool_replayed_readings_total", .counter,
            help: "Readings brought from the spool to the database, by what became of them.")
        text.sample(book.stored, labels: [MetricLabel("outcome", "stored")])
        text.sample(book.duplicates, labels: [MetricLabel("outcome", "duplicate")])
        text.sample(book.quarantined, labels: [MetricLabel("outcome", "quarantined")])
        text.family(
            "sluice_spool_set_aside_readings_total", .counter,
            help: "Readings in records that could not be read back; their file is kept.")
        text.sample(book.setAside)
        text.family(
            "sluice_spool_waiting_readings", .gauge, help: "Readings in the spool.")
        text.sample(book.waiting)
    }
}
