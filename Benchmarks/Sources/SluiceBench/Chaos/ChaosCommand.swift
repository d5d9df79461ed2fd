import ArgumentParser
import Fleet
import Foundation

struct ChaosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Real faults under load; every row is read back after each.",
        discussion: """
            Starts PostgreSQL and Sluice in a temporary directory, causes one fault per round at a \
            random moment, and checks that no acknowledged reading is lost or stored twice, and \
            that none is invented. The exit status is 1 if a round is not clean or no round ran.

              sluice-bench chaos --list
              sluice-bench chaos --rounds 1
              sluice-bench chaos --rounds 1 --sample 5 --seed 20260131
              sluice-bench chaos --rounds 20 --fault kill-sluice --fault kill-database
            """)

    @Option(help: "Number of rounds of each fault.")
    var rounds = 20

    @Option(help: "Run only this fault; can be repeated. --list shows all faults.")
    var fault: [String] = []

    @Flag(help: "Run only the fastest faults. Has no effect with --fault.")
    var quick = false

    @Option(help: "Run only so many of the faults that can run here, chosen by the seed.")
    var sample: Int?

    @Option(help: "Seed of the whole run, which is printed; random by default.")
    var seed: UInt64?

    @Option(help: "Start no round after this many minutes.")
    var minutes = 120.0

    @Flag(help: "Print all faults, and run none.")
    var list = false

    @OptionGroup(title: "Server and load") var options: ChaosOptions

    func validate() throws {
        guard rounds > 0, minutes > 0, (sample ?? 1) > 0 else {
            throw ValidationError("--rounds, --minutes and --sample must be positive.")
        }
        let known = Set(Faults.all.map(\.name))
        for name in fault where !known.contains(name) {
            throw ValidationError("There is no fault '\(name)'; --list shows all faults.")
        }
    }

    func run() throws {
        guard !list else {
            for fault in Faults.all {
                let name = fault.name.padding(toLength: 21, withPad: " ", startingAt: 0)
                print(name + " " + fault.summary + (fault.obstacle.map { " [\($0)]" } ?? ""))
            }
            return
        }
        let wanted = Set(fault.isEmpty && quick ? Faults.quick : fault)
        var faults = Faults.all.filter { wanted.isEmpty || wanted.contains($0.name) }
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        if let sample {
            var random = SeededGenerator(seed: seed)
            faults = faults.filter { $0.obstacle == nil }.shuffled(using: &random)
            faults.removeLast(max(0, faults.count - sample))
        }
        var run = ChaosRun(
            faults: faults, rounds: rounds, options: options, binary: try options.binary(),
            seed: seed, endsAt: Date(timeIntervalSinceNow: minutes * 60))
        run.run()
        guard run.table.isClean, run.table.rounds > 0 else { throw ExitCode(1) }
    }
}
