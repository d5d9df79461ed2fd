import ArgumentParser
import Foundation
import Imports
import Instruments
import Logging
import OperatorErrors
import Postgres
import Readings
import Server
import Status

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store the readings of files.",
        discussion: """
            Reads CSV and lines of JSON with the columns of `sluice export` or the keys of \
            `/ingest`, what `sluice spool export` prints, GPX, export.xml of Apple's Health app, \
            these compressed by gzip or zip, and files of the archive. Works with or without a \
            running server. Examples:

              sluice import gps.csv
              sluice import --device ann-watch --user ann morning-run.gpx
              sluice import --device ann --user ann export.zip
              sluice import old/*.csv.gz
              sudo sluice import - <gps.csv

            Each reading is stored once, also if a file is imported again or a server has it \
            already. After a crash or a Ctrl-C the same command goes on where it was. Bad readings \
            are quarantined; `sluice quarantine list` shows their line as INDEX. Readings older than \
            SLUICE_READING_AGE_MAX, and those that need more new days than \
            SLUICE_DAYS_PER_DEVICE_MAX, stay in the file: raise the limit with --set and import it \
            again.

            In Apple's export each source, such as a watch, is a device of its own, whose id begins \
            with the name that --device gives; --user is that name unless it is given. Metrics are \
            known by the names of `sluice metric`; a new name gets a code from 1000 up.

            A file that is wrong is told, and the others are imported.

            Exit codes: 65 a file or some readings can't be read, or are quarantined; 75 readings \
            stay in a file. If one thing is wrong with all wrong files, its own code, such as 66 for \
            a file that does not exist.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The files; - is standard input.")
    var files: [String]

    @Option(help: "The device of readings that name none.")
    var device: String?

    @Option(help: "The user of readings that name none. Default: the device's id.")
    var user: String?

    @Flag(help: "Begin at the start of each file, although an earlier run came further.")
    var fromStart = false

    func validate() throws {
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("standard input, -, can be read once")
        }
        for (name, text) in [("--device", device), ("--user", user)] {
            guard let text else { continue }
            guard (1...128).contains(text.unicodeScalars.count) else {
                throw ValidationError("\(name) must have 1 to 128 characters")
            }
        }
    }

    func run() {
        ExitError.unlessDone {
            let configuration = try options.read(files: files)
            LineLogHandler.bootstrap(level: .warning, format: configuration.logFormat)
            let signals = StopSignals {}
            let access = try DatabaseAccess(configuration)
            let order = DatabaseAccess.ImportOrder(
                paths: files, device: device, user: user, isFresh: fromStart)
            var meter = Meter()
            var reports: [ImportReport] = []
            var faults: [(path: String, error: ExitError)] = []
            let outcome = Result {
                try access.importFiles(
                    order, configuration, isStopAsked: { signals.last != nil },
                    progress: { meter.show($0, done: $1, of: $2, $3) }
                ) { path, report, error in
                    ProgressLine.end()
                    meter = Meter()
                    if let report {
                        reports.append(report)
                        Self.show(path, report, isComplete: error == nil && signals.last == nil)
                    }
                    // An error of the database ends the import, and is told then.
                    guard let error, !(error is PostgresError) else { return }
                    let fault = Self.exit(with: error, path)
                    faults.append((path, fault))
                    if files.count > 1 { StandardError.write("sluice: \(fault.description)\n") }
                }
            }
            ProgressLine.end()
            try access.close()
            guard try outcome.get() else {
                throw ExitError(
                    "stopped; the same command goes on where it was",
                    code: 128 + (signals.last ?? SIGINT))
            }
            try complain(of: faults)
            try Self.complain(of: reports)
        }
    }

    private static func exit(with error: any Error, _ path: String) -> ExitError {
        guard let error = error as? any OperatorError else {
            return ExitError("\(path): \(error)", code: EX_SOFTWARE)
        }
        return ExitError(error, at: error.sentence.hasPrefix(path) ? nil : path)
    }

    /// Names each file that is wrong.
    private func complain(of faults: [(path: String, error: ExitError)]) throws {
        guard let first = faults.first else { return }
        guard files.count > 1 else { throw first.error }
        let codes = Set(faults.map(\.error.code))
        throw ExitError(
            "\(faults.count) of \(files.count) files could not be imported to their end: "
                + faults.map(\.path).joined(separator: ", "),
            code: codes.count == 1 ? first.error.code : EX_DATAERR)
    }

    /// How far the file at hand is.
    private struct Meter {
        private let start = ContinuousClock.now
        private var last = ContinuousClock.now
        private static let width = 24

        mutating func show(_ path: String, done: Int, of total: Int, _ report: ImportReport) {
            guard .now - last > .milliseconds(200) else { return }
            last = .now
            let part = min(1, Double(done) / Double(max(total, 1)))
            let full = Int(part * Double(Self.width))
            let bar =
                String(repeating: "#", count: full)
                + String(repeating: ".", count: Self.width - full)
            let seconds = (last - start) / .seconds(1)
            let rate = Int(Double(report.read - report.skipped) / max(seconds, 0.1))
            let name = path.split(separator: "/").last.map(String.init) ?? path
            ProgressLine.show(
                "\(TerminalText.safe(name)) [\(bar)] \(Int(part * 100)) %, \(report.read) readings, "
                    + "\(rate)/s")
        }
    }

    // MARK: Words

    private static func show(_ path: String, _ report: ImportReport, isComplete: Bool) {
        let path = TerminalText.safe(path)
        let resumed = report.skipped > 0 ? ", \(report.skipped) of them in an earlier run" : ""
        print("\(path): \(report.read) readings\(isComplete ? "" : " so far")\(resumed)")
        print("  \(report.stored) stored, \(report.duplicates) were stored already")
        for (reason, tally) in report.quarantined.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        {
            // Those that are too old themselves are left out.
            let what =
                reason == .timeTooOld
                ? "their days are archived; `sluice archive restore` brings them back"
                : reason.rawValue
            print("  \(text(tally)) quarantined: \(what)")
        }
        if report.tooOld.count > 0 {
            print("  \(text(report.tooOld)) left out: older than SLUICE_READING_AGE_MAX")
        }
        if report.beyondBudget.count > 0 {
            print(
                "  \(text(report.beyondBudget)) left out: they need more new days than "
                    + "SLUICE_DAYS_PER_DEVICE_MAX=\(report.daysPerDeviceMax)")
        }
        if report.unreadable.count > 0 {
            print(
                "  \(text(report.unreadable)) left out: they are not UTF-8, or their device's id has "
                    + "more than 128 characters")
        }
        for (sqlState, tally) in report.refused.sorted(by: { $0.key < $1.key }) {
            print("  \(text(tally)) refused by the database (SQLSTATE \(sqlState))")
        }
        let leftOut = report.rest.leftOut.map { (text: "\($0.key)", count: $0.value) }
        for (what, count) in leftOut.sorted(by: { $0.text < $1.text }) {
            print("  \(count) left out: \(TerminalText.safe(what))")
        }
        for note in report.rest.notes { print("  note: \(TerminalText.safe("\(note)"))") }
    }

    private static func text(_ tally: ImportReport.Tally) -> String {
        tally.firstLine.map { "\(tally.count) (line \($0)\(tally.count > 1 ? " first" : ""))" }
            ?? "\(tally.count)"
    }

    private static func complain(of reports: [ImportReport]) throws {
        let lost = reports.reduce(0) { sum, report in
            sum + report.unreadable.count + report.refused.values.reduce(0) { $0 + $1.count }
        }
        if lost > 0 { throw ExitError("\(lost) readings can't be stored", code: EX_DATAERR) }
        let left = reports.reduce(0) { $0 + $1.tooOld.count + $1.beyondBudget.count }
        if left > 0 {
            throw ExitError(
                "\(left) readings stay in the file: raise the limits above with --set and import it "
                    + "again; nothing is stored twice", code: EX_TEMPFAIL)
        }
        let quarantined = reports.reduce(0) { sum, report in
            sum + report.quarantined.values.reduce(0) { $0 + $1.count }
        }
        if quarantined > 0 {
            throw ExitError(
                "\(quarantined) readings are quarantined: `sluice quarantine list` shows their lines",
                code: EX_DATAERR)
        }
        if reports.contains(where: { $0.read == 0 && !$0.rest.leftOut.isEmpty }) {
            throw ExitError("nothing in a file could be imported; see above", code: EX_DATAERR)
        }
    }
}
