import ArgumentParser
import Foundation
import Instruments
import Logging
import Postgres
import Server

struct UnitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "units",
        abstract: "List, show, requeue or drop rejected units of work.",
        discussion: """
            A rejected unit is a capture, meal log or journal entry that was acknowledged from the \
            spool and that the database refused during the replay, or whose Idempotency-Key another \
            request had (idempotency_key_reused). It is a row of sluice.unit_set_aside. After you removed the cause, such as a constraint or a trigger:

              sluice units list
              sluice units requeue --kind capture --dry-run
              sluice units requeue --kind capture
            """,
        subcommands: [List.self, Show.self, Requeue.self, Drop.self])

    /// Selects rows; all conditions must hold.
    struct Selection: ParsableArguments {
        @Argument(help: "Ids, or their first digits, as `list` prints them.")
        var ids: [String] = []
        @Option(help: "Only this kind: capture, meal_log.natural or meal_log.batch, for example.")
        var kind: String?
        @Option(help: "Only units with this reason, such as refused_by_database.")
        var reason: String?

        var filter: RejectionFilter { RejectionFilter(ids: ids, origin: kind, reason: reason) }

        func validate() throws {
            for id in ids where !(4...64).contains(id.count) || !id.allSatisfy(\.isHexDigit) {
                throw ValidationError("an id must be 4 to 64 hexadecimal digits: \(id)")
            }
        }

        /// All rows must be asked for explicitly.
        func demand(orAll all: Bool) throws {
            guard all != !filter.isEverything else {
                throw ValidationError("give ids, --kind or --reason, or else --all")
            }
        }

        /// Prints the number of matching rows by kind and reason.
        func showCounts(on connection: Connection) throws {
            let counts = try RejectionTable.units.count(filter, on: connection)
            for (group, count) in counts { print("\(count)  \(group[0])  \(group[1])") }
            print("\(counts.reduce(0) { $0 + $1.count }) rejected units")
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the newest units, and count all of them by kind and reason.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Option(help: "How many units to list at most.")
        var limit = 20

        func validate() throws {
            guard (0...1_000_000).contains(limit) else {
                throw ValidationError("--limit must be 0 to 1000000")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let rows = try RejectionTable.units.list(
                selection.filter, limit: limit, on: connection)
            try table.show(
                ["ID", "RECEIVED", "KIND", "SQLSTATE", "REASON"],
                rows.map { row in
                    [
                        row.id, Moments.text(row.receivedAt), row.kind, row.sqlState ?? "-",
                        row.reason,
                    ]
                }
            ) {
                if !rows.isEmpty { print("") }
                try selection.showCounts(on: connection)
            }
        }
    }

    struct Show: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the payload of one unit as JSON.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection

        func validate() throws {
            guard selection.ids.count == 1 else { throw ValidationError("give exactly one id") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let row = try ExitError.unlessOne(
                RejectionTable.units.list(selection.filter, limit: 2, on: connection), "unit")
            JSONOutput.show(String(decoding: row.payload, as: UTF8.self))
        }
    }

    struct Requeue: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record units now, with the lanes and statements that a server uses.",
            discussion: """
                Works with or without a running server. A unit leaves the table when it and the \
                job that analyses it are recorded. A unit that is already recorded is recognised. \
                Units stay if the database refuses them again, or if this version does not know \
                their kind; then the exit code is 65.

                  sluice units requeue --all --dry-run
                  sluice units requeue --reason kind_unknown
                  sluice units requeue 3f0c92ab11d4
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Flag(help: "Select all of them.")
        var all = false
        @Flag(help: "Change nothing; print how many units would be requeued.")
        var dryRun = false

        func validate() throws { try selection.demand(orAll: all) }

        func run() {
            ExitError.unlessDone {
                let configuration = try options.read()
                LineLogHandler.bootstrap(level: .warning, format: configuration.logFormat)
                let access = try DatabaseAccess(configuration)
                let outcome = Result {
                    if dryRun {
                        try selection.showCounts(on: access.migratedConnection())
                        return UnitRequeue.Report?.none
                    }
                    return try access.requeueUnits(selection.filter, configuration)
                }
                try access.close()
                if let report = try outcome.get() { try Self.show(report) }
            }
        }

        private static func show(_ report: UnitRequeue.Report) throws {
            guard report.recorded + report.left > 0 else {
                print("no rejected unit matches")
                return
            }
            print("\(report.recorded) recorded")
            for (sqlState, count) in report.refused.sorted(by: { $0.key < $1.key }) {
                print("\(count) stay: the database refuses them again (SQLSTATE \(sqlState))")
            }
            if report.foreign > 0 {
                print("\(report.foreign) stay: their id belongs to another user")
            }
            if report.reused > 0 {
                print("\(report.reused) stay: another request had their Idempotency-Key")
            }
            for (kind, count) in report.unknown.sorted(by: { $0.key < $1.key }) {
                print("\(count) stay: this version does not know the kind \(kind)")
            }
            if report.left > 0 {
                throw ExitError("\(report.left) rejected units stay", code: EX_DATAERR)
            }
        }
    }

    struct Drop: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete units permanently, although their clients were told they are safe.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Flag(help: "Select all of them.")
        var all = false
        @OptionGroup var confirmation: Confirmation

        func validate() throws { try selection.demand(orAll: all) }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            if confirmation.dryRun { return try selection.showCounts(on: connection) }
            try confirmation.demand("Delete them permanently?") {
                try selection.showCounts(on: connection)
            }
            print("\(try RejectionTable.units.drop(selection.filter, on: connection)) dropped")
        }
    }
}
