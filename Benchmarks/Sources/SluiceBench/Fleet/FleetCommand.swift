import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "What `sluice load` does, and then every reading checked in the database.",
        discussion: """
            Takes the options of `sluice load`, whose help explains them.

              sluice-bench fleet --key KEY --rough --duration 20s \\
                  --verify --database 'host=/run/sluice user=sluice dbname=sluice'

            With --verify the exit status is 1 when anything is lost, doubled, invented or \
            answered wrongly, or a threshold is crossed.
            """)

    @OptionGroup var load: LoadOptions

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
        let fleet = load.makeFleet()
        let session = try (verify || proveOracle ? database : nil).map { try Session(url: $0) }
        if let session {
            let known = try Verification.devicesKnown(of: fleet, on: session)
            guard known == 0 else {
                throw ValidationError(
                    "The database knows \(known) devices of seed \(fleet.profile.seed) already: use "
                        + "another seed."
                )
            }
        }
        let (result, witness) = try load.run(
            fleet, witness: session == nil ? nil : Ledger(fleet: fleet))
        if let session, let ledger = witness as? Ledger { try check(ledger, session) }
        if !result.isGood { throw ExitCode(1) }
    }

    private func check(_ ledger: Ledger, _ session: Session) throws {
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
