import ArgumentParser
import Foundation
import Instruments
import Logging
import Postgres
import Readings
import Server
import Status

struct Quarantine: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, show, requeue or drop quarantined readings.",
        subcommands: [List.self, Show.self, Requeue.self, Drop.self])

    /// Selects rows; all conditions must hold.
    struct Selection: ParsableArguments {
        @Argument(help: "Ids, or their first digits, as `list` prints them.")
        var ids: [String] = []
        @Option(help: "Only readings of this device.")
        var device: String?
        @Option(help: "Only readings with this reason, such as t_too_old.")
        var reason: String?

        var filter: RejectionFilter { RejectionFilter(ids: ids, origin: device, reason: reason) }

        func showCounts(on connection: Connection) throws {
            let counts = try RejectionTable.quarantine.count(filter, on: connection)
            for (group, count) in counts { print("\(count)  \(group[0])") }
            print("\(counts.reduce(0) { $0 + $1.count }) in quarantine")
        }

        func validate() throws {
            for id in ids where !(4...64).contains(id.count) || !id.allSatisfy(\.isHexDigit) {
                throw ValidationError("an id must be 4 to 64 hexadecimal digits: \(id)")
            }
            if let reason, QuarantineReason(rawValue: reason) == nil {
                let known = QuarantineReason.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no reason \(reason); known are \(known)")
            }
        }
    }

    /// The place in its batch, or a dash: the database refused it when its place was not known any
    /// more.
    private static func index(_ row: QuarantinedRow) -> String {
        row.index < 0 ? "-" : "\(row.index)"
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the newest readings, and count all of them by reason.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Option(help: "How many readings to list at most.")
        var limit = 20

        func validate() throws {
            guard (0...1_000_000).contains(limit) else {
                throw ValidationError("--limit must be 0 to 1000000")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let rows = try RejectionTable.quarantine.list(
                selection.filter, limit: limit, on: connection)
            try table.show(
                ["ID", "RECEIVED", "REASON", "INDEX", "KEY", "DEVICE", "USER"],
                rows.map { row in
                    [
                        row.id, Moments.text(row.receivedAt), row.reason, Quarantine.index(row),
                        row.keyName, row.deviceID, row.userID,
                    ]
                }, numbers: ["INDEX"]
            ) {
                if !rows.isEmpty { print("") }
                try selection.showCounts(on: connection)
            }
        }
    }

    struct Show: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the original bytes of one reading, as the device sent them.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection

        func validate() throws {
            guard selection.ids.count == 1 else { throw ValidationError("give exactly one id") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let row = try ExitError.unlessOne(
                RejectionTable.quarantine.list(selection.filter, limit: 2, on: connection),
                "reading")
            let reason = QuarantineReason(rawValue: row.reason)
            let expected =
                reason == .timeTooOld && row.index < 0
                ? "its day is not archived: `sluice archive restore`"
                : reason?.expected(configuration.limits)
            let about =
                "device \(row.deviceID), user \(row.userID), \(row.reason), "
                + "index \(Quarantine.index(row)), key \(row.keyName), received \(Moments.text(row.receivedAt))\n"
                + (expected.map { "expected: \($0)\n" } ?? "")
            StandardError.write(about)
            // A terminal would act on the bytes; a file gets them as they are.
            let body =
                isatty(STDOUT_FILENO) == 1
                ? Array(TerminalText.safe(String(decoding: row.body, as: UTF8.self)).utf8)
                : row.body
            FileHandle.standardOutput.write(Data(body + [UInt8(ascii: "\n")]))
        }
    }

    struct Requeue: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check readings again with the current settings and store the valid ones.",
            discussion: """
                For example, after a clock was corrected or a limit raised:

                  sluice quarantine requeue --reason t_too_old \\
                    --set SLUICE_READING_AGE_MAX=3650d

                The reason refused_with_others marks readings from a batch of which the database \
                refused many; they were not tried one by one. A requeue stores the valid ones.

                Stored readings leave the quarantine; faulty ones stay. The exit code is 65 if the \
                database refuses more than the reading, such as its device.

                Readings of archived days stay, and the exit code is 75: restore the days first.

                A run makes SLUICE_DAYS_PER_DEVICE_MAX new days for each device. Readings that \
                need more stay, and the exit code is 75: run the command again for the next days, \
                or raise the limit with --set.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Flag(help: "Select all of them.")
        var all = false

        func validate() throws {
            guard all != !selection.filter.isEverything else {
                throw ValidationError("give ids, --device or --reason, or else --all")
            }
        }

        func run() {
            ExitError.unlessDone {
                let configuration = try options.read()
                LineLogHandler.bootstrap(level: .warning, format: configuration.logFormat)
                let access = try DatabaseAccess(configuration)
                let outcome = Result {
                    try access.requeueReadings(selection.filter, configuration) { report in
                        ProgressLine.show("\(report.seen) read, \(report.stored) stored")
                    }
                }
                ProgressLine.end()
                try access.close()
                try Self.show(try outcome.get())
            }
        }

        private static func show(_ report: RequeueReport) throws {
            let refused = report.refused.values.reduce(0, +)
            guard report.seen > 0 else {
                print("nothing in quarantine matches")
                return
            }
            print("\(report.stored) stored, \(report.duplicates) were stored already")
            for (reason, count) in report.faulty.sorted(by: { $0.value > $1.value }) {
                print("\(count) stay: \(reason.rawValue)")
            }
            if report.archived > 0 { print("\(report.archived) stay: their days are archived") }
            if report.cut > 0 { print("\(report.cut) stay: they were kept only in part") }
            for (sqlState, count) in report.refused.sorted(by: { $0.key < $1.key }) {
                print("\(count) stay: the database refuses them (SQLSTATE \(sqlState))")
            }
            if report.beyondBudget > 0 {
                print("\(report.beyondBudget) stay: they need more new days than a run makes")
            }
            if report.withoutDay > 0 {
                print("\(report.withoutDay) stay: their days could not be made")
            }
            if refused > 0 {
                throw ExitError("the database refuses \(refused) readings", code: EX_DATAERR)
            }
            if report.withoutDay > 0 {
                throw ExitError(
                    "days can't be made; the log above says why", code: EX_TEMPFAIL)
            }
            if report.archived > 0 {
                throw ExitError(
                    "the days of \(report.archived) readings are archived: bring them back with "
                        + "`sluice archive restore`, then run this again", code: EX_TEMPFAIL)
            }
            if report.beyondBudget > 0 {
                let days = report.daysPerDeviceMax
                throw ExitError(
                    "\(report.beyondBudget) readings stay, because a run makes at most "
                        + "SLUICE_DAYS_PER_DEVICE_MAX=\(days) new days for a device: run it again for "
                        + "the next ones, or raise the limit with --set", code: EX_TEMPFAIL)
            }
        }
    }

    struct Drop: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete readings permanently from the quarantine.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Flag(help: "Select all of them.")
        var all = false
        @OptionGroup var confirmation: Confirmation

        func validate() throws {
            guard all != !selection.filter.isEverything else {
                throw ValidationError("give ids, --device or --reason, or else --all")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            if confirmation.dryRun { return try selection.showCounts(on: connection) }
            try confirmation.demand("Delete them permanently?") {
                try selection.showCounts(on: connection)
            }
            let count = try RejectionTable.quarantine.drop(selection.filter, on: connection)
            print("\(count) dropped")
        }
    }
}

/// Not the command of that name.
private typealias RequeueReport = Requeue.Report
