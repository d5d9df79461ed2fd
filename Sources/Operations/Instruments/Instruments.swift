/// What a running server tells of itself: counters, gauges, histograms, their Prometheus text, the
/// ledger of readings, and the form of a log line.
///
/// - Recording is for the hot path: one or two relaxed atomic additions, no lock, no allocation.
/// - Everything is registered once, at the start, with its name and its fixed label values; a
///   series can't come into being later, so the number of series is known and bounded
///   (``Registry/seriesMax``).
/// - What must be consistent with each other within one scrape is read together: see
///   ``MetricSource`` and ``Ledger``, whose equation holds at every scrape.
/// - A crash loses all of it. Prometheus takes a counter's return to zero for what it is.
///
/// Names end in their unit (`_seconds`, `_bytes`), counters in `_total`. Durations are recorded in
/// nanoseconds and told in seconds.
///
/// Source: "Prometheus exposition formats", text format version 0.0.4.

/// The kinds of a metric family, as its `TYPE` line names them.
public enum MetricKind: String, Sendable {
    /// Only grows.
    case counter
    /// Goes both ways.
    case gauge
    /// Cumulative buckets, sum and count.
    case histogram
}

/// One fixed pair that tells the series of a family apart.
public struct MetricLabel: Hashable, Sendable {
    /// Letters, digits and underscores, no digit first.
    public let name: String
    /// Any text; it is escaped where it is written.
    public let value: String

    /// - Parameters:
    ///   - name: must be a valid label name; anything else is a bug.
    ///   - value: one of few: every value is a time series for ever.
    public init(_ name: String, _ value: String) {
        precondition(MetricName.isLabel(name), "BUG: label name \(name)")
        self.name = name
        self.value = value
    }
}

/// What Prometheus accepts as a name (colons are for its own rules), and what this module asks.
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
