import Synchronization

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
