import ArgumentParser
import Commands
import Fleet
import Foundation
import Glibc
import Load
import OperatorErrors
import Oracle
import Server

struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Simulate a fleet of devices and measure rates and latencies.",
        discussion: """
            Closed loop, without --rate and --stages: each connection sends its next batch when it \
            has the answer to the last one. This finds the highest rate. Open loop, with either: \
            batches are sent by the clock, independent of the answers, and a latency counts from \
            the time at which its batch was due. So a server that stalls can't hide it \
            (coordinated omission).

            Without arguments: load the server of `make run` or `sluice serve` in this directory \
            for 30 s:
              sluice load

            Ramp up to 1000 batches a second, hold that rate, and write a page with plots:
              sluice load --stages 30s:1000,2m:1000 --connections 256 --html load.html

            In a pipeline: two nodes with TLS, exit status 99 if they are too slow or fail:
              sluice load https://a.example:8443 https://b.example:8443 --ca-file ca.pem \\
                --i-own-this-target --rate 500 --duration 1m --json load.json \\
                --threshold 'p99<50ms' --threshold 'failed<0.1%'

            Did it keep its promise? Read every row back from the database of this machine's \
            server (or that of SLUICE_DATABASE_URL), and compare it with all that was sent and answered:
              sluice load --duration 1m --verify

            Compare with an earlier run, after an upgrade of server or machine:
              sluice load --rate 500 --json before.json
              sluice load --rate 500 --baseline before.json

            As an app: positions as Overland posts them, or a body that was recorded:
              sluice load --format overland
              sluice load http://127.0.0.1:8080/in/health --body export.json

            The readings are stored like any others, under random device ids that depend on \
            --seed: use a database made for tests. Ctrl-C ends a run early and prints its results.

            Exit codes: 0 all thresholds hold, 64 wrong usage, 65 --verify found a reading lost, \
            stored twice or invented, 69 nobody answered, or nothing was accepted or stored, 73 a \
            file can't be written, 76 a certificate is not trusted, 77 the key was refused, 99 a threshold is \
            crossed or a figure is worse than in --baseline.
            """)

    /// The same exit status as k6.
    private static let thresholdCrossed: Int32 = 99

    @OptionGroup var options: LoadOptions

    @Flag(
        help: ArgumentHelp(
            "After the run, read every row back from the database and compare.",
            discussion: """
                Archived days are not read: leave --days-ago small. --rough expects the server's \
                SLUICE_READING_AGE_MAX to be the default.
                """))
    var verify = false

    @OptionGroup(title: "Settings of this machine's server") var configuration: ConfigurationOptions

    func validate() throws {
        guard !verify || options.canBeVerified else {
            throw ValidationError(
                "--verify reads back the readings of a fleet; what is in the file of --body is not "
                    + "known. Remove one of the two.")
        }
    }

    func run() throws {
        let fleet = options.makeFleet()
        do {
            let isGood =
                try verify
                ? runVerified(fleet)
                : options.run(fleet, localKey: { localKey }).result.isGood
            if !isGood { throw ExitCode(Self.thresholdCrossed) }
        } catch let failure as any OperatorError {
            ExitError(failure).end()
        } catch let failure as Session.Failure {
            ExitError("the database: \(failure.description)", code: EX_UNAVAILABLE).end()
        } catch LoadVerification.Fault.devicesKnown(let count, let seed) {
            throw ValidationError(
                "The database has \(count) devices of seed \(seed) already: use another --seed.")
        }
    }

    /// The first ingest key of the server of this machine; nil if its settings or the key can't be
    /// read. The process stays the caller's, who may name files for the results.
    private var localKey: String? {
        guard let settings = try? configuration.sources().configuration() else { return nil }
        let path = DataDirectory(settings.dataDirectory).keyPath
        let keys =
            settings.ingestKeys?.revealed() ?? (try? String(contentsOfFile: path, encoding: .utf8))
        return keys?.split(separator: ",").first?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// - Returns: whether all thresholds hold. Ends the process if the database is wrong.
    private func runVerified(_ fleet: FleetModel) throws -> Bool {
        let access = try DatabaseAccess(configuration.read())
        let settings = access.settings
        let outcome = Result { () throws -> (isGood: Bool, isRight: Bool) in
            let verification = try LoadVerification(settings, fleet, metric: options.metric)
            let (result, witness) = try options.run(
                fleet, witness: Ledger(fleet: fleet), localKey: { localKey })
            guard let ledger = witness as? Ledger else {
                preconditionFailure("BUG: another witness")
            }
            let (isRight, lines) = try verification.judge(ledger)
            options.show(lines)
            return (result.isGood, isRight)
        }
        try access.close()
        let (isGood, isRight) = try outcome.get()
        if !isRight { throw ExitCode(EX_DATAERR) }
        return isGood
    }
}
