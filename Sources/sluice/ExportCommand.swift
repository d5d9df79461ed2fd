import ArgumentParser
import Analytics
import Foundation
import Postgres
import Readings
import SluiceService

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write readings, tracks and other data to a file.",
        discussion: """
            Rows have the columns of the analytics view of the same name; `sluice psql -c '\\d+ \
            analytics.gps'` explains them. Times are UTC. The output file appears only when it is \
            complete. Works with or without a running server, and also with the DATABASE_URL of a \
            role from `sluice analyst create`. Examples:

              sluice export gps --output gps.csv
              sluice export vital --format ndjson --device d1 --from 2026-02-01
              sluice export tracks --user ann --from 2026-02-10 --to 2026-02-10 -o ann.gpx
              sluice export tracks --format geojson --gap 10m -o tracks.geojson
              sluice export event | head
            """)

    /// What can be exported, and its formats; the first is the default.
    struct Source: ExpressibleByArgument {
        /// Nil: tracks.
        let table: ExportTable?

        static let allValueStrings = ExportTable.allCases.map(\.rawValue) + ["tracks"]

        init?(argument: String) {
            table = ExportTable(rawValue: argument)
            if table == nil, argument != "tracks" { return nil }
        }

        var name: String { table?.rawValue ?? "tracks" }
        var formats: [Format] { table == nil ? [.gpx, .geojson] : [.csv, .ndjson] }
        var hasTime: Bool { table.map { $0.timeColumn != nil } ?? true }
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, ndjson, gpx, geojson
    }

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The data to write.")
    var source: Source

    @Option(help: "csv or ndjson; for tracks gpx or geojson. Default: csv; for tracks gpx.")
    var format: Format?

    @Option(help: "Only this device; may be repeated. Default: all devices.")
    var device: [String] = []

    @Option(help: "Only devices of this user; may be repeated.")
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
        guard let pause = Settings.duration(gap), pause > .zero else {
            throw ValidationError("--gap must be a duration such as 10m")
        }
        guard !output.isEmpty else { throw ValidationError("--output must be a file, or -") }
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
        Complaint.unlessDone {
            signal(SIGPIPE, SIG_IGN)
            let stop = ExportStop()
            let signals = StopSignals { stop.stop() }
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
                throw Complaint(fault, signal: signals.last)
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
        if let table = source.table {
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
        let what = source.table == nil ? "positions" : "rows"
        FileHandle.standardError.write(
            Data("\(done.rows) \(what), \(done.bytes) bytes in \(output)\n".utf8))
    }
}

extension Complaint {
    init(_ fault: ExportFault, signal: Int32?) {
        switch fault {
        case .interrupted: self.init("stopped; no file was made", code: 128 + (signal ?? SIGINT))
        case .brokenPipe: self.init("nobody reads the output", code: EX_IOERR)
        case .outputInUse(let path):
            self.init("\(path): another export is writing it", code: EX_TEMPFAIL)
        case .outputFailed(let path, let operation, let errno):
            self.init(
                "\(path): \(operation): \(String(cString: strerror(errno)))",
                code: operation == "open" ? EX_CANTCREAT : EX_IOERR)
        case .unknown(let devices, let users):
            let names =
                devices.map { "unknown device \"\($0)\"" } + users.map { "unknown user \"\($0)\"" }
            self.init(
                "\(names.joined(separator: ", "))", code: EX_DATAERR)
        case .noneOfUsers:
            self.init("none of these devices belongs to one of these users", code: EX_DATAERR)
        case .schemaOlder:
            self.init(
                "the database's schema is older than this binary: run sluice migrate first",
                code: EX_UNAVAILABLE)
        case .database(let error): self.init(error)
        }
    }
}
