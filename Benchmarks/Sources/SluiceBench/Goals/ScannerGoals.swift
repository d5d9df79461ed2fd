import Foundation
import ScanContest

/// The scanner's rows of the goals table.
struct ScannerGoals {
    let rounds: Int

    private static let readings = 10_000
    private static let milliseconds = 40

    func run(_ report: (GoalOutcome) -> Void) {
        for scenario in Scenario.all { report(outcome(of: scenario)) }
    }

    private func outcome(of scenario: Scenario) -> GoalOutcome {
        var outcome = GoalOutcome(
            name: "scanner, \(scenario.name)", unit: "×", direction: .atLeast, goal: scenario.goal,
            values: [])
        do {
            let comparison = try Contest(
                scenario: scenario, readings: Self.readings, seed: 1, rounds: rounds,
                milliseconds: Self.milliseconds
            ).run()
            outcome.values = comparison.ratios
            outcome.remark = String(
                format: "%.0f ns against %.0f ns (%@)", comparison.ownNanoseconds,
                comparison.otherNanoseconds, comparison.opponent)
        } catch {
            outcome.void = "\(error)"
        }
        return outcome
    }
}
