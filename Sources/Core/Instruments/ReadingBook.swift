import Synchronization

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
