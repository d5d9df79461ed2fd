import ArgumentParser
import Foundation
import Postgres
import SluiceService

struct RollupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollups",
        abstract: "The sums by minute: take them from the rows again.",
        discussion: """
            The server keeps them up to date with every commit (SLUICE_ROLLUPS). They are to be \
            taken from the rows again for days that were stored before there were rollups, or \
            while they were switched off.
            """,
        subcommands: [Rebuild.self])

    struct Rebuild: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take the rollups of some days, or of all, from their rows.",
            discussion: """
                Beside a running server or without one. Stopped halfway, run it again:

                  sluice rollups rebuild --from 2026-02-01 --to 2026-02-10
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "The first day, YYYY-MM-DD; the first with readings without it.")
        var from: String?
        @Option(help: "The last day; the last with readings without it.")
        var to: String?

        func validate() throws {
            for (name, day) in [("--from", from), ("--to", to)] {
                guard let day else { continue }
                guard Self.date(day) != nil else {
                    throw ValidationError("\(name): a day as YYYY-MM-DD")
                }
            }
            if let from, let to, from > to { throw ValidationError("--from is later than --to") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            guard let known = try RollupUpkeep.days(on: connection) else {
                print("there are no readings")
                return
            }
            let days = Self.days(
                max(from ?? known.first, known.first), min(to ?? known.last, known.last))
            for (number, day) in days.enumerated() {
                try RollupUpkeep.rebuild(day: day, on: connection) {
                    connection.deadline = .now + .seconds(600)
                    ProgressLine.show("\(day), day \(number + 1) of \(days.count)")
                }
            }
            ProgressLine.end()
            print(days.count == 1 ? "1 day rebuilt" : "\(days.count) days rebuilt")
        }

        private static func date(_ text: String) -> Date? {
            guard text.utf8.count == 10 else { return nil }
            return try? Date(text, strategy: .iso8601.year().month().day())
        }

        private static func days(_ first: String, _ last: String) -> [String] {
            guard var day = date(first), let end = date(last) else { return [] }
            var days: [String] = []
            while day <= end {
                days.append(day.formatted(.iso8601.year().month().day()))
                day.addTimeInterval(86_400)
            }
            return days
        }
    }
}
