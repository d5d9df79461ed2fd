import ArgumentParser
import Commands
import Foundation
import Load

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

            The readings are stored like any others, under random device ids that depend on \
            --seed: use a database made for tests. Ctrl-C ends a run early and prints its results.

            Exit codes: 0 all thresholds hold, 64 wrong usage, 69 nobody answered, 73 a file can't \
            be written, 76 a certificate is not trusted, 99 a threshold is crossed.
            """)

    /// The same exit status as k6.
    private static let thresholdCrossed: Int32 = 99

    @OptionGroup var options: LoadOptions

    func run() throws {
        let result: LoadResult
        do {
            result = try options.run(options.makeFleet()).result
        } catch let failure as LoadOptions.Failure {
            ExitError(failure).end()
        }
        if !result.isGood { throw ExitCode(Self.thresholdCrossed) }
    }
}
