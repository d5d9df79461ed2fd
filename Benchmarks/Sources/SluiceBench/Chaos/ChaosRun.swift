import Fleet
import Foundation
import Load

/// All rounds of all faults.
struct ChaosRun {
    let faults: [any Fault]
    let rounds: Int
    let options: ChaosOptions
    let binary: String
    let seed: UInt64
    /// No round begins after this.
    let endsAt: Date
    private(set) var table = ChaosTable()

    init(
        faults: [any Fault], rounds: Int, options: ChaosOptions, binary: String, seed: UInt64,
        endsAt: Date
    ) {
        self.faults = faults
        self.rounds = rounds
        self.options = options
        self.binary = binary
        self.seed = seed
        self.endsAt = endsAt
    }

    mutating func run() {
        Stopping.listen()
        say("seed \(seed), \(options.devices) devices, batches of \(options.batch)")
        for fault in faults {
            guard !isOver else { break }
            if let obstacle = fault.obstacle {
                say("\(fault.name): skipped, \(obstacle)")
                table.skip(fault.name, obstacle)
                continue
            }
            run(fault, seed: Self.seed(of: fault, from: seed))
        }
        say("")
        table.lines.forEach { say($0) }
        say(
            table.isClean
                ? "\(table.rounds) rounds: no acknowledged reading was lost or stored twice, and "
                    + "none was invented"
                : "NOT CLEAN")
    }

    private mutating func run(_ fault: any Fault, seed: UInt64) {
        var rig: Rig?
        defer { rig?.remove() }
        for number in 0..<rounds {
            guard !isOver else { return }
            var outcome = RoundOutcome(fault: fault.name)
            do {
                if rig == nil {
                    rig = try Rig(plan: fault.plan, binary: binary, settings: options.settings)
                    try rig?.start()
                }
                guard let rig else { preconditionFailure("BUG: no rig") }
                outcome = try Round(
                    rig: rig, fault: fault, options: options, seed: seed &+ UInt64(number)
                ).run()
            } catch {
                outcome.others.append("\(error)")
                outcome.others += rig?.takeComplaints().complaints ?? []
            }
            table.add(outcome)
            outcome.lines(number: number + 1).forEach { say($0) }
            guard !outcome.isClean || fault.plan.isForOneRound else { continue }
            // The next round must not inherit the state that this one left, nor begin upgraded.
            rig?.remove()
            rig = nil
        }
    }

    /// A fault's seed does not depend on the other faults of the run, so that the fault can be
    /// run again alone.
    private static func seed(of fault: any Fault, from seed: UInt64) -> UInt64 {
        fault.name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private var isOver: Bool { Stopping.isAsked || Date() >= endsAt }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
