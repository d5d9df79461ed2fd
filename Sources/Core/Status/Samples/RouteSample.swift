/// Answers of one route since the start.
public struct RouteSample: Equatable, Sendable {
    /// Number of answers.
    public var requests = 0.0
    /// Answers with 5xx.
    public var failures = 0.0
    /// Time from the head of the request to the head of the answer, for all methods.
    public var times = Distribution()

    /// A route without answers.
    public init() {}
}
