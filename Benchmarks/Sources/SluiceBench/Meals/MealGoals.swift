import ArgumentParser
import Foundation
import Load
import Oracle
import Synchronization

/// Measures the time from the request with a sentence to the result on the user's socket, in an
/// open loop.
struct MealGoals {
    let server: ServerUnderTest
    let rate: Double
    let users: Int
    let connections: Int
    let seconds: Double
    let runs: Int
    let name: String

    private static let warmSeconds = 2.0
    private static let answerSecondsMax = 15.0

    /// p99 of each run.
    func latencyRow() throws -> GoalOutcome {
        let session = try Session(url: server.database)
        let tables = MealTables(session: session)
        let bodies = try Self.bodies()
        var p99: [Double] = []
        var (p50, longest, acknowledged): ([Double], [Double], [Double]) = ([], [], [])
        var (count, failed) = (0, 0)
        var void: String?
        // The first run only warms up.
        for run in 0...runs where void == nil {
            try tables.clear()
            let leg = try leg("\(name)r\(run)", bodies, run == 0 ? Self.warmSeconds : seconds)
            void = try leg.fault ?? tables.fault(leg)
            if run == 0 { continue }
            p99.append(leg.latency(at: 99))
            p50.append(leg.latency(at: 50))
            longest.append(leg.latency(at: 100))
            acknowledged.append(milliseconds(leg.report.accepted, at: 99))
            count += leg.latencies.count
            failed += leg.failed
        }
        if void == nil { try tables.clear() }
        let remark =
            p99.isEmpty
            ? ""
            : "\(count) logs of \(users) users, none missing, \(failed) unreadable; p50 "
                + "\(Figures.milliseconds(Figures.median(p50))), max "
                + "\(Figures.milliseconds(longest.max() ?? .nan)); 201 p99 "
                + "\(Figures.milliseconds(Figures.median(acknowledged)))"
        return GoalOutcome(
            name: "meal, POST to push, p99 at \(Int(rate)) logs/s", unit: "ms", direction: .atMost,
            goal: 50, values: p99, remark: remark, void: void)
    }

    /// The sentences of the golden set, as the app sends them.
    private static func bodies() throws -> [[UInt8]] {
        let lines = try ["tuning", "held-out", "late"].flatMap { name in
            try String(contentsOfFile: "Tests/Apps/MealsTests/Golden/\(name).txt", encoding: .utf8)
                .split(separator: "\n")
        }
        return try lines.compactMap { line in
            guard !line.hasPrefix("#"), let end = line.range(of: " => ") else { return nil }
            let text = line[..<end.lowerBound].replacing("\\n", with: "\n")
            let body = ["raw_input": text, "meal_type": "lunch"]
            return Array(try JSONSerialization.data(withJSONObject: body))
        }
    }

    /// The result of the sending thread.
    private struct Sent: @unchecked Sendable {
        // Guard of `@unchecked`: put into the lock by the thread that made it, which then ends.
        let posts: MealPosts
        let report: LoadReport
    }

    private func leg(_ run: String, _ bodies: [[UInt8]], _ seconds: Double) throws -> MealLeg {
        let who = MealUsers(run: run, count: users, secret: server.tokenSecret)
        let pushes = MealPushes(who)
        var sockets = SocketPlan(port: server.port)
        sockets.sockets = users
        let listener = SocketGenerator(plan: sockets, workload: pushes)
        try listener.open()
        var plan = LoadPlan(
            target: try Target(
                url: "http://127.0.0.1:\(server.port)/api/v1/meal-logs/natural"))
        plan.headLines = "Content-Type: application/json\r\n"
        plan.connections = connections
        plan.durationNanoseconds = UInt64(seconds * 1e9)
        plan.pace = .open(requestsPerSecond: rate, arrival: .poisson)
        plan.seed = UInt64(run.utf8.reduce(0) { $0 &* 31 &+ Int($1) }.magnitude)
        let finished = Mutex<Sent?>(nil)
        Thread.detachNewThread { [plan] in
            let posts = MealPosts(who, bodies: bodies)
            let report = LoadGenerator(plan: plan, workload: posts).run()
            finished.withLock { $0 = Sent(posts: posts, report: report) }
        }
        let sent = try listen(listener, pushes, until: { finished.withLock { $0 } })
        return MealLeg(sent.posts.posts, pushes.pushes, names: who.names, sent.report)
    }

    /// Listens until the last result has arrived or the time limit is over.
    private func listen(
        _ listener: SocketGenerator, _ pushes: MealPushes, until finished: () -> Sent?
    ) throws -> (posts: MealPosts, report: LoadReport) {
        let sendingEnd = monotonicNanoseconds() + UInt64((seconds + 60) * 1e9)
        while monotonicNanoseconds() < sendingEnd {
            listener.idle(seconds: 0.05)
            guard let sent = finished() else { continue }
            let end = monotonicNanoseconds() + UInt64(Self.answerSecondsMax * 1e9)
            // Each socket also receives one frame that says that it is connected.
            let due = sent.report.acceptedCount + users
            while pushes.pushes.count < due, monotonicNanoseconds() < end {
                listener.idle(seconds: 0.05)
            }
            // Results that are pushed twice arrive now.
            listener.idle(seconds: 0.2)
            return (sent.posts, sent.report)
        }
        throw ValidationError("The run of \(Int(seconds)) s did not end.")
    }
}
