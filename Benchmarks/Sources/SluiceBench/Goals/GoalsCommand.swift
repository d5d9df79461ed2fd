import ArgumentParser
import Foundation
import ScanContest

struct GoalsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "goals",
        abstract: "The goals table: ratios of Sluice to the raw limits.",
        discussion: """
            Starts a private Sluice (release build, temporary data directory, free port) and runs \
            each row of the table in pairs, one side after the other. A ratio is void unless the \
            database holds exactly the rows that were sent.

              sluice-bench goals --sluice ../.build/release/sluice
              sluice-bench goals --quick
              sluice-bench goals --only copy
            """)

    @Option(help: "The server binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "Number of pairs for each row.")
    var pairs = 5

    @Flag(help: "At most two pairs and shorter runs, to check that it works.")
    var quick = false

    @Option(
        help: """
            Measure only rows whose name contains this: scanner, copy, requests, latency, \
            replay, overload, meals, formats, rollups, memory, spool, distance, sealed.
            """)
    var only: String?

    @Option(help: "Directory for the result files; an empty string writes none.")
    var results = "Benchmarks/results"

    @Option(help: "Seed of the fleets; random by default.")
    var seed: UInt64?

    @Option(
        name: .customLong("setting"),
        help: "A server setting as KEY=value, for an experiment; can be repeated.")
    var settings: [String] = []

    func validate() throws {
        guard (1...99).contains(pairs) else { throw ValidationError("--pairs must be 1 to 99.") }
    }

    func run() throws {
        let rows = GoalRow.allCases.filter { row in only.map { row.rawValue.contains($0) } ?? true }
        guard !rows.isEmpty else { throw ValidationError("No row contains '\(only ?? "")'.") }
        var outcomes: [GoalOutcome] = []
        var machine = Machine()
        print(machine.line)
        if rows.contains(.scanner) {
            print(Contest.opponent)
            ScannerGoals(rounds: quick ? 5 : 11).run { outcome in
                print(outcome.line)
                outcomes.append(outcome)
            }
        }
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        let served = rows.filter(\.needsServer)
        if !served.isEmpty {
            // Without rollups, because the raw COPY makes none either. Their cost is a row of its
            // own.
            let server = try ServerUnderTest(
                binary: sluice, settings: ["SLUICE_ROLLUPS=false"] + settings)
            defer { server.stop() }
            let bench = try ServedGoals(
                server: server, pairs: quick ? min(pairs, 2) : pairs, isQuick: quick,
                seed: seed)
            machine.postgres = bench.postgresVersion
            print("\(machine.postgres) · seed \(bench.seed)")
            for row in served {
                for outcome in try bench.run(row) {
                    print(outcome.line)
                    outcomes.append(outcome)
                }
            }
        }
        let plan = GoalPlan(
            binary: sluice, settings: settings, pairs: quick ? min(pairs, 2) : pairs,
            isQuick: quick,
            seed: seed)
        func add(_ more: [GoalOutcome]) {
            for outcome in more { print(outcome.line) }
            outcomes += more
        }
        if rows.contains(.rollups) { add([try RollupGoal(plan: plan).row()]) }
        if rows.contains(.memory) { add([try MemoryGoal(plan: plan).row()]) }
        if rows.contains(.spool) {
            add([try SpoolGoal(pairs: pairs, isQuick: quick, seed: seed).row()])
        }
        if rows.contains(.distance) { add(try DistanceGoals(plan: plan).rows()) }
        if rows.contains(.sealed) { add(try SealedGoals(plan: plan).rows()) }
        try GoalReport(machine: machine, outcomes: outcomes).write(to: results)
    }
}

/// The rows of the goals table that `goals` measures.
enum GoalRow: String, CaseIterable {
    case scanner
    case copyLarge = "copy-1000"
    case copySmall = "copy-100"
    case requests
    case latency
    case replay
    case overload
    case meals
    case formats
    case rollups
    case memory
    case spool
    case distance
    case sealed

    /// The row is measured on the one server that these rows share.
    var needsServer: Bool {
        switch self {
        case .scanner, .rollups, .memory, .spool, .distance, .sealed: false
        default: true
        }
    }
}
