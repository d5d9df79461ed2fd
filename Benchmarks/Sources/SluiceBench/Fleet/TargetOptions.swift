import ArgumentParser
import Foundation
import Load

/// Whom to send to.
struct TargetOptions: ParsableArguments {
    @Option(help: "The server; without a path, /ingest.")
    var url = "http://127.0.0.1:8080"

    @Option(help: "X-API-Key; the first of INGEST_API_KEY otherwise.")
    var key: String?

    @Flag(help: "Load a server on another machine, which is yours.")
    var iOwnThisTarget = false

    func resolve() throws -> Target {
        let target: Target
        do {
            target = try Target(url: url)
        } catch .notHTTP(let url) {
            throw ValidationError("'\(url)' is no http://HOST:PORT/PATH.")
        } catch .noAddress(let host) {
            throw ValidationError("'\(host)' has no address.")
        }
        guard target.isLoopback || iOwnThisTarget else {
            throw ValidationError(
                "\(target.host) is another machine. If it is yours: --i-own-this-target.")
        }
        return target
    }

    var headLines: String {
        let environment = ProcessInfo.processInfo.environment["INGEST_API_KEY"]
        let key = self.key ?? environment?.split(separator: ",").first.map(String.init)
        return "Content-Type: application/json\r\n" + (key.map { "X-API-Key: \($0)\r\n" } ?? "")
    }
}

/// How fast, how many at once, how long.
struct PaceOptions: ParsableArguments {
    @Option(help: "Connections.")
    var connections = 16

    @Option(help: "Requests under way on each connection.")
    var outstanding = 1

    @Option(help: "Open loop: requests a second.")
    var rate: Double?

    @Option(help: "Open loop: how requests arrive (poisson, even).")
    var arrival = "poisson"

    @Option(help: "Seconds.")
    var duration = 30.0

    @Option(help: "End after so many new readings.")
    var readings: Int?

    @Option(help: "Seconds after which an answer is given up.")
    var answerWithin = 30.0

    @Flag(help: "Send the head first and the body after 100 Continue.")
    var expectContinue = false

    @Flag(help: "Give refused and lost batches up instead of sending them again.")
    var noRetries = false

    func validate() throws {
        guard (1...60_000).contains(connections), (1...1000).contains(outstanding) else {
            throw ValidationError("--connections is 1 to 60000, --outstanding 1 to 1000.")
        }
        guard duration > 0, duration <= 86_400, answerWithin > 0, rate ?? 1 > 0 else {
            throw ValidationError("--duration, --rate and --answer-within must be positive.")
        }
        guard LoadPlan.Arrival(rawValue: arrival) != nil else {
            throw ValidationError("--arrival is poisson or even.")
        }
        guard !expectContinue || outstanding == 1 else {
            throw ValidationError("--expect-continue goes with --outstanding 1 only.")
        }
    }

    func plan(target: TargetOptions, seed: UInt64) throws -> LoadPlan {
        var plan = LoadPlan(target: try target.resolve())
        plan.headLines = target.headLines
        plan.connections = connections
        plan.outstanding = outstanding
        plan.durationNanoseconds = UInt64(duration * 1e9)
        plan.answerNanosecondsMax = UInt64(answerWithin * 1e9)
        plan.expectsContinue = expectContinue
        plan.seed = seed
        if let rate, let arrival = LoadPlan.Arrival(rawValue: arrival) {
            plan.pace = .open(requestsPerSecond: rate, arrival: arrival)
        }
        return plan
    }
}
