import ArgumentParser
import Foundation
import Postgres
import Readings
import Retention
import SluiceService

struct ArchiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Days that left the tables: let them leave now, list, check, bring back.",
        discussion: """
            With SLUICE_RETENTION_DAYS readings leave after so many days, into files in \
            SLUICE_ARCHIVE_DIRECTORY; the server does that every night. Each file is LZ4 and holds \
            rows as text, so that `lz4 -dc` shows them.
            """,
        subcommands: [Run.self, List.self, Verify.self, Restore.self])

    /// Selects days and tables.
    struct Selection: ParsableArguments {
        @Option(help: "One day, YYYY-MM-DD.", transform: Self.day)
        var day: Day?
        @Option(help: "From this day on.", transform: Self.day)
        var from: Day?
        @Option(help: "Up to and with this day.", transform: Self.day)
        var to: Day?
        @Option(
            help: ArgumentHelp(
                "\(Self.kindNames); again and again; all without it.", valueName: "table"),
            transform: Self.kind)
        var kind: [DayTable] = []

        private static var kindNames: String {
            DayTable.allCases.map(\.name).joined(separator: ", ")
        }

        @Sendable private static func day(_ text: String) throws -> Day {
            guard let day = Day(text) else { throw ValidationError("a day as YYYY-MM-DD") }
            return day
        }

        @Sendable private static func kind(_ text: String) throws -> DayTable {
            guard let kind = DayTable(rawValue: text) else {
                throw ValidationError("one of: \(kindNames)")
            }
            return kind
        }

        func validate() throws {
            if day != nil, from != nil || to != nil {
                throw ValidationError("--day, or --from and --to")
            }
            if let from, let to, from > to { throw ValidationError("--from is later than --to") }
        }

        var isEverything: Bool { day == nil && from == nil && to == nil && kind.isEmpty }

        var selection: ArchiveSelection {
            var selection = ArchiveSelection()
            selection.first = day ?? from
            selection.last = day ?? to
            selection.kinds = Set(kind)
            return selection
        }
    }

    struct Run: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the days leave that are old enough, as the server does at night.",
            discussion: """
                Stopped at any point, the next run goes on there. Days that a query or a \
                transaction holds up are left for the next run, and the exit code is 75.

                A clock that is a year ahead would make every day one that is old enough. So days \
                leave only while devices send: where the newest reading is more than a week old, \
                the last days stay. If all devices are quiet for good, see that `date` and \
                `sluice doctor` show the right time, and then:

                  sluice archive run --trust-clock
                """)

        @OptionGroup var options: ConfigurationOptions
        @Flag(help: "Let days leave by the clock alone, although no device has sent for a week.")
        var trustClock = false

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let retention = configuration.retention
            guard retention.isOn else {
                throw Complaint(
                    "nothing is to leave: set SLUICE_RETENTION_DAYS or "
                        + "SLUICE_ROLLUP_RETENTION_DAYS", code: EX_USAGE)
            }
            let report = try ArchiveCommand.session(connection) { session in
                try RetentionRun(
                    session, retention, node: ProcessInfo.processInfo.hostName,
                    trustsClock: trustClock, progress: ArchiveCommand.show
                ).run()
            }
            ProgressLine.end()
            print(
                "\(report.archived.count) archived, \(report.dropped.count) dropped without a file, "
                    + "\(report.rows) rows, \(report.bytes) bytes written"
                    + (report.postponed > 0
                        ? "; \(report.postponed) wait, for only a few a night are dropped"
                        : ""))
            guard report.failures.isEmpty else {
                let lines = report.failures.map { "\($0.partition.name): \($0.reason)" }
                throw Complaint(lines.joined(separator: "\n"), code: EX_TEMPFAIL)
            }
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(abstract: "List days that left.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let parts = try ArchiveCatalog.parts(selection.selection, on: connection)
            if parts.isEmpty, !table.json { return print("none") }
            table.show(
                ["DAY", "TABLE", "PART", "STATE", "ROWS", "BYTES", "FILE", "WRITTEN TO"],
                parts.map { part in
                    let kept = part.keepUntil.map {
                        " until \(Moments.text(Timestamp(microseconds: $0)))"
                    }
                    return [
                        part.partition.day.text, part.partition.kind.rawValue, "\(part.part)",
                        part.state.rawValue + (kept ?? ""), part.rows.map { "\($0)" } ?? "",
                        part.bytes.map { "\($0)" } ?? "", part.file ?? "", part.origin,
                    ]
                }, numbers: ["PART", "ROWS", "BYTES"])
        }
    }

    struct Verify: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read files whole and compare them with their manifests and the database.",
            discussion: "The exit code is 65 when a file is damaged or missing.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let directory = try ArchiveCommand.directory(configuration)
            let verification = ArchiveVerification(directory)
            var (files, rows) = (0, 0)
            var complaints: [String] = []
            for part in try ArchiveCatalog.parts(selection.selection, on: connection)
            where part.file != nil {
                do {
                    rows += try verification.verify(part).rows
                    files += 1
                    ProgressLine.show("\(part.partition.name): \(files) files")
                } catch let error as ArchiveError {
                    complaints.append("\(error) (written to \(part.origin))")
                }
            }
            ProgressLine.end()
            print("\(files) files are whole, \(rows) rows")
            if !complaints.isEmpty {
                throw Complaint(complaints.joined(separator: "\n"), code: EX_DATAERR)
            }
        }
    }

    struct Restore: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring days back into their tables, or copy them into a schema.",
            discussion: """
                Each file is checked whole before its first row is copied. Stopped at any point, \
                run it again: what is there already is left alone. Tables made with --into are \
                yours: retention doesn't know them. `sluice forget` does, by their comment.

                  sluice archive restore --from 2025-01-01 --to 2025-01-07 --keep 14d
                  sluice archive restore --day 2025-01-01 --kind gps --into looked_at
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Option(
            help: ArgumentHelp(
                "Copy into tables of this schema, such as gps_20250101, and leave the days out.",
                valueName: "schema"))
        var into: String?
        @Option(help: "How long they stay in the tables before they leave again.")
        var keep = "7d"

        func validate() throws {
            guard !selection.isEverything else {
                throw ValidationError("which days: --day, --from, --to or --kind")
            }
            guard Settings.duration(keep) != nil else {
                throw ValidationError("--keep: a length of time such as 7d")
            }
            if let into, into.isEmpty || into.utf8.contains(0) || into.utf8.count > 63 {
                throw ValidationError("--into: the name of a schema")
            }
            if let into,
                into.hasPrefix("pg_") || into.hasPrefix("sluice")
                    || ["analytics", "information_schema"].contains(into)
            {
                throw ValidationError("--into: a schema of your own, such as looked_at")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let directory = try? ArchiveCommand.directory(configuration)
            var (restored, rows, there) = (0, 0, 0)
            var missing: [String] = []
            try ArchiveCommand.session(connection) { session in
                let restoration = Restoration(session, directory, progress: ArchiveCommand.show)
                let parts = try ArchiveCatalog.parts(selection.selection, on: connection)
                guard !parts.isEmpty else {
                    throw Complaint("none of these days left", code: EX_DATAERR)
                }
                for part in parts {
                    let outcome =
                        if let into {
                            try restoration.copy(part, intoSchema: into)
                        } else {
                            try restoration.restore(
                                part, keep: Settings.duration(keep) ?? .zero)
                        }
                    switch outcome {
                    case .restored(let count): (restored, rows) = (restored + 1, rows + count)
                    case .putBack: restored += 1
                    case .wasThere: there += 1
                    case .withoutFile(let count):
                        missing.append(
                            "\(part.partition.name): \(count) rows were dropped without a file")
                    }
                }
            }
            ProgressLine.end()
            print(
                "\(restored) restored, \(rows) rows"
                    + (there > 0 ? "; \(there) were there already" : ""))
            if !missing.isEmpty {
                throw Complaint(missing.joined(separator: "\n"), code: EX_DATAERR)
            }
        }
    }

    // MARK: -

    /// Waits briefly for a server's nightly run.
    private static func session<Value>(
        _ connection: Connection, _ work: (ArchiveSession) throws -> Value
    ) throws -> Value {
        do {
            guard let session = try ArchiveSession(connection, patience: .seconds(20)) else {
                throw ArchiveError.busy
            }
            defer { session.end() }
            return try work(session)
        } catch let error as ArchiveError {
            ProgressLine.end()
            throw Complaint(error)
        }
    }

    private static func directory(
        _ configuration: ServiceConfiguration
    ) throws -> ArchiveDirectory {
        guard let path = configuration.retention.directoryPath else {
            throw Complaint("SLUICE_ARCHIVE_DIRECTORY is not set", code: EX_USAGE)
        }
        return ArchiveDirectory(path)
    }

    private static func show(_ partition: DayPartition, _ rows: Int) {
        ProgressLine.show("\(partition.name): \(rows) rows")
    }
}

extension Complaint {
    /// A failure of the archive.
    init(_ error: ArchiveError) {
        let code: Int32 =
            switch error {
            case .disk, .emptied, .notThere: EX_CANTCREAT
            case .damaged, .rowsDiffer: EX_DATAERR
            case .foreign, .directoryMissing: EX_USAGE
            case .busy, .clocksDiffer, .todayDoubtful, .elsewhere: EX_TEMPFAIL
            }
        self.init("\(error)", code: code)
    }
}
