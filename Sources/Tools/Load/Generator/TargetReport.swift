/// The answers of one target.
public struct TargetReport: Sendable {
    /// Answers by status.
    public var statuses: [Int: Int] = [:]
    /// Requests without an answer.
    public var lost = 0
    /// From the intended start to the answer: 2xx only.
    public var accepted = LatencyHistogram()
}
