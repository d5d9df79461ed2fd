/// The targets, pace and duration of a run.
public struct LoadPlan: Sendable {
    /// Decides when the next request is sent.
    public enum Pace: Sendable, Equatable {
        /// The next request is sent when an answer arrives.
        case closed
        /// Requests are sent by the clock, whether or not answers arrive.
        case open(requestsPerSecond: Double, arrival: Arrival)
        /// Open loop with a rate that begins at `from` and changes with each stage.
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

    /// The gaps between the requests of an open loop.
    public enum Arrival: String, Sendable, CaseIterable {
        /// Independent devices: exponential gaps.
        case poisson
        /// Equal gaps.
        case even
    }

    /// Connection `n` uses target `n` modulo their count.
    public var targets: [Target]
    /// Head lines after `Host`, each ending in CR LF.
    public var headLines = ""
    /// The connections to all targets.
    public var connections = 16
    /// Pending requests per connection (HTTP pipelining).
    public var outstanding = 1
    /// Closed or open loop.
    public var pace = Pace.closed
    /// No new request is sent after this.
    public var durationNanoseconds: UInt64 = 30_000_000_000
    /// The timeout of an answer, after which the connection is closed.
    public var answerNanosecondsMax: UInt64 = 30_000_000_000
    /// Sends only the head and waits for `100 Continue`, so that a rejected body is never sent.
    public var expectsContinue = false
    /// Sends an empty request on each connection before the clock starts and waits for its answer,
    /// so that the server has accepted all connections; these requests are not counted.
    public var greets = false
    /// Seeds the gaps of ``Arrival/poisson``.
    public var seed: UInt64 = 1
    /// Verifies the certificates of `https` targets; required if there is one.
    public var trust: SecureContext?

    /// A closed loop against one target.
    public init(target: Target) {
        targets = [target]
    }
}
