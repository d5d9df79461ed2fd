import ArgumentParser
import Commands
import Foundation
import Jobs
import Postgres
import Readings
import Server

struct JobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List pending jobs and retry dead ones.",
        discussion: """
            The analysis of a capture, the condensation of an hour, the summary of a day and the \
            parsing of a meal are jobs: rows that are deleted when the job is done. A job that \
            failed too often is dead until `retry`.
            """,
        subcommands: [List.self, Retry.self])

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List jobs that are not done, oldest first, and count them by state.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @Option(help: "Only jobs in this state: waiting, running or dead.")
        var state: String?
        @Option(help: "Only jobs of this kind, such as capture.analyse.")
        var kind: String?
        @Option(help: "How many jobs to list at most.")
        var limit = 20

        func validate() throws {
            guard (0...1_000_000).contains(limit) else {
                throw ValidationError("--limit must be 0 to 1000000")
            }
            if let state, JobRecord.State(rawValue: state) == nil {
                let states = JobRecord.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--state must be one of \(states)")
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
            abstract: "Make jobs due now, with a new count of attempts.",
            discussion: """
                Give ids, as `list` prints them, or retry all dead jobs:

                  sluice jobs retry --dead --kind capture.analyse
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "Ids as `list` prints them.")
        var ids: [Int64] = []
        @Flag(help: "Retry all dead jobs.")
        var dead = false
        @Option(help: "With --dead: only jobs of this kind.")
        var kind: String?

        func validate() throws {
            guard ids.isEmpty == dead else { throw ValidationError("give either ids or --dead") }
            if kind != nil, !dead { throw ValidationError("--kind needs --dead") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var count = 0
            if dead {
                count = try JobStore.retry(.dead(kind: kind), on: connection)
            } else {
                for id in ids {
                    let found = try JobStore.retry(.job(id), on: connection)
                    if found == 0 {
                        throw ExitError(
                            "job \(id) is running or does not exist; \(count) due again",
                            code: EX_DATAERR)
                    }
                    count += found
                }
            }
            print("\(count) due again")
        }
    }
}
