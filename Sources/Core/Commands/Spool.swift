import ArgumentParser
import Foundation
import Instruments
import Logging
import Readings
import Server
import SpoolLog

struct Spool: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show, verify, replay or export the spool.",
        discussion: """
            While the database is unreachable, batches, captures and meal logs are written to \
            SLUICE_DATA_DIR/spool and then acknowledged, a batch with 202. A running server \
            replays the spool as soon as the database recovers.
            """,
        subcommands: [Status.self, Verify.self, Replay.self, Export.self])

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the files of the spool and their contents.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            ExitError.unlessDone {
                let contents = try SpoolContents(options.read())
                table.show(try contents.reports(), path: contents.path)
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Read every record and verify its checksums; exit code 65 if data is or may be lost, "
                + "74 if it can't be read now."
        )

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            ExitError.unlessDone {
                let contents = try SpoolContents(options.read())
                let reports = try contents.reports()
                table.show(reports, path: contents.path)
                try Self.complain(of: reports)
                if table.json { return }
                print("all records are intact")
                let aside = reports.filter { $0.kind == .setAside && $0.records > 0 }
                if !aside.isEmpty {
                    print(
                        "\(aside.count) of \(reports.count) files were moved aside: the next start "
                            + "of a server replays them, or `sluice spool replay`")
                }
            }
        }

        private static func complain(of reports: [SegmentReport]) throws {
            let faults = reports.compactMap(\.fault)
            let unknown = reports.count { $0.unknownVersion != nil }
            let unread = reports.count { $0.readError != nil }
            if faults.isEmpty, unknown == 0, unread > 0 {
                throw ExitError(
                    "\(unread) of \(reports.count) files can't be read completely now; they may be "
                        + "intact: keep them, look at the disk, and try again", code: EX_IOERR)
            }
            guard !faults.isEmpty || unknown > 0 else { return }
            let lost = faults.count(where: \.isCertain) + unknown
            let doubtful = faults.count { !$0.isCertain }
            var words: [String] = []
            if lost > 0 { words.append("\(lost) of \(reports.count) files are damaged") }
            if doubtful > 0 {
                words.append(
                    "\(doubtful) of \(reports.count) files are incomplete: missing records may have "
                        + "been acknowledged")
            }
            if unread > 0 { words.append("\(unread) can't be read completely now") }
            throw ExitError(
                words.joined(separator: "; ") + "; their intact records are replayed, and the "
                    + "files are kept as bad-….lz4", code: EX_DATAERR)
        }
    }

    struct Replay: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replay the spool without starting a server.",
            discussion: """
                For a data directory that no server will use again. Ctrl-C is safe: replayed \
                records are stored once, and the remainder stays in the spool. Files that were moved \
                aside as bad-….lz4 and are intact are replayed too.

                Exit codes: 75 the database does not take all records, 69 a newer version wrote \
                records of a kind that this version does not know, 74 a file can't be read now; all \
                of them stay in the spool. 65 all readable records are stored, but a file was \
                damaged.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "How long to keep trying while the database takes nothing, such as 30s.")
        var patience = "30s"
        @Flag(
            help: """
                Replay again what is readable in files that were moved aside because of damage. \
                Nothing is stored twice.
                """)
        var setAside = false

        func validate() throws {
            guard Settings.duration(patience) != nil else {
                throw ValidationError("--patience must be a duration such as 30s, 5m or 1h")
            }
        }

        func run() {
            ExitError.unlessDone {
                let configuration = try options.read()
                LineLogHandler.bootstrap(level: .warning, format: configuration.logFormat)
                let access = try DatabaseAccess(configuration)
                let patience = Settings.duration(patience) ?? .seconds(30)
                let outcome = Result {
                    try access.replaySpool(
                        configuration, patience: patience, takesBackDamaged: setAside
                    ) { figures in
                        ProgressLine.show("\(figures.units) readings and units of work left")
                    }
                }
                ProgressLine.end()
                try access.close()
                let report = try outcome.get()
                print(
                    "\(report.found - report.left) of \(report.found) readings and units of work "
                        + "replayed")
                if let complaint = Self.complaint(report) { throw complaint }
            }
        }

        private static func complaint(_ report: DatabaseAccess.ReplayReport) -> ExitError? {
            var reasons: [String] = []
            if report.isDatabaseRefusing { reasons.append("the database does not take them") }
            if !report.unknown.isEmpty {
                let kinds = report.unknown.sorted { $0.key < $1.key }
                    .map { "\($0.value) of kind \($0.key)" }.joined(separator: ", ")
                reasons.append(
                    "this version does not know some kinds (\(kinds)): replay them with the version "
                        + "that wrote them. The other units of their records are stored")
            }
            if report.left > 0, !reasons.isEmpty {
                return ExitError(
                    "\(report.left) are left in the spool: " + reasons.joined(separator: "; and "),
                    code: report.isDatabaseRefusing ? EX_TEMPFAIL : EX_UNAVAILABLE)
            }
            if report.unread > 0 {
                return ExitError(
                    "\(report.unread) files of the spool can't be read completely now; they stay "
                        + "there: look at the disk, and try again", code: EX_IOERR)
            }
            guard report.isDamaged else { return nil }
            return ExitError(
                "the spool is damaged: missing records may have been acknowledged; the files above "
                    + "are kept as bad-….lz4", code: EX_DATAERR)
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Print every reading and unit of work in the spool, each as one line of JSON.",
            discussion: "Does not change the spool. A running server may use it at the same time.")

        @OptionGroup var options: ConfigurationOptions

        func run() {
            ExitError.unlessDone {
                let contents = try SpoolContents(options.read())
                let (lines, unreadable, unread) = try contents.export { lines in
                    JSONOutput.show(String(decoding: lines, as: UTF8.self), terminator: "")
                }
                StandardError.write("\(lines) readings and units of work\n")
                if !unread.isEmpty {
                    throw ExitError(
                        "files that can't be read completely now: \(unread.joined(separator: ", "))",
                        code: EX_IOERR)
                }
                if unreadable > 0 {
                    throw ExitError(
                        "this version can't read \(unreadable) records",
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
        // Captures, meal logs and journal records.
        let units = waiting.reduce(0) { $0 + $1.units } - readings
        let bytes = reports.reduce(0) { $0 + $1.bytes }
        print("\(readings) readings and \(units) units of work are pending; \(bytes) bytes on disk")
    }

    private static func state(_ report: SegmentReport) -> String {
        if let version = report.unknownVersion { return "unknown format \(version)" }
        if let error = report.readError {
            return "unreadable now: \(String(cString: strerror(error.errno)))"
        }
        switch report.fault {
        case .damaged(let ranges): return "damaged in \(ranges.count) places"
        case .cutShort(let bytes): return "cut short at \(bytes) bytes; perhaps acknowledged"
        case .doubtful(let ranges):
            return "broken in \(ranges.count) places; perhaps acknowledged"
        case nil: break
        }
        switch report.kind {
        case .segment:
            return report.bytesCut > 0
                ? "intact; \(report.bytesCut) bytes of a write were never acknowledged" : "intact"
        case .spare: return "spare"
        case .setAside:
            return report.records > 0 ? "moved aside, intact; comes back" : "moved aside, empty"
        }
    }
}
