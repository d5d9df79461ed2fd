import ArgumentParser
import Foundation
import Postgres
import Readings
import Retention
import Server

struct ArchiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Archive days of readings now; list, verify and restore archived days.",
        discussion: """
            With SLUICE_RETENTION the server archives older days every night: it moves their \
            readings from the tables into files in SLUICE_ARCHIVE_DIRECTORY, a directory or an S3 \
            bucket. Each file is CSV with a header, compressed with Zstandard; `zstd -dc` prints it.
            """,
        subcommands: [Run.self, List.self, Verify.self, Restore.self])

    /// Selects days and tables.
    struct Selection: ParsableArguments {
        @Option(help: "A single day, YYYY-MM-DD.", transform: Self.day)
        var day: Day?
        @Option(help: "The first day, YYYY-MM-DD.", transform: Self.day)
        var from: Day?
        @Option(help: "The last day, YYYY-MM-DD.", transform: Self.day)
        var to: Day?
        @Option(
            help: ArgumentHelp(
                "\(Self.kindNames); may be repeated. Default: all.", valueName: "table"),
            transform: Self.kind)
        var kind: [DayTable] = []

        private static var kindNames: String {
            DayTable.allCases.map(\.name).joined(separator: ", ")
        }

        @Sendable private static func day(_ text: String) throws -> Day {
            guard let day = Day(text) else { throw ValidationError("a day must be YYYY-MM-DD") }
            return day
        }

        @Sendable private static func kind(_ text: String) throws -> DayTable {
            guard let kind = DayTable(rawValue: text) else {
                throw ValidationError("must be one of: \(kindNames)")
            }
            return kind
        }

        func validate() throws {
            if day != nil, from != nil || to != nil {
                throw ValidationError("--day can't be combined with --from and --to")
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
            abstract: "Archive the days that are old enough, as the server does every night.",
            discussion: """
                An interrupted run is continued by the next one. If a query or a transaction \
                blocks a day, the day is left for the next run and the exit code is 75.

                If the clock were a year ahead, every day would look old enough. Therefore the \
                last days are archived only while devices send: not if the newest reading is more \
                than a week old. If all devices have stopped for good, check that `date` and \
                `sluice doctor` show the right time, and then run:

                  sluice archive run --trust-clock
                """)

        @OptionGroup var options: ConfigurationOptions
        @Flag(help: "Trust the clock even if no device has sent anything for a week.")
        var trustClock = false

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let retention = configuration.fittingRetention
            guard retention.isOn else {
                throw ExitError(
                    "retention is off: set SLUICE_RETENTION or "
                        + "SLUICE_ROLLUP_RETENTION", code: EX_USAGE)
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
                    + "\(report.empty.count) were empty, "
                    + "\(report.rows) rows, \(report.bytes) bytes written"
                    + (report.postponed > 0
                        ? "; \(report.postponed) postponed: a run drops only a few days"
                        : ""))
            guard report.failures.isEmpty else {
                let lines = report.failures.map { "\($0.partition.name): \($0.reason)" }
                throw ExitError(lines.joined(separator: "\n"), code: EX_TEMPFAIL)
            }
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(abstract: "List the archived days.")

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
            abstract:
                "Read whole files and compare them with their manifests and the database.",
            discussion: "The exit code is 65 if a file is damaged or missing.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let verification = ArchiveVerification(try ArchiveCommand.archive(configuration))
            var (files, rows) = (0, 0)
            var complaints: [String] = []
            for part in try ArchiveCatalog.parts(selection.selection, on: connection)
            where part.file != nil {
                do {
                    rows += try verification.verify(part).rows
                    files += 1
                    ProgressLine.show("\(part.partition.name): \(files) files")
                } catch let error as ArchiveError {
                    // The other files can't be read either.
                    if error.isUnreachable { throw error }
                    complaints.append("\(error) (written to \(part.origin))")
                }
            }
            ProgressLine.end()
            print("\(files) files are whole, \(rows) rows")
            if !complaints.isEmpty {
                throw ExitError(complaints.joined(separator: "\n"), code: EX_DATAERR)
            }
        }
    }

    struct Restore: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restore days into their tables, or copy them into a schema.",
            discussion: """
                A whole file is verified before its first row is copied. An interrupted restore \
                can be run again: it skips days that are already restored. Tables made with \
                --into are yours: retention never removes them. `sluice forget` finds them by \
                their comment. A day that can't be restored is named, the others are restored, and \
                the exit code is 65.

                  sluice archive restore --from 2025-01-01 --to 2025-01-07 --keep 14d
                  sluice archive restore --day 2025-01-01 --kind gps --into looked_at
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: Selection
        @Option(
            help: ArgumentHelp(
                "Copy into tables of this schema, such as gps_20250101, not into the originals.",
                valueName: "schema"))
        var into: String?
        @Option(help: "How long the days stay in the tables before they are archived again.")
        var keep = "7d"

        func validate() throws {
            guard !selection.isEverything else {
                throw ValidationError("select days with --day, --from, --to or --kind")
            }
            guard Settings.duration(keep) != nil else {
                throw ValidationError("--keep must be a duration such as 7d")
            }
            if let into, into.isEmpty || into.utf8.contains(0) || into.utf8.count > 63 {
                throw ValidationError("--into must be the name of a schema, of 1 to 63 bytes")
            }
            if let into,
                into.hasPrefix("pg_") || into.hasPrefix("sluice")
                    || ["analytics", "information_schema"].contains(into)
            {
                throw ValidationError("--into must be a schema of your own, such as looked_at")
            }
        }

        /// Whether other days may still be restored.
        private static func isOfOneDay(_ error: any Error) -> Bool {
            if let error = error as? PostgresError { return error.kind == .refused }
            switch error as? ArchiveError {
            case nil, .directoryMissing, .busy: return false
            case let error?: return !error.isUnreachable
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let archive = try? ArchiveCommand.archive(configuration)
            var (restored, rows, there) = (0, 0, 0)
            var missing: [String] = []
            try ArchiveCommand.session(connection) { session in
                let restoration = Restoration(session, archive, progress: ArchiveCommand.show)
                let parts = try ArchiveCatalog.parts(selection.selection, on: connection)
                guard !parts.isEmpty else {
                    throw ExitError("none of these days is archived", code: EX_DATAERR)
                }
                for part in parts {
                    let outcome: Restoration.Outcome
                    do {
                        outcome =
                            if let into {
                                try restoration.copy(part, intoSchema: into)
                            } else {
                                try restoration.restore(
                                    part, keep: Settings.duration(keep) ?? .zero)
                            }
                    } catch let error where connection.isOpen && Self.isOfOneDay(error) {
                        missing.append("\(part.partition.name): \(error)")
                        continue
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
                    + (there > 0 ? "; \(there) already restored" : ""))
            if !missing.isEmpty {
                throw ExitError(missing.joined(separator: "\n"), code: EX_DATAERR)
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
            throw error
        }
    }

    private static func archive(_ configuration: ServiceConfiguration) throws -> Archive {
        guard let archive = configuration.fittingRetention.archive else {
            throw ExitError("SLUICE_ARCHIVE_DIRECTORY is not set", code: EX_USAGE)
        }
        return archive
    }

    private static func show(_ partition: DayPartition, _ rows: Int) {
        ProgressLine.show("\(partition.name): \(rows) rows")
    }
}
