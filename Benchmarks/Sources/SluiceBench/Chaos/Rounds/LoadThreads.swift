import Foundation
import Load

/// The generators of a round, each on a thread of its own.
final class LoadThreads: Sendable {
    private let group = DispatchGroup()

    /// - Parameters:
    ///   - connections: number of connections of each generator.
    ///   - requestsPerSecond: of all generators; nil: as fast as answers arrive.
    init(
        rig: Rig, clients: Clients, connections: Int, requestsPerSecond: Double?, seed: UInt64,
        secondsMax: Double
    ) throws {
        for (number, port) in rig.entrances.enumerated() {
            var plan = LoadPlan(target: try Target(url: "http://127.0.0.1:\(port)/ingest"))
            plan.headLines = "Content-Type: application/json\r\n"
            plan.connections = connections
            plan.durationNanoseconds = UInt64(secondsMax * 1e9)
            plan.answerNanosecondsMax = 15_000_000_000
            plan.seed = seed &+ UInt64(number)
            if let requestsPerSecond {
                plan.pace = .open(
                    requestsPerSecond: requestsPerSecond / Double(rig.entrances.count),
                    arrival: .poisson)
            }
            let fixed = plan
            group.enter()
            Thread.detachNewThread { [group] in
                _ = LoadGenerator(
                    plan: fixed, workload: Front(clients, number: number)
                ).run()
                group.leave()
            }
        }
    }

    /// - Returns: whether all have ended.
    func join(seconds: Double) -> Bool {
        group.wait(timeout: .now() + seconds) == .success
    }
}
