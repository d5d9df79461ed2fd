import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "A simulated fleet against a running Sluice.",
        discussion: """
            Closed loop (the default): each connection sends its next batch when an answer comes; \
            it finds the highest rate. Open loop (--rate): batches leave by the clock, and their \
            latency counts from when they should have left, so a stalled server can't hide.

            The run ends after --duration, or when --readings have been sent.

              sluice-bench fleet --key KEY --batch 1000 --readings 5000000
              sluice-bench fleet --key KEY --batch 3 --connections 512
              sluice-bench fleet --key KEY --rate 2000 --arrival poisson --connections 256
              sluice-bench fleet --key KEY --rough --duration 20 \\
                  --verify --database 'host=/run/sluice user=sluice dbname=sluice'

            With --verify the exit status is 1 when anything is lost, doubled, invented or \
            answered wrongly.
            """)

    @OptionGroup(title: "Target") var target: TargetOptions
    @OptionGroup(title: "Pace") var pace: PaceOptions
    @OptionGroup(title: "Fleet") var fleet: FleetOptions
    @OptionGroup(title: "Habits") var habits: HabitOptions

    @Flag(help: "Afterwards, check every reading in the database.")
    var verify = false

    @Flag(help: "After --verify, spoil the database in a transaction and expect objections.")
    var proveOracle = false

    @Option(help: "For --verify: the database, as libpq takes it.")
    var database: String?

    func validate() throws {
        if verify || proveOracle, database == nil {
            throw ValidationError("--verify needs --database.")
        }
    }

    func run() throws {
        let seed = fleet.seed ?? UInt64.random(in: 1...999_999_999)
        let model = FleetModel(fleet.profile(seed: seed))
        print("seed \(seed), \(fleet.devices) devices, batches of \(fleet.batch)")
        let session = try (verify || proveOracle ? database : nil).map { try Session(url: $0) }
        if let session {
            let known = try Verification.devicesKnown(of: model, on: session)
            guard known == 0 else {
                throw ValidationError(
                    "The database knows \(known) devices of seed \(seed) already: use another seed."
                )
            }
        }
        let workload = FleetWorkload(
            fleet: model,
            itinerary: Itinerary(
                devices: fleet.devices, batch: fleet.batch, readings: pace.readings ?? .max,
                habits: habits.habits(rough: fleet.rough), seed: seed),
            isChecked: session != nil, retries: !pace.noRetries)
        let report = try run(workload, seed: seed)
        RunTable(report: report, workload: workload).lines.forEach { print($0) }
        if let session { try check(workload, session) }
    }

    private func run(_ workload: FleetWorkload, seed: UInt64) throws -> LoadReport {
        let plan = try pace.plan(target: target, seed: seed)
        let generator = LoadGenerator(plan: plan, workload: workload)
        let progress = Progress(
            durationNanoseconds: plan.durationNanoseconds, readings: pace.readings)
        generator.onProgress = { elapsed, answers in
            progress.update(elapsed: elapsed, answers: answers, readings: workload.totals.records)
        }
        let report = generator.run()
        progress.finish()
        return report
    }

    private func check(_ workload: FleetWorkload, _ session: Session) throws {
        guard let ledger = workload.ledger else { preconditionFailure("BUG: no ledger") }
        let verification = try Verification.run(ledger, on: session)
        print(
            "oracle: \(verification.rows) rows and \(verification.quarantined) quarantined readings "
                + "read back; \(ledger.uncertainReadings) readings of unknown fate")
        guard verification.objections.isEmpty else {
            verification.objections.lines.forEach { print($0) }
            print("oracle: OBJECTS")
            throw ExitCode(1)
        }
        print("oracle: every acknowledged reading is stored once; nothing is invented")
        guard proveOracle else { return }
        for tampering in Tampering.allCases {
            switch try tampering.run(ledger, on: session) {
            case .objected(let kinds):
                print("  \(tampering.rawValue): noticed (\(kinds.joined(separator: "; ")))")
            case .notApplicable:
                print("  \(tampering.rawValue): nothing there to spoil")
            case .silent:
                print("  \(tampering.rawValue): NOT NOTICED")
                throw ExitCode(1)
            }
        }
    }
}
