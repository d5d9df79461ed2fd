import Fleet
import Foundation
import Load
import Readings

/// The spool as the server runs it under load, beside LZ4 alone on one core. What it takes to write
/// and sync the compressed bytes without a spool is in the remark.
struct SpoolGoal {
    let pairs: Int
    let isQuick: Bool
    let seed: UInt64

    func row() throws -> GoalOutcome {
        let today = Int64(Timestamp.now().day)
        var profile = FleetProfile(
            start: Timestamp(microseconds: (today - 1) * Timestamp.microsecondsPerDay))
        profile.seed = seed
        profile.devices = 1000
        let load = SpoolLoad(
            FleetModel(profile), batch: 100, syncs: isQuick ? 8 : 32)
        let contest = try SpoolContest(load, directory: NSTemporaryDirectory())
        defer { contest.clear() }
        try contest.checkContents()
        let rounds = try (0..<pairs).map(contest.round)
        func rate(_ seconds: (SpoolContest.Round) -> Double) -> String {
            "\(Int(Figures.median(rounds.map { Double(load.bytes) / seconds($0) / 1e6 }))) MB/s"
        }
        return GoalOutcome(
            name: "spool with LZ4 ÷ LZ4 alone, one core", unit: "×", direction: .atLeast,
            goal: 0.75,
            values: rounds.map { $0.compression / $0.spool },
            remark: "\(load.summary), \(String(format: "%.2f", contest.ratio)) : 1; "
                + "\(rate(\.spool)) against \(rate(\.compression)); "
                + "written and synced without compression time \(rate(\.raw))")
    }
}
