/// The metrics and logs of a running server: counters, gauges, histograms, their Prometheus text,
/// the ledgers of readings and units, and the format of log lines.
///
/// - Recording is for the hot path: one or two relaxed atomic additions, no lock, no allocation.
/// - Everything is registered once, at the start, with its name and its fixed label values. No
///   series can be added later, so the number of series is known and bounded
///   (``Registry/seriesMax``).
/// - Values that must agree within one scrape are read together; see ``MetricSource`` and
///   ``Ledger``, whose equation holds at every scrape.
/// - A crash loses all of it. Prometheus treats a counter that returns to zero as a reset.
///
/// Names end in their unit (`_seconds`, `_bytes`), counters in `_total`. Durations are recorded in
/// nanoseconds and exposed in seconds.
///
/// Source: "Prometheus exposition formats", text format version 0.0.4.

/// The kinds of metric families, as named in the `TYPE` line.
public enum MetricKind: String, Sendable {
    /// Only increases.
    case counter
    /// Increases and decreases.
    case gauge
    /// Cumulative buckets, sum and count.
    case histogram
}
