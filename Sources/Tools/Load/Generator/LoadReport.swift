/// The result of a run. Latencies are in nanoseconds.
public struct LoadReport: Sendable {
    /// From the start to the last answer; the whole time without any.
    public var elapsedNanoseconds: UInt64 = 0
    /// Answers by status.
    public var statuses: [Int: Int] = [:]
    /// The size of the bodies whose requests were answered.
    public var bytesSent = 0
    /// Requests that were sent again, as the workload asked.
    public var retries = 0
    /// Requests with an unknown outcome: broken connections and timeouts.
    public var lost = 0
    /// Connections that were started.
    public var connectionsOpened = 0
    /// Connections that were refused, or whose TLS handshake failed.
    public var connectionsRefused = 0
    /// Answers that the generator can't parse.
    public var broken = 0
    /// Requests that were due but not sent when the run ended.
    public var neverSent = 0
    /// From the intended start to the answer: 2xx only.
    public var accepted = LatencyHistogram()
    /// From the intended start to every other answer.
    public var refused = LatencyHistogram()
    /// From the actual sending to the answer: 2xx only.
    public var acceptedFromSend = LatencyHistogram()
    /// From the actual sending to every other answer.
    public var refusedFromSend = LatencyHistogram()
    /// CPU time of the generator's thread, from the first request on.
    public var processorNanoseconds: UInt64 = 0
    /// The run in intervals of equal length.
    public var series = LoadSeries(durationNanoseconds: 0)
    /// The results of each target, in the order of the plan.
    public var targets: [TargetReport] = []
    /// Why a server's certificate is not trusted; this ends the run at once.
    public var distrust: String?

    /// Without requests.
    public init() {}

    /// All answers, whatever their status.
    public var answers: Int { statuses.values.reduce(0, +) }
    /// The CPU use of the generator's thread, in cores.
    public var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
    /// From the start to the last answer.
    public var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    /// The number of 2xx answers.
    public var acceptedCount: Int {
        statuses.reduce(0) { $0 + ((200..<300).contains($1.key) ? $1.value : 0) }
    }
}
