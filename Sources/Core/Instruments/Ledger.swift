import Synchronization

/// Double-entry books: at every moment, arrivals equal departures plus pending items.
///
/// An entry that breaks the equation ends the process; the next process recovers from the disk. One
/// lock guards the whole book, so a snapshot never sees half an entry. The lock is taken twice a
/// request, for some nanoseconds, never per reading.
public final class Ledger<Book: LedgerBook>: MetricSource {
    private let book: Mutex<Book>

    /// - Parameter book: an empty book.
    public init(_ book: Book) {
        self.book = Mutex(book)
    }

    /// The current book; its equation holds.
    public var snapshot: Book { book.withLock { $0 } }

    /// Adds to several columns in one step.
    public func enter(_ add: (inout Book) -> Void) {
        book.withLock { book in
            let (cameIn, left) = (book.cameIn, book.left)
            add(&book)
            precondition(
                book.cameIn >= cameIn && book.left >= left && book.pending >= 0,
                "BUG: ledger \(book)")
        }
    }

    /// Exposes all series from one snapshot.
    public func expose(to text: inout MetricText) { snapshot.expose(to: &text) }
}

/// The ledger of all readings that clients sent.
public typealias ReadingLedger = Ledger<ReadingBook>

/// The ledger of all units of work that were offered, such as captures.
public typealias UnitLedger = Ledger<UnitBook>

/// The ledger of all readings, or of all units of work, in the spool.
public typealias SpoolLedger = Ledger<SpoolBook>

extension Ledger<ReadingBook> {
    /// An empty book.
    public convenience init() { self.init(ReadingBook()) }
}

extension Ledger<UnitBook> {
    /// An empty book.
    public convenience init() { self.init(UnitBook()) }
}

extension MetricText {
    mutating func counter(_ name: String, help: String, _ value: Int) {
        family(name, .counter, help: help)
        sample(value)
    }

    mutating func gauge(_ name: String, help: String, _ value: Int) {
        family(name, .gauge, help: help)
        sample(value)
    }

    /// A counter with one series for each outcome.
    mutating func outcomes(
        _ name: String, help: String, _ values: KeyValuePairs<String, Int>
    ) {
        family(name, .counter, help: help)
        for (outcome, value) in values { sample(value, labels: [MetricLabel("outcome", outcome)]) }
    }
}
