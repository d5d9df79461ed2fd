/// Where to send, how many at a time, and for how long.
public struct LoadPlan: Sendable {
    /// What decides when the next request leaves.
    public enum Pace: Sendable, Equatable {
        /// The next request leaves when an answer comes.
        case closed
        /// Requests leave by the clock, whatever comes back.
        case open(requestsPerSecond: Double, arrival: Arrival)
        /// The same, with a rate that begins at `from` and changes with each stage.
        case stages(from: Double, [Stage], arrival: Arrival)

        /// The rate over time; nil in a closed loop.
        var curve: RateCurve? {
            switch self {
            case .closed: nil
            case .open(let rate, _): RateCurve(constant: rate)
            case .stages(let rate, let stages, _): RateCurve(from: rate, stages: stages)
            }
        }
    }

    /// How far apart the requests of an open loop are.
    public enum Arrival: String, Sendable, CaseIterable {
        /// Independent devices: exponential gaps.
        case poisson
        /// Equal gaps.
        case even
    }

    /// Connection `n` belongs to target `n` modulo their count.
    public var targets: [Target]
    /// Head lines behind `Host`, each ending in CR LF.
    public var headLines = ""
    /// Connections, of all targets together.
    public var connections = 16
    /// Requests under way on each connection (HTTP pipelining).
    public var outstanding = 1
    /// Closed or open loop.
    public var pace = Pace.closed
    /// No new request after this.
    public var durationNanoseconds: UInt64 = 30_000_000_000
    /// An answer that takes longer is given up, and its connection closed.
    public var answerNanosecondsMax: UInt64 = 30_000_000_000
    /// Sends only the head and waits for `100 Continue`, so that a refused body is never sent.
    public var expectsContinue = false
    /// Before the clock starts, each connection gets one answer to a request with an empty body, so
    /// that the server has accepted them all; these count nowhere.
    public var greets = false
    /// For the gaps of ``Arrival/poisson``.
    public var seed: UInt64 = 1
    /// Whom targets of `https` are believed; needed where there is one.
    public var trust: SecureContext?

    /// A closed loop against one target.
    public init(target: Target) {
        targets = [target]
    }
}
