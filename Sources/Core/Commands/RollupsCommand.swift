import ArgumentParser
import Glibc
import Postgres
import Server
import Times

struct RollupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollups",
        abstract: "Rebuild the hourly rollups.",
        discussion: """
            The server sums up each hour when it is over (SLUICE_ROLLUPS), and again when late \
            readings arrive. Rebuild the rollups after you changed rows by hand, and for days \
            that an older version stored with rollups turned off.
            """,
        subcommands: [Rebuild.self])

    struct Rebuild: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute the rollups of some days, or of all days, from their rows.",
            discussion: """
                Works with or without a running server. After an interruption, run it again:

                  sluice rollups rebuild --from 2026-02-01 --to 2026-02-10
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "The first day, YYYY-MM-DD. Default: the first day with readings.")
        var from: String?
        @Option(help: "The last day, YYYY-MM-DD. Default: the last day with readings.")
        var to: String?

        func validate() throws {
            for (name, day) in [("--from", from), ("--to", to)] {
                guard let day else { continue }
                guard CivilDate(day) != nil else {
                    throw ValidationError("\(name) must be YYYY-MM-DD")
                }
            }
            if let from, let to, from > to { throw ValidationError("--from is later than --to") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            guard let known = try RollupUpkeep.days(on: connection) else {
                print("there are no readings")
                return
            }
            connection.deadline = .now + .seconds(600)
            let first = max(from ?? known.first, known.first)
            let last = min(to ?? known.last, known.last)
            let days = try RollupUpkeep.daysToRebuild(from: first, to: last, on: connection)
            var rebuilt = 0
            var passedBy: [PostgresError] = []
            for (number, day) in days.enumerated() {
                let wasThere = try RollupUpkeep.rebuild(day: day, on: connection) {
                    connection.deadline = .now + .seconds(600)
                    ProgressLine.show("\(day), day \(number + 1) of \(days.count)")
                } passedBy: {
                    passedBy.append($0)
                }
                if wasThere { rebuilt += 1 }
            }
            ProgressLine.end()
            print(rebuilt == 1 ? "1 day rebuilt" : "\(rebuilt) days rebuilt")
            let failures = try RollupUpkeep.failures(
                from: first, to: last, limit: 10, on: connection)
            let reasons =
                failures.map { "\($0.deviceID) (hours: \($0.hours), SQLSTATE \($0.sqlState))" }
                + passedBy.prefix(10).map { "\($0)" }
            guard reasons.isEmpty else {
                throw ExitError(
                    "hours of these devices could not be summed: "
                        + reasons.joined(separator: ", ")
                        + ". The server retries them; PostgreSQL's log has the cause",
                    code: EX_TEMPFAIL)
            }
        }
    }
}
