import ArgumentParser
import Foundation
import Jobs
import Postgres
import Readings
import SluiceService

struct JobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Look at work that is still to be done, and try again what has failed.",
        discussion: """
            A capture's analysis, an hour's condensation, a day's summary, the reading of a meal are \
            jobs: rows that go when they are done. One that has failed too often is dead, and waits \
            for `retry`.
            """,
        subcommands: [List.self, Retry.self])

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List jobs that are not done, oldest first, and how many there are.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @Option(help: "waiting, running or dead.")
        var state: String?
        @Option(help: "Of this kind only, such as capture.analyse.")
        var kind: String?
        @Option(help: "How many to list.")
        var limit = 20

        func validate() throws {
            guard (0...1_000_000).contains(limit) else {
                throw ValidationError("--limit: 0 to 1000000")
            }
            if let state, JobRecord.State(rawValue: state) == nil {
                let states = JobRecord.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--state: one of \(states)")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let jobs = try JobStore.list(
                state: state.flatMap(JobRecord.State.init), kind: kind, max: limit,
                on: connection)
            let counts = try JobStore.counts(on: connection)
            table.show(
                ["ID", "STATE", "KIND", "KEY", "RUNS", "NEXT", "LAST ERROR"], jobs.map(Self.row),
                numbers: ["ID", "RUNS"]
            ) {
                if !jobs.isEmpty { print("") }
                for state in JobRecord.State.allCases {
                    print("\(counts[state] ?? 0)  \(state.rawValue)")
                }
            }
        }

        private static func row(_ job: JobRecord) -> [String] {
            let next = job.dueAt.map(Moments.text) ?? "-"
            return [
                "\(job.id)", job.state.rawValue, job.kind, job.key, "\(job.attempts)",
                job.owner.map { "on \($0)" } ?? next, job.lastError ?? "-",
            ]
        }
    }

    struct Retry: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make jobs due now, with all their attempts before them.",
            discussion: """
                By id, as `list` shows it; or all dead ones:

                  sluice jobs retry --dead --kind capture.analyse
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "Ids as `list` shows them.")
        var ids: [Int64] = []
        @Flag(help: "All dead jobs.")
        var dead = false
        @Option(help: "With --dead: of this kind only.")
        var kind: String?

        func validate() throws {
            guard ids.isEmpty == dead else { throw ValidationError("name ids; or --dead") }
            if kind != nil, !dead { throw ValidationError("--kind goes with --dead") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var count = 0
            if dead {
                count = try JobStore.retry(.dead(kind: kind), on: connection)
            } else {
                for id in ids {
                    let found = try JobStore.retry(.job(id), on: connection)
                    if found == 0 {
                        throw Complaint(
                            "job \(id) is running or there is no such job; \(count) due again",
                            code: EX_DATAERR)
                    }
                    count += found
                }
            }
            print("\(count) due again")
        }
    }
}
