/// What a run came to. Latencies in nanoseconds.
public struct LoadReport: Sendable {
    /// From the start to the last answer.
    public var elapsedNanoseconds: UInt64 = 0
    /// Answers by status.
    public var statuses: [Int: Int] = [:]
    /// Bodies of the requests that were answered.
    public var bytesSent = 0
    /// Requests that were sent again, as their workload wanted.
    public var retries = 0
    /// Requests whose fate is unknown: broken connections and time-outs.
    public var lost = 0
    /// Connections that were begun.
    public var connectionsOpened = 0
    /// Connections that nobody took, or whose TLS handshake failed.
    public var connectionsRefused = 0
    /// Answers that were not HTTP as the generator speaks it.
    public var broken = 0
    /// Requests that were due but never sent, because the run was over.
    public var neverSent = 0
    /// From the intended start to the answer: 2xx only.
    public var accepted = LatencyHistogram()
    /// From the intended start: every other answer.
    public var refused = LatencyHistogram()
    /// From the actual sending, of the same answers.
    public var acceptedFromSend = LatencyHistogram()
    /// From the actual sending: every other answer.
    public var refusedFromSend = LatencyHistogram()
    /// CPU time of the generator's thread.
    public var processorNanoseconds: UInt64 = 0
    /// The run in stretches of equal length.
    public var series = LoadSeries(durationNanoseconds: 0)
    /// What each target answered, in the order of the plan.
    public var targets: [TargetReport] = []
    /// Why a server's certificate is not trusted; the run ended at once.
    public var distrust: String?

    /// Of a run without requests.
    public init() {}

    /// All answers, whatever their status.
    public var answers: Int { statuses.values.reduce(0, +) }
    /// Share of one core that the generator's thread took.
    public var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
    /// From the start to the last answer.
    public var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    /// Answers of 2xx.
    public var acceptedCount: Int {
        statuses.reduce(0) { $0 + ((200..<300).contains($1.key) ? $1.value : 0) }
    }
}

/// What one of several targets answered.
public struct TargetReport: Sendable {
    /// Answers by status.
    public var statuses: [Int: Int] = [:]
    /// Requests that got no answer.
    public var lost = 0
    /// From the intended start to the answer: 2xx only.
    public var accepted = LatencyHistogram()
}

/// A run in stretches of equal length, none shorter than a tenth of a second: at most ``stretchesMax``
/// until no more requests leave.
public struct LoadSeries: Sendable {
    /// What happened in one stretch. Latencies are of its 2xx answers, from the intended start, in
    /// nanoseconds; 0 without any.
    public struct Stretch: Sendable, Equatable {
        /// Requests that left.
        public var sent = 0
        /// Answers of 2xx.
        public var accepted = 0
        /// Other answers.
        public var refused = 0
        /// Requests that were given up, or whose connection broke.
        public var lost = 0
        /// The median.
        public var p50: UInt64 = 0
        /// 90 percent are no longer.
        public var p90: UInt64 = 0
        /// 99 percent are no longer.
        public var p99: UInt64 = 0
        /// The longest.
        public var max: UInt64 = 0
    }

    /// More would look like noise.
    public static let stretchesMax = 100
    private static let lengths: [Double] = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600]

    /// How long each is.
    public let stretchNanoseconds: UInt64
    /// Those that are over.
    public private(set) var stretches: [Stretch] = []
    private var current = Stretch()
    private var latencies = LatencyHistogram()

    init(durationNanoseconds: UInt64) {
        let shortest = Double(durationNanoseconds) * 1e-9 / Double(Self.stretchesMax)
        stretchNanoseconds = UInt64(1e9 * (Self.lengths.first { $0 >= shortest } ?? 3600))
    }

    /// Ends the stretches that are over; call it before anything is counted.
    mutating func advance(to elapsed: UInt64) {
        while elapsed >= UInt64(stretches.count + 1) * stretchNanoseconds { close() }
    }

    mutating func sent() { current.sent += 1 }
    mutating func lost() { current.lost += 1 }
    mutating func refused() { current.refused += 1 }

    mutating func accepted(after latency: UInt64) {
        current.accepted += 1
        latencies.record(latency)
    }

    /// Ends the last stretch, which may be shorter, if anything happened in it.
    mutating func finish() {
        if current != Stretch() { close() }
    }

    private mutating func close() {
        current.p50 = latencies.valueAtPercentile(50)
        current.p90 = latencies.valueAtPercentile(90)
        current.p99 = latencies.valueAtPercentile(99)
        current.max = latencies.max
        stretches.append(current)
        current = Stretch()
        latencies.removeAll()
    }
}
