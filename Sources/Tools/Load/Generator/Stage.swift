/// A stage of an open loop, in which the rate changes linearly to `requestsPerSecond`.
public struct Stage: Sendable, Equatable {
    /// Its duration; 0 changes the rate at once.
    public var seconds: Double
    /// The rate at its end.
    public var requestsPerSecond: Double

    /// - Parameters:
    ///   - seconds: 0 or more.
    ///   - requestsPerSecond: 0 or more.
    public init(seconds: Double, requestsPerSecond: Double) {
        precondition(seconds >= 0 && requestsPerSecond >= 0, "BUG: \(seconds) s")
        self.seconds = seconds
        self.requestsPerSecond = requestsPerSecond
    }
}
