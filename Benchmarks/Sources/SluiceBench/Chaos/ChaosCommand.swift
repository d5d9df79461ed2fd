import ArgumentParser
import Fleet
import Foundation

struct ChaosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Real faults under load, with every row read back after each.",
        discussion: """
            Starts PostgreSQL and Sluice in a temporary directory, lets one fault a round strike \
            at a random moment, and checks that nothing acknowledged is lost, stored twice or \
            invented. The exit status is 1 when a round is not clean.

              sluice-bench chaos --list
              sluice-bench chaos --rounds 1
              sluice-bench chaos --rounds 20 --fault kill-sluice --fault kill-database
            """)

    @Option(help: "Rounds of each fault.")
    var rounds = 20

    @Option(help: "Only this fault; may be repeated. --list names them.")
    var fault: [String] = []

    @Flag(help: "Only the faults that take the least time.")
    var quick = false

    @Option(help: "Seed of everything; a random one is made and printed otherwise.")
    var seed: UInt64?

    @Option(help: "Begin no round after so many minutes.")
    var minutes = 120.0

    @Flag(help: "Name the faults.")
    var list = false

    @OptionGroup(title: "Server and load") var options: ChaosOptions

    func validate() throws {
        guard rounds > 0, minutes > 0 else {
            throw ValidationError("--rounds and --minutes must be positive.")
        }
        let known = Set(Faults.all.map(\.name))
        for name in fault where !known.contains(name) {
            throw ValidationError("There is no fault '\(name)'; --list names them.")
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
        var run = ChaosRun(
            faults: Faults.all.filter { wanted.isEmpty || wanted.contains($0.name) },
            rounds: rounds, options: options, binary: try options.binary(),
            seed: seed ?? UInt64.random(in: 1...999_999_999),
            endsAt: Date(timeIntervalSinceNow: minutes * 60))
        run.run()
        guard run.table.isClean, run.table.rounds > 0 else { throw ExitCode(1) }
    }
}
