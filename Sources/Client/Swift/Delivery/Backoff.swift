/// How long to wait after failures in a row: at random up to a bound that doubles, so that a fleet
/// does not return all at once.
struct Backoff: Sendable {
    private static let firstSeconds = 1.0
    private let secondsMax: Double
    private var bound = firstSeconds

    init(secondsMax: Double) {
        self.secondsMax = max(Self.firstSeconds, secondsMax)
    }

    /// - Parameters:
    ///   - atLeast: what the server asked for.
    ///   - share: 0 to 1, at random.
    mutating func next(atLeast: Double?, share: Double) -> Double {
        let wait = bound * share
        bound = min(secondsMax, 2 * bound)
        // The server spreads its own times.
        return max(wait, atLeast ?? 0)
    }

    /// After a success.
    mutating func reset() {
        bound = Self.firstSeconds
    }
}
