public import ArgumentParser

/// The rate, connections and duration of a run.
public struct PaceOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "Number of connections, 1 to 60000.")
    var connections = 16

    @Option(help: "Unanswered requests per connection (HTTP pipelining).")
    var outstanding = 1

    @Option(name: .shortAndLong, help: "Open loop: requests per second, up to 1000000.")
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Open loop: a rate that changes, such as 30s:200,1m:200,10s:1000.",
            discussion: """
                In each TIME:RATE the rate changes evenly from the previous rate to RATE, during \
                TIME; 0s:RATE changes it at once. The first starts at --rate, or at 0.
                """,
            valueName: "time:rate,…"))
    var stages: StageList?

    @Option(help: "Open loop: requests at random (poisson) or equal (even) intervals.")
    var arrival = LoadPlan.Arrival.poisson

    @Option(name: .shortAndLong, help: "Length of the run, such as 90s or 1m30s. (default: 30s)")
    var duration: TimeSpan?

    @Option(help: "End after this many new readings.")
    var readings: Int?

    @Option(
        name: [.long, .customLong("answer-within")],
        help: "Longest time to wait for an answer, at most 10m.")
    var timeout = TimeSpan(seconds: 30)

    @Flag(help: "Send the head first and the body after 100 Continue.")
    var expectContinue = false

    @Flag(help: "Do not send refused and lost batches again.")
    var noRetries = false

    /// The maximum number of new readings.
    public var readingsMax: Int { readings ?? .max }

    private static let rateMax = 1_000_000.0
    private static let secondsMax = 86_400.0

    /// Parsed from the command line.
    public init() {}

    /// Rejects values that are out of bounds.
    public func validate() throws {
        guard (1...60_000).contains(connections), (1...1000).contains(outstanding) else {
            throw ValidationError("--connections must be 1 to 60000, --outstanding 1 to 1000.")
        }
        guard seconds > 0, seconds <= Self.secondsMax else {
            throw ValidationError(
                "--duration, or the sum of --stages, must be above 0 and at most 24h.")
        }
        guard timeout.seconds > 0, timeout.seconds <= 600 else {
            throw ValidationError("--timeout must be above 0 and at most 10m.")
        }
        let rates = (stages?.stages.map(\.requestsPerSecond) ?? []) + (rate.map { [$0] } ?? [])
        guard rates.allSatisfy({ $0 >= 0 && $0 <= Self.rateMax }), rates.max() ?? 1 > 0 else {
            throw ValidationError(
                "--rate and the rates of --stages must be at most 1000000, and one above 0.")
        }
        guard stages == nil || duration == nil else {
            throw ValidationError("--stages sets the length of the run; remove --duration.")
        }
        guard readings ?? 1 > 0 else { throw ValidationError("--readings must be positive.") }
        guard !expectContinue || outstanding == 1 else {
            throw ValidationError("--expect-continue needs --outstanding 1.")
        }
    }

    var seconds: Double { stages?.seconds ?? duration?.seconds ?? 30 }

    /// - Parameters:
    ///   - targets: one or more.
    ///   - headLines: see ``LoadPlan/headLines``.
    ///   - trust: required if a target is `https`.
    ///   - seed: of the gaps between requests.
    public func plan(
        targets: [Target], headLines: String, trust: SecureContext? = nil, seed: UInt64
    ) -> LoadPlan {
        var plan = LoadPlan(target: targets[0])
        plan.targets = targets
        plan.headLines = headLines
        plan.trust = trust
        plan.connections = max(connections, targets.count)
        plan.outstanding = outstanding
        plan.durationNanoseconds = UInt64(seconds * 1e9)
        plan.answerNanosecondsMax = UInt64(timeout.seconds * 1e9)
        plan.expectsContinue = expectContinue
        plan.seed = seed
        if let stages {
            plan.pace = .stages(from: rate ?? 0, stages.stages, arrival: arrival)
        } else if let rate {
            plan.pace = .open(requestsPerSecond: rate, arrival: arrival)
        }
        return plan
    }
}

extension LoadPlan.Arrival: ExpressibleByArgument {}
