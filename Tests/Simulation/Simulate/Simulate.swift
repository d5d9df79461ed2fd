import ArgumentParser
import ScannerSupport
import Simulation
import Synchronization

/// Runs one seed after the other and stops at the first seed with a violation.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice-simulate",
        abstract: "Runs ingestion in a model of its world, one seed after the other.")

    @Option(help: "How many seeds.")
    var seeds: UInt64 = 1000
    @Option(help: "The first of them.")
    var first: UInt64 = 1
    @Option(help: "Begin no seed after so many seconds.")
    var seconds: Int?
    @Option(help: "Seeds that are played at once, 1 to 8.")
    var threads = 2
    @Option(help: "What the model is to do wrong: \(Sabotage.names).")
    var sabotage: Sabotage?
    @Option(help: "Spread the database over so many shards, as on Citus.")
    var shards = 0
    @Flag(help: "Tell what happens, line by line.")
    var tell = false
    @Flag(help: "Print the hash of each run.")
    var hashes = false
    @Flag(help: "Go on behind a seed that failed.")
    var goOn = false

    func validate() throws {
        guard (1...8).contains(threads) else { throw ValidationError("--threads: 1 to 8") }
        guard seconds ?? 1 > 0 else { throw ValidationError("--seconds: at least 1") }
        guard seeds > 0 else { throw ValidationError("--seeds: at least 1") }
    }

    func run() throws {
        let start = ContinuousClock.now
        let end = seconds.map { start + .seconds($0) } ?? start + .seconds(1 << 32)
        let sums = Mutex(SimulationSums())
        let next = Atomic(first)
        let isStopped = Atomic(false)
        Parallel.run(threads) { thread in
            let note = CrashNote(slot: thread)
            let simulation = Simulation()
            while !isStopped.load(ordering: .relaxed) {
                let seed = next.add(1, ordering: .relaxed).oldValue
                guard seed < first + seeds, ContinuousClock.now < end else { return }
                note.note(input: seed)
                let report = simulation.run(
                    seed: seed, sabotage: sabotage, shards: shards, isTold: tell)
                let done = sums.withLock { sums in
                    sums.add(report)
                    return sums.seeds
                }
                print(report)
                if !report.violations.isEmpty, !goOn { isStopped.store(true, ordering: .relaxed) }
                if done % 1000 == 0 { print("\(done) of \(seeds) seeds") }
            }
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        let sum = sums.withLock { $0 }
        print("\(sum), in \(Int(time)) s")
        if sum.failures > 0 { throw ExitCode.failure }
    }

    private func print(_ report: SimulationReport) {
        for line in report.story { print(line) }
        if hashes { print("\(report.seed) \(String(report.hash, radix: 16))") }
        guard let violation = report.violations.first else { return }
        print("seed \(report.seed): \(violation)")
        let sabotaged = sabotage.map { " --sabotage \($0.rawValue)" } ?? ""
        print("  again: sluice-simulate --seeds 1 --first \(report.seed) --tell\(sabotaged)")
    }

    private func print(_ line: String) { Swift.print(line) }
}

extension Sabotage: ExpressibleByArgument {}
