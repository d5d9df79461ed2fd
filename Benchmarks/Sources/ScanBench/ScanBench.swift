/// The scanner's microbenchmark as a program of its own. `ScanContest` describes what it
/// measures.

import ArgumentParser
import Foundation
import ScanContest

@main
struct ScanBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan-bench",
        abstract: "The scanner compared with simdjson On-Demand, on the same readings.",
        discussion: """
            Ratios above 1 mean that the scanner is faster.

              scan-bench                       all scenarios
              scan-bench --only canonical      one of them
              scan-bench --rounds 21           more pairs, a more stable median
            """)

    @Option(help: "Number of pairs of timings for each scenario.")
    var rounds = 11

    @Option(help: "Approximate length of each timing in milliseconds.")
    var milliseconds = 40

    @Option(help: "Number of different readings.")
    var readings = 10_000

    @Option(help: "Seed of the readings.")
    var seed: UInt64 = 1

    @Option(help: "Run only scenarios whose name contains this.")
    var only: String?

    @Option(help: "Also write the results as JSON to this file.")
    var json: String?

    func validate() throws {
        guard rounds > 0, milliseconds > 0, (1000...1_000_000).contains(readings) else {
            throw ValidationError(
                "--rounds and --milliseconds must be positive, --readings 1000 to 1000000.")
        }
    }

    func run() throws {
        print("\(Contest.opponent); \(readings) readings, \(rounds) pairs, seed \(seed)")
        print(Comparison.heading)
        var results: [Comparison] = []
        for scenario in Scenario.all where only.map(scenario.name.contains) ?? true {
            let comparison = try Contest(
                scenario: scenario, readings: readings, seed: seed, rounds: rounds,
                milliseconds: milliseconds
            ).run()
            print(comparison.line)
            results.append(comparison)
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(results).write(to: URL(fileURLWithPath: json))
        }
    }
}
