import ArgumentParser
import Foundation
import Postgres
import Readings
import Retention
import Server

struct DaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days",
        abstract: "List the days of readings and their forms; seal, unseal and verify days.",
        discussion: """
            A day is live (a row for each reading), sealed (packed into about a tenth of the space, \
            behind the same tables and views) or archived (a file). The server seals days by itself, \
            after SLUICE_SEAL_AFTER.
            """,
        subcommands: [List.self, Seal.self, Unseal.self, Verify.self],
        defaultSubcommand: List.self)

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List days with their readings and bytes.",
            discussion: "The readings of a live day are PostgreSQL's estimate.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: ArchiveCommand.Selection

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let days = try DayForm.all(selection.selection, on: connection)
            if days.isEmpty, !table.json { return print("none") }
            table.show(
                ["DAY", "TABLE", "FORM", "READINGS", "BYTES", "BYTES A READING"],
                days.map { day in
                    [
                        day.partition.day.text, day.partition.kind.rawValue, day.form.rawValue,
                        day.readings.map { "\($0)" } ?? "", day.bytes.map { "\($0)" } ?? "",
                        day.bytesPerReading.map { String(format: "%.1f", $0) } ?? "",
                    ]
                }, numbers: ["READINGS", "BYTES"])
        }
    }

    struct Seal: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal a day now.",
            discussion: """
                Works with or without a running server. After an interruption, run it again. If \
                queries keep the table busy, or hours can't be summed now, the day stays live and \
                the exit code is 75. A table of less than 256 KiB is sealed too, although that \
                saves nothing:

                  sluice days seal 2026-11-10
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var day: OneDay
        @Flag(help: "Rest between steps as the server does: four times as long, beside a load.")
        var gently = false

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            if let obstacle = try Sealing.obstacle(on: connection) {
                throw ExitError(obstacle, code: EX_UNAVAILABLE)
            }
            let today = Day(
                number: try connection.query("SELECT (now() AT TIME ZONE 'UTC')::date").int32(0, 0))
            let selected = try day.forms([.live, .sealing], on: connection)
            guard selected.allSatisfy({ $0.last < today }) else {
                throw ExitError("the day is not over yet, in UTC", code: EX_USAGE)
            }
            try DaysCommand.change(
                selected.map(\.form), connection, "sealed",
                pauseFactor: gently ? Sealing.gentlePauseFactor : 0
            ) {
                try $0.seal($1)
            }
        }
    }

    struct Unseal: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a sealed day live again.",
            discussion: """
                Needs the space that the day had before. After an interruption, run it again. The \
                server does not seal the day for as long as --keep says.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var day: OneDay
        @Option(help: "How long the day stays live, however old it is.")
        var keep = "7d"

        func validate() throws {
            guard Settings.duration(keep) != nil else {
                throw ValidationError("--keep must be a duration such as 7d")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let selected = try day.forms([.sealed, .unsealing], on: connection)
            try DaysCommand.change(selected.map(\.form), connection, "live again") {
                try $0.unseal($1, keep: Settings.duration(keep) ?? .zero)
            }
        }
    }

    struct Verify: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read sealed days and compare their packed rows with their checksums.",
            discussion: """
                Queries don't compare them. The exit code is 65 if a row is damaged; then restore \
                the database, or the day from an archive.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var selection: ArchiveCommand.Selection

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let days = try DayForm.all(selection.selection, on: connection).filter {
                [.sealed, .unsealing].contains($0.form)
            }
            var complaints: [String] = []
            for day in days {
                ProgressLine.show(day.partition.name)
                connection.deadline = .now + .seconds(3600)
                if let damage = try day.damage(on: connection) {
                    complaints.append(
                        "\(day.partition.name): the packed row of \(damage) is damaged")
                }
            }
            ProgressLine.end()
            print("\(days.count - complaints.count) sealed days are whole")
            if !complaints.isEmpty {
                throw ExitError(complaints.joined(separator: "\n"), code: EX_DATAERR)
            }
        }
    }

    /// One day, of all kinds of readings or of some.
    struct OneDay: ParsableArguments {
        @Argument(help: "The day, YYYY-MM-DD.")
        var day: String
        @Option(
            help: ArgumentHelp(
                "\(ReadingKind.allCases.map(\.name).joined(separator: ", ")); may be repeated. "
                    + "Default: all.", valueName: "table"))
        var kind: [String] = []

        func validate() throws {
            guard Day(day) != nil else { throw ValidationError("a day must be YYYY-MM-DD") }
            let names = ReadingKind.allCases.map(\.name)
            guard kind.allSatisfy(names.contains) else {
                throw ValidationError("--kind must be one of: \(names.joined(separator: ", "))")
            }
        }

        /// The partitions that hold the day and have one of the forms, with their last days.
        func forms(
            _ forms: Set<DayForm.Form>, on connection: Connection
        ) throws -> [(form: DayForm, last: Day)] {
            guard let day = Day(day) else { return [] }
            var selection = ArchiveSelection()
            (selection.first, selection.last) = (day, day)
            selection.kinds = Set(kind.compactMap { DayTable(rawValue: $0) })
            let length = try connection.query("SELECT sluice.partition_days()").int32(0, 0)
            let all = try DayForm.all(selection, on: connection)
            guard !all.isEmpty else { throw ExitError("there is no such day", code: EX_DATAERR) }
            return all.filter { forms.contains($0.form) }.map {
                ($0, Day(number: $0.partition.day.number + length - 1))
            }
        }
    }

    private static func change(
        _ days: [DayForm], _ connection: Connection, _ result: String, pauseFactor: Double = 0,
        _ work: (Sealing, DayPartition) throws -> Void
    ) throws {
        guard let session = try ArchiveSession(connection, patience: .seconds(20)) else {
            throw ExitError(ArchiveError.busy)
        }
        defer { session.end() }
        let sealing = Sealing(
            session, pauseFactor: pauseFactor,
            progress: { partition, _ in ProgressLine.show(partition.name) })
        for day in days {
            do {
                try work(sealing, day.partition)
            } catch let error as PostgresError where error.kind == .refused {
                ProgressLine.end()
                throw ExitError("\(day.partition.name): \(error)", code: EX_TEMPFAIL)
            }
        }
        ProgressLine.end()
        guard !days.isEmpty else { return print("nothing to do") }
        let before = Dictionary(uniqueKeysWithValues: days.map { ($0.partition, $0.bytes ?? 0) })
        for day in try DayForm.all(on: connection) {
            guard let old = before[day.partition] else { continue }
            let bytes = day.bytes ?? 0
            print(
                "\(day.partition.name): \(result), \(bytes) bytes, \(old) before"
                    + (day.form == .sealed && old < DayForm.liveBytesMin
                        ? "; less than \(DayForm.liveBytesMin >> 10) KiB is not worth it" : ""))
        }
    }
}
