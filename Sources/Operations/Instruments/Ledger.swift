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

/// The columns of a ``Ledger`` at one moment.
public protocol LedgerBook: MetricSource {
    /// The sum of the arrival columns.
    var cameIn: Int { get }
    /// The sum of the departure columns.
    var left: Int { get }
}

extension LedgerBook {
    /// Arrivals that have not departed yet.
    public var pending: Int { cameIn - left }
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

/// Readings that clients sent; pending are those not answered yet.
public struct ReadingBook: LedgerBook {
    /// Found in request bodies.
    public var received = 0
    /// Committed as new rows.
    public var stored = 0
    /// Already stored before.
    public var duplicates = 0
    /// Quarantined with their original bytes.
    public var quarantined = 0
    /// Written to the spool, including readings to quarantine; ``SpoolBook`` counts them from there
    /// on.
    public var spooled = 0
    /// Refused with their whole batch; the client was told to keep them.
    public var refused = 0

    /// An empty book.
    public init() {}

    /// See ``LedgerBook``.
    public var cameIn: Int { received }
    /// See ``LedgerBook``.
    public var left: Int { stored + duplicates + quarantined + spooled + refused }

    /// Seven series.
    public func expose(to text: inout MetricText) {
        text.counter(
            "sluice_readings_received_total",
            help: "Readings seen in request bodies; the sum of the outcomes and those in flight.",
            received)
        text.outcomes(
            "sluice_readings_total", help: "Readings by what became of them.",
            [
                "stored": stored, "duplicate": duplicates, "quarantined": quarantined,
                "spooled": spooled, "refused": refused,
            ])
        text.gauge(
            "sluice_readings_in_flight", help: "Readings received and not yet answered.", pending)
    }
}

/// Units of work that were offered; pending are those accepted and not answered yet.
public struct UnitBook: LedgerBook {
    /// Offered.
    public var received = 0
    /// Committed.
    public var recorded = 0
    /// Written to the spool; ``SpoolBook`` counts them from there on.
    public var spooled = 0
    /// Rejected by the database for good.
    public var refused = 0
    /// Refused because there was no room, or neither the database nor the spool was available; the
    /// client was told to keep them.
    public var turnedAway = 0

    /// An empty book.
    public init() {}

    /// See ``LedgerBook``.
    public var cameIn: Int { received }
    /// See ``LedgerBook``.
    public var left: Int { recorded + spooled + refused + turnedAway }

    /// Six series.
    public func expose(to text: inout MetricText) {
        text.counter(
            "sluice_units_received_total",
            help: "Units of work offered; the sum of the outcomes and those in flight.", received)
        text.outcomes(
            "sluice_units_total", help: "Units of work by what became of them.",
            [
                "recorded": recorded, "spooled": spooled, "refused": refused,
                "turned_away": turnedAway,
            ])
        text.gauge(
            "sluice_units_in_flight", help: "Units of work taken and not yet answered.", pending)
    }
}

/// Readings or units of work in the spool; pending are those in the spool now.
public struct SpoolBook: LedgerBook {
    /// What a book counts.
    public enum Content: Sendable {
        case readings
        case units
    }

    /// What this book counts.
    public let content: Content
    /// In the spool when the server opened it.
    public var found = 0
    /// Written and synced since then.
    public var written = 0
    /// Replayed and committed.
    public var stored = 0
    /// Replayed readings that were stored already; always zero for units, where this is unknown.
    public var duplicates = 0
    /// Replayed, and quarantined (readings) or rejected (units), kept in a table for the operator.
    public var quarantined = 0
    /// In damaged records; their file is kept.
    public var lost = 0

    /// An empty book.
    public init(of content: Content) {
        self.content = content
    }

    /// See ``LedgerBook``.
    public var cameIn: Int { found + written }
    /// See ``LedgerBook``.
    public var left: Int { stored + duplicates + quarantined + lost }

    /// Six or seven series.
    public func expose(to text: inout MetricText) {
        let areUnits = content == .units
        let (name, noun) = areUnits ? ("units", "Units of work") : ("readings", "Readings")
        text.counter(
            "sluice_spool_found_\(name)_total", help: "\(noun) in the spool when it was opened.",
            found)
        text.counter(
            "sluice_spool_written_\(name)_total", help: "\(noun) written to the spool and synced.",
            written)
        text.outcomes(
            "sluice_spool_replayed_\(name)_total",
            help: "\(noun) brought from the spool to the database, by what became of them.",
            areUnits
                ? ["recorded": stored, "set_aside": quarantined]
                : ["stored": stored, "duplicate": duplicates, "quarantined": quarantined])
        text.counter(
            areUnits ? "sluice_spool_lost_units_total" : "sluice_spool_set_aside_readings_total",
            help: "\(noun) in records that could not be read back; their file is kept.", lost)
        text.gauge("sluice_spool_waiting_\(name)", help: "\(noun) in the spool.", pending)
    }
}

extension MetricText {
    fileprivate mutating func counter(_ name: String, help: String, _ value: Int) {
        family(name, .counter, help: help)
        sample(value)
    }

    fileprivate mutating func gauge(_ name: String, help: String, _ value: Int) {
        family(name, .gauge, help: help)
        sample(value)
    }

    /// A counter with one series for each outcome.
    fileprivate mutating func outcomes(
        _ name: String, help: String, _ values: KeyValuePairs<String, Int>
    ) {
        family(name, .counter, help: help)
        for (outcome, value) in values { sample(value, labels: [MetricLabel("outcome", outcome)]) }
    }
}
