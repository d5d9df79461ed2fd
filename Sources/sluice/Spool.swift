import ArgumentParser
import Foundation
import Instruments
import Logging
import Readings
import SluiceService
import Spooling

struct Spool: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at what waits for the database, or bring it back.",
        discussion: """
            While the database is away, batches and captures are written to SLUICE_DATA_DIR/spool \
            and acknowledged: a batch with 202. A running server brings them back by itself as \
            soon as it can.
            """,
        subcommands: [Status.self, Verify.self, Replay.self, Export.self])

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what is in the spool, file by file.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            Complaint.unlessDone {
                let contents = try SpoolContents(options.read())
                table.show(try contents.reports(), path: contents.path)
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Read every record and check its sums; exit code 65 when something is or may be lost."
        )

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            Complaint.unlessDone {
                let contents = try SpoolContents(options.read())
                let reports = try contents.reports()
                table.show(reports, path: contents.path)
                try Self.complain(of: reports)
                if !table.json { print("every record is whole") }
            }
        }

        private static func complain(of reports: [SegmentReport]) throws {
            let faults = reports.compactMap(\.fault)
            let unknown = reports.count { $0.unknownVersion != nil }
            guard !faults.isEmpty || unknown > 0 else { return }
            let lost = faults.count(where: \.isCertain) + unknown
            let doubtful = faults.count { !$0.isCertain }
            var words: [String] = []
            if lost > 0 { words.append("\(lost) of \(reports.count) files are damaged") }
            if doubtful > 0 {
                words.append(
                    "\(doubtful) of \(reports.count) files are not whole: what they lack may have been "
                        + "acknowledged")
            }
            throw Complaint(
                words.joined(separator: "; ") + "; what is whole in them is brought back, and the "
                    + "files are kept as bad-….lz4", code: EX_DATAERR)
        }
    }

    struct Replay: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring back what is in the spool, without serving.",
            discussion: """
                For a data directory that no server will use again. Ctrl-C is safe: what was \
                brought back is stored once, the rest stays.

                Exit code 75 when the database does not take everything, 69 when something was \
                written by a version that knows more kinds of units than this one. It stays in \
                the spool in both cases. Exit code 65 when all that can be read is stored, but a \
                file was damaged.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "How long to go on while the database takes nothing, such as 30s.")
        var patience = "30s"

        func validate() throws {
            guard Settings.duration(patience) != nil else {
                throw ValidationError("--patience: 30s, 5m, 1h")
            }
        }

        func run() {
            Complaint.unlessDone {
                let configuration = try options.read()
                LineLogHandler.bootstrap(level: .warning, format: configuration.logFormat)
                let access = try DatabaseAccess(configuration)
                let patience = Settings.duration(patience) ?? .seconds(30)
                let outcome = Result {
                    try access.replaySpool(configuration, patience: patience) { figures in
                        ProgressLine.show("\(figures.units) readings and units of work left")
                    }
                }
                ProgressLine.end()
                try access.close()
                let report = try outcome.get()
                print(
                    "\(report.found - report.left) of \(report.found) readings and units of work "
                        + "brought back")
                if let complaint = Self.complaint(report) { throw complaint }
            }
        }

        private static func complaint(_ report: DatabaseAccess.ReplayReport) -> Complaint? {
            var reasons: [String] = []
            if report.isDatabaseRefusing { reasons.append("the database does not take them") }
            if !report.unknown.isEmpty {
                let kinds = report.unknown.sorted { $0.key < $1.key }
                    .map { "\($0.value) of kind \($0.key)" }.joined(separator: ", ")
                reasons.append(
                    "this version does not know the kinds of some (\(kinds)): run the replay of the "
                        + "version that wrote them. What shares a record with them is stored")
            }
            if report.left > 0, !reasons.isEmpty {
                return Complaint(
                    "\(report.left) are left in the spool: " + reasons.joined(separator: "; and "),
                    code: report.isDatabaseRefusing ? EX_TEMPFAIL : EX_UNAVAILABLE)
            }
            guard report.isDamaged else { return nil }
            return Complaint(
                "the spool is damaged: what it lacks may have been acknowledged; the files above are "
                    + "kept as bad-….lz4", code: EX_DATAERR)
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write every reading and unit of work in the spool to standard output, a line of "
                + "JSON each.",
            discussion: "The spool stays as it is. A server may go on using it meanwhile.")

        @OptionGroup var options: ConfigurationOptions

        func run() {
            Complaint.unlessDone {
                let contents = try SpoolContents(options.read())
                let (lines, unreadable) = try contents.export { lines in
                    FileHandle.standardOutput.write(Data(lines))
                }
                FileHandle.standardError.write(
                    Data("\(lines) readings and units of work\n".utf8))
                if unreadable > 0 {
                    throw Complaint(
                        "\(unreadable) records can't be understood by this version",
                        code: EX_DATAERR)
                }
            }
        }
    }
}

/// The table of the spool's files.
extension TableOptions {
    fileprivate func show(_ reports: [SegmentReport], path: String) {
        if !json { print(path) }
        show(
            ["FILE", "RECORDS", "READINGS", "UNITS", "OLDEST", "USED", "BYTES", "STATE"],
            reports.map { report in
                [
                    report.name, "\(report.records)", "\(report.tally[.usual])",
                    "\(report.units - report.tally[.usual])",
                    report.firstTime.map { Moments.text(Timestamp(microseconds: $0)) } ?? "-",
                    "\(report.end)", "\(report.bytes)", Self.state(report),
                ]
            }, numbers: ["RECORDS", "READINGS", "UNITS", "USED", "BYTES"]
        ) { Self.showSums(reports) }
    }

    private static func showSums(_ reports: [SegmentReport]) {
        let waiting = reports.filter { $0.kind == .segment }
        let readings = waiting.reduce(0) { $0 + $1.tally[.usual] }
        // Captures and meal logs.
        let units = waiting.reduce(0) { $0 + $1.units } - readings
        let bytes = reports.reduce(0) { $0 + $1.bytes }
        print("\(readings) readings and \(units) units of work wait; \(bytes) bytes on disk")
    }

    private static func state(_ report: SegmentReport) -> String {
        if let version = report.unknownVersion { return "of format \(version), unknown" }
        switch report.fault {
        case .damaged(let ranges): return "damaged in \(ranges.count) places"
        case .unreadable(let error): return "unreadable: \(String(cString: strerror(error.errno)))"
        case .cutShort(let bytes): return "cut short at \(bytes) bytes; acknowledged or not"
        case .doubtful(let ranges):
            return "broken in \(ranges.count) places; acknowledged or not"
        case nil: break
        }
        switch report.kind {
        case .segment:
            return report.bytesCut > 0
                ? "whole; \(report.bytesCut) bytes of a write were never acknowledged" : "whole"
        case .spare: return "spare"
        case .setAside: return "moved aside"
        }
    }
}
