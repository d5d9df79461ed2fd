/// What only grows, since the start of the process; and, as rates, the same a second.
///
/// Numbers are floating-point in both forms: a total is exact up to 2^53.
public struct Totals: Codable, Equatable, Sendable {
    /// Answers to `POST /ingest`.
    public var requests = 0.0
    /// Those of them that took nothing: 4xx and 5xx.
    public var requestsRefused = 0.0
    /// Heads and bodies, as they came.
    public var receivedBytes = 0.0
    /// Readings in bodies.
    public var readings = 0.0
    /// Readings committed.
    public var stored = 0.0
    /// Readings that were stored already.
    public var duplicates = 0.0
    /// Readings set aside.
    public var quarantined = 0.0
    /// Readings acknowledged once they were in the spool.
    public var spooled = 0.0
    /// Readings turned down with their whole batch.
    public var refused = 0.0
    /// Transactions of lanes.
    public var commits = 0.0
    /// Of committed rows, in PostgreSQL's binary form.
    public var tupleBytes = 0.0
    /// Captures, meals and the like that were committed.
    public var units = 0.0

    /// All zero.
    public init() {}

    private static let all: [any WritableKeyPath<Totals, Double> & Sendable] = [
        \.requests, \.requestsRefused, \.receivedBytes, \.readings, \.stored, \.duplicates,
        \.quarantined, \.spooled, \.refused, \.commits, \.tupleBytes, \.units,
    ]

    /// The growth since `earlier` a second; what has shrunk counts as not grown.
    public func rates(since earlier: Totals, seconds: Double) -> Totals {
        var rates = Totals()
        for field in Self.all {
            rates[keyPath: field] = Rate.of(self[keyPath: field], earlier[keyPath: field], seconds)
        }
        return rates
    }
}

/// How fast counters grow.
enum Rate {
    /// Never negative, and 0 where no time has passed.
    static func of(_ now: Double, _ earlier: Double, _ seconds: Double) -> Double {
        seconds > 0 ? max(0, now - earlier) / seconds : 0
    }
}
