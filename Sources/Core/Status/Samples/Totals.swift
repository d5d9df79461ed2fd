import Instruments

/// Counters since the start of the process; the same type holds their rates per second.
///
/// Both are floating-point numbers; a total is exact up to 2^53.
public struct Totals: Codable, Equatable, Sendable {
    /// Answers to `POST /ingest`.
    public var requests = 0.0
    /// Answers with a status other than 2xx: nothing of the request was accepted.
    public var requestsRefused = 0.0
    /// Size of heads and bodies as received.
    public var receivedBytes = 0.0
    /// Readings in request bodies.
    public var readings = 0.0
    /// Readings committed.
    public var stored = 0.0
    /// Readings that were stored already.
    public var duplicates = 0.0
    /// Quarantined readings.
    public var quarantined = 0.0
    /// Readings acknowledged after they were spooled.
    public var spooled = 0.0
    /// Readings refused with their whole batch.
    public var refused = 0.0
    /// Transactions of lanes.
    public var commits = 0.0
    /// Size of the committed rows in PostgreSQL's binary format.
    public var tupleBytes = 0.0
    /// Committed units of work, such as captures and meals.
    public var units = 0.0

    /// All zero.
    public init() {}

    private static let all: [any WritableKeyPath<Totals, Double> & Sendable] = [
        \.requests, \.requestsRefused, \.receivedBytes, \.readings, \.stored, \.duplicates,
        \.quarantined, \.spooled, \.refused, \.commits, \.tupleBytes, \.units,
    ]

    /// The increase per second since `earlier`; a counter that has decreased counts as zero.
    public func rates(since earlier: Totals, seconds: Double) -> Totals {
        var rates = Totals()
        for field in Self.all {
            rates[keyPath: field] = Rate.of(self[keyPath: field], earlier[keyPath: field], seconds)
        }
        return rates
    }
}
