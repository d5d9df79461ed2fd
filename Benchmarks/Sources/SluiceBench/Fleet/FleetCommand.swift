import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Like `sluice load`; can then check every reading in the database.",
        discussion: """
            Takes the options of `sluice load`; its help explains them.

              sluice-bench fleet --key KEY --rough --duration 20s \\
                  --verify --database 'host=/run/sluice user=sluice dbname=sluice'

            The exit status is 1, not 99, if a threshold is crossed. With --verify it is also 1 if \
            a reading is lost, stored twice or invented, or if an answer is wrong.
            """)

    @OptionGroup var load: LoadOptions

    @Flag(help: "After the run, check every reading in the database.")
    var verify = false

    @Flag(
        help: """
            Like --verify; then corrupt the database in a transaction that is rolled back, and \
            fail if the oracle does not notice.
            """)
    var proveOracle = false

    @Option(help: "For --verify: the database, as a libpq connection string.")
    var database: String?

    func validate() throws {
        if verify || proveOracle, database == nil {
            throw ValidationError("--verify and --prove-oracle need --database.")
        }
    }

    func run() throws {
        let fleet = load.makeFleet()
        let session = try (verify || proveOracle ? database : nil).map { try Session(url: $0) }
        if let session {
            let known = try Verification.devicesKnown(of: fleet, on: session)
            guard known == 0 else {
                throw ValidationError(
                    "The database already has \(known) devices of seed \(fleet.profile.seed): use "
                        + "another --seed."
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
                + "read back; \(ledger.uncertainReadings) readings with an unknown outcome")
        guard verification.objections.isEmpty else {
            verification.objections.lines.forEach { print($0) }
            print("oracle: NOT OK")
            throw ExitCode(1)
        }
        print("oracle: every acknowledged reading is stored once; nothing is invented")
        guard proveOracle else { return }
        for tampering in Tampering.allCases {
            switch try tampering.run(ledger, on: session) {
            case .objected(let kinds):
                print("  \(tampering.rawValue): noticed (\(kinds.joined(separator: "; ")))")
            case .notApplicable:
                print("  \(tampering.rawValue): skipped, no row to change")
            case .silent:
                print("  \(tampering.rawValue): NOT NOTICED")
                throw ExitCode(1)
            }
        }
    }
}
