import ArgumentParser
import Analysts
import Erasure
import Foundation
import Postgres
import Readings
import Server
import Status

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write readings, tracks and other data to a file.",
        discussion: """
            Rows have the columns of the analytics view of the same name; `sluice psql -c '\\d+ \
            analytics.gps'` explains them. Times are UTC. The output file appears only when it is \
            complete. Works with or without a running server, and also with the SLUICE_DATABASE_URL of a \
            role from `sluice analyst create`. Examples:

              sluice export gps --output gps.csv
              sluice export vital --format ndjson --device d1 --from 2026-02-01
              sluice export tracks --user ann --from 2026-02-10 --to 2026-02-10 -o ann.gpx
              sluice export tracks --format geojson --gap 10m -o tracks.geojson
              sluice export event | head

            With a directory in place of the data's name it writes everything of one user: the rows \
            of all tables, uploaded files, and an index. That needs the rights of the server. \
            Archived days are not searched: if they may have readings of the user, it says so, and \
            the exit code is 75. Restore them with `sluice archive restore`, and export again.

              sluice export --user ann /srv/requests/ann
            """)

    /// What can be exported, and its formats; the first is the default.
    enum Source: ExpressibleByArgument {
        case table(ExportTable)
        case tracks
        /// Everything of a user, to a directory.
        case user(directory: String)

        static let names = ExportTable.allCases.map(\.rawValue) + ["tracks"]
        static let allValueStrings = names

        init?(argument: String) {
            if let table = ExportTable(rawValue: argument) {
                self = .table(table)
            } else if argument == "tracks" {
                self = .tracks
            } else if argument.isEmpty {
                return nil
            } else {
                self = .user(directory: argument)
            }
        }

        var name: String {
            switch self {
            case .table(let table): table.rawValue
            case .tracks: "tracks"
            case .user(let directory): directory
            }
        }
        var formats: [Format] {
            switch self {
            case .table: [.csv, .ndjson]
            case .tracks: [.gpx, .geojson]
            case .user: []
            }
        }
        var hasTime: Bool {
            switch self {
            case .table(let table): table.timeColumn != nil
            case .tracks: true
            case .user: false
            }
        }
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, ndjson, gpx, geojson
    }

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The data to write, or with --user alone a new directory for all of it.")
    var source: Source

    @Option(help: "csv or ndjson; for tracks gpx or geojson. Default: csv; for tracks gpx.")
    var format: Format?

    @Option(help: "Only this device; may be repeated. Default: all devices.")
    var device: [String] = []

    @Option(help: "Only readings of this user; may be repeated.")
    var user: [String] = []

    @Option(help: "The first day, YYYY-MM-DD, or the start time, such as 2026-02-10T14:00:00Z.")
    var from: String?

    @Option(help: "The last day, YYYY-MM-DD, or the end time (excluded).")
    var to: String?

    @Option(help: "For tracks: a longer pause begins a new segment.")
    var gap = "30m"

    @Option(name: .shortAndLong, help: "The file to write, or - for standard output.")
    var output = "-"

    func validate() throws {
        if case .user(let directory) = source { try validateDirectory(directory) }
        if let format, !source.formats.contains(format) {
            let formats = source.formats.map(\.rawValue).joined(separator: " or ")
            throw ValidationError("--format for \(source.name) must be \(formats)")
        }
        for (name, text) in [("--from", from), ("--to", to)] {
            guard let text else { continue }
            guard Moments.start(text) != nil else {
                throw ValidationError("\(name) must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ")
            }
            guard source.hasTime else {
                throw ValidationError("\(name) does not apply: \(source.name) has no time")
            }
        }
        if let from = from.flatMap(Moments.start), let to = to.flatMap(Moments.endOfDayOrMoment),
            from.microseconds >= to.microseconds
        {
            throw ValidationError("--from must be before --to")
        }
        if case .table(let table) = source {
            guard device.isEmpty || table.hasDevices else {
                throw ValidationError("--device does not apply: \(source.name) has no devices")
            }
            guard user.isEmpty || table.hasUsers else {
                throw ValidationError("--user does not apply: \(source.name) has no users")
            }
        }
        guard let pause = Settings.duration(gap), pause > .zero else {
            throw ValidationError("--gap must be a duration such as 10m")
        }
        guard !output.isEmpty else { throw ValidationError("--output must be a file, or -") }
    }

    /// A word that is no name of data is a directory, if nothing speaks against it.
    private func validateDirectory(_ directory: String) throws {
        if !directory.contains("/"),
            let name = Suggestion.nearest(to: directory, among: Source.names)
        {
            throw ValidationError(
                "unknown data \"\(directory)\"; did you mean \(name)? For a directory of that name "
                    + "write ./\(directory)")
        }
        guard user.count == 1 else {
            throw ValidationError(
                user.isEmpty
                    ? "unknown data \"\(directory)\": it must be one of "
                        + Source.names.joined(separator: ", ")
                        + ", or with --user a new directory for everything of that user"
                    : "a directory takes one --user")
        }
        guard device.isEmpty, from == nil, to == nil, format == nil, output == "-" else {
            throw ValidationError("a directory takes --user and no other restriction or format")
        }
    }

    private var scope: ExportScope {
        var scope = ExportScope()
        scope.devices = device.map { $0.lowercased() }
        scope.users = user
        scope.from = from.flatMap(Moments.start)
        scope.to = to.flatMap(Moments.endOfDayOrMoment)
        return scope
    }

    func run() {
        ExitError.unlessDone {
            signal(SIGPIPE, SIG_IGN)
            let stop = ExportStop()
            let signals = StopSignals { stop.stop() }
            if case .user(let directory) = source {
                return try writeUser(to: directory, stop, signals)
            }
            let access = try DatabaseAccess(options.read())
            let outcome = Result {
                let connection =
                    access.ownsCluster
                    ? try access.migratedConnection()
                    : try Connection.open(access.settings, deadline: .now + .seconds(10))
                return try write(connection, stop)
            }
            try access.close()
            ProgressLine.end()
            do {
                show(try outcome.get())
            } catch ExportFault.brokenPipe {
                // The exit status of a program that SIGPIPE ends.
                Foundation.exit(128 + SIGPIPE)
            } catch let fault as ExportFault {
                guard case .interrupted = fault, let signal = signals.last else { throw fault }
                throw ExitError(fault.sentence, code: 128 + signal)
            }
        }
    }

    private func write(_ connection: Connection, _ stop: ExportStop) throws -> ExportProgress {
        let target = try output == "-" ? ExportOutput() : ExportOutput(path: output)
        let isQuiet = output == "-" && isatty(STDOUT_FILENO) == 1
        var last = ContinuousClock.now
        func progress(_ state: ExportProgress) {
            guard !isQuiet, .now - last > .milliseconds(200) else { return }
            last = .now
            ProgressLine.show(Self.text(state))
        }
        let done: ExportProgress
        if case .table(let table) = source {
            let format: RowFormat = format == .ndjson ? .ndjson : .csv
            done = try RowExport(table, as: format, in: scope).run(
                on: connection, to: target, stop: stop, progress: progress)
        } else {
            let format: TrackFormat = format == .geojson ? .geojson : .gpx
            let gap = Settings.duration(gap) ?? .seconds(1800)
            done = try TrackExport(as: format, in: scope, gap: gap).run(
                on: connection, to: target, stop: stop, progress: progress)
        }
        try target.finish()
        return done
    }

    /// Everything of one user.
    private func writeUser(
        to directory: String, _ stop: ExportStop, _ signals: StopSignals
    ) throws {
        let configuration = try options.read()
        let access = try DatabaseAccess(configuration)
        let outcome = Result {
            let connection = try access.migratedConnection()
            let work = UserDirectory(
                configuration, on: connection, stop: { stop.isAsked },
                progress: { ProgressLine.show($0) })
            return try work.write(user[0], to: directory)
        }
        try access.close()
        ProgressLine.end()
        do {
            let report = try outcome.get()
            StandardError.write(
                "\(report.rows) rows and \(report.files) files in \(directory); begin with index.md\n"
            )
            for path in report.missing {
                StandardError.write("missing in the media store: \(TerminalText.safe(path))\n")
            }
            if let archived = report.archived {
                throw ExitError(
                    "\(archived.count) files of archived days from \(archived.first) to "
                        + "\(archived.last) may have readings of this user and are not in "
                        + "\(directory): run `\(archived.command)`, then export again to another "
                        + "directory", code: EX_TEMPFAIL)
            }
        } catch let fault as UserDirectory.Fault {
            guard case .interrupted = fault, let signal = signals.last else { throw fault }
            throw ExitError(fault.sentence, code: 128 + signal)
        }
    }

    // MARK: Words

    private static func text(_ state: ExportProgress) -> String {
        let size = "\(state.rows) rows, \(state.bytes / 1_000_000) MB"
        guard let parts = state.parts else {
            return state.part.isEmpty ? size : "device \(state.partsDone + 1), \(size)"
        }
        return "\(state.part), day \(state.partsDone + 1) of \(parts), \(size)"
    }

    private func show(_ done: ExportProgress) {
        guard output != "-" else { return }
        let what = if case .tracks = source { "positions" } else { "rows" }
        StandardError.write("\(done.rows) \(what), \(done.bytes) bytes in \(output)\n")
    }
}
