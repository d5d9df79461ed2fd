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

/// A fixed label that distinguishes the series of a family.
public struct MetricLabel: Hashable, Sendable {
    /// Letters, digits and underscores, not starting with a digit.
    public let name: String
    /// Any text; it is escaped when it is written.
    public let value: String

    /// - Parameters:
    ///   - name: must be a valid label name; anything else is a bug.
    /// - value: one of a few values, because each is a time series for ever.
    public init(_ name: String, _ value: String) {
        precondition(MetricName.isLabel(name), "BUG: label name \(name)")
        self.name = name
        self.value = value
    }
}

/// The naming rules: Prometheus's own, without colons (reserved for recording rules), and ours.
enum MetricName {
    static func check(_ name: String, _ kind: MetricKind) {
        precondition(isLabel(name), "BUG: metric name \(name)")
        precondition(
            (kind == .counter) == name.hasSuffix("_total"),
            "BUG: \(name): counters, and only they, end in _total")
    }

    static func isLabel(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }
}
