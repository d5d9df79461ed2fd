import Foundation
import Load

/// The result of a run. Each accepted log is matched with the push of its result.
struct MealLeg {
    /// Milliseconds from the intended start of a request to its result on the user's socket,
    /// ascending.
    private(set) var latencies: [Double] = []
    /// Ids of accepted logs.
    private(set) var accepted: Set<String> = []
    /// Results that say that the sentence could not be read.
    private(set) var failed = 0
    let report: LoadReport
    /// Why the run is void; nil if it counts.
    private(set) var fault: String?

    /// - Parameter names: the users' names, by their numbers.
    init(
        _ posts: [MealPosts.Post], _ pushes: [MealPushes.Push], names: [String],
        _ report: LoadReport
    ) {
        self.report = report
        var results: [String: [(user: Int, at: UInt64)]] = [:]
        for push in pushes {
            guard let frame = Self.object(push.frame), let type = frame["type"] as? String,
                type != "connected"
            else { continue }
            guard type.hasPrefix("meal_log."), let data = frame["data"] as? [String: Any],
                let id = data["id"] as? String,
                data["user_id"] as? String == names[push.user]
            else {
                fault = fault ?? "a frame of type \(type) that is not a result of this user"
                continue
            }
            if type == "meal_log.failed" { failed += 1 }
            results[id, default: []].append((push.user, push.at))
        }
        match(posts, results)
        latencies.sort()
    }

    private mutating func match(
        _ posts: [MealPosts.Post], _ results: [String: [(user: Int, at: UInt64)]]
    ) {
        var missing = 0
        var repeated = 0
        for post in posts where post.status == 201 {
            guard let data = Self.object(post.answer)?["data"] as? [String: Any],
                let id = data["id"] as? String
            else {
                fault = fault ?? "a 201 without an id"
                continue
            }
            accepted.insert(id)
            guard let pushes = results[id], let first = pushes.first else {
                missing += 1
                continue
            }
            repeated += pushes.count - 1
            if first.user != post.user { fault = "a result on another user's socket" }
            latencies.append((Double(first.at) - Double(post.intended)) * 1e-6)
        }
        let strange = results.keys.filter { !accepted.contains($0) }.count
        let others = report.statuses.filter { $0.key != 201 }
        let complaints = [
            (others.values.reduce(0, +), "answers other than 201 \(others)"),
            (report.lost + report.broken, "requests lost"),
            (report.neverSent, "requests never sent"),
            (missing, "results missing"), (repeated, "results pushed twice"),
            (strange, "results of unknown logs"),
            (accepted.isEmpty ? 1 : 0, "run without an accepted log"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !complaints.isEmpty { fault = fault ?? complaints.joined(separator: ", ") }
    }

    /// Nearest rank, in milliseconds.
    func latency(at percentile: Double) -> Double {
        guard !latencies.isEmpty else { return .nan }
        let rank = Int((Double(latencies.count) * percentile / 100).rounded(.up))
        return latencies[min(max(rank, 1), latencies.count) - 1]
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }
}
