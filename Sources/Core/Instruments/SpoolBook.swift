import Synchronization

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
