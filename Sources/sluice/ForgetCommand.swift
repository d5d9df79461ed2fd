import ArgumentParser
import Erasure
import Foundation
import Postgres
import SluiceService

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete all data of one user, and report what was deleted.",
        discussion: """
            Deletes the readings of the user's devices with rollups and quarantine, captures and \
            their results, contacts, meals, journal, uploaded files, jobs, notices, archived days, \
            and the tables that `sluice archive restore --into` made from those days. Data of \
            other users stays, also a file that several users uploaded.

            First stop the user's apps and devices: data that they send later is stored again. \
            Works while servers run. After an interruption, run it again. It repeats its pass over \
            all tables until it finds nothing more.

            Fails with 75 while the spool of this data directory contains data of the user. It \
            can't reach backups, lagging replicas, spools of other nodes, or your own copies. \
            Deleted rows stay on disk until VACUUM (--vacuum) and new rows overwrite them.

            Exit codes: 0 no data is left (or there was none); 75 data is left, and the report \
            says which; 1 not confirmed. --dry-run does not count archived days.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Argument(
        help:
            "The user's id, exactly as apps and devices send it; for a device without one, its id."
    )
    var user: String
    @OptionGroup var confirmation: Confirmation
    @Flag(help: "Print the report as one JSON object.")
    var json = false
    @Flag(help: "VACUUM the tables afterwards, so that their space can be reused.")
    var vacuum = false

    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("the user's id must not be empty") }
    }

    func run() throws {
        let isDone = Complaint.unlessDone {
            let configuration = try options.read()
            let access = try DatabaseAccess(configuration)
            let outcome = Result { try work(configuration, access) }
            try access.close()
            return try outcome.get()
        }
        if !isDone { throw ExitCode(EX_TEMPFAIL) }
    }

    /// - Returns: false if something is left.
    private func work(
        _ configuration: ServiceConfiguration, _ access: borrowing DatabaseAccess
    ) throws -> Bool {
        let connection = try access.migratedConnection()
        let erasure = try UserErasure(user, configuration, on: connection) {
            ProgressLine.show($0)
        }
        let before = try erasure.spooled()
        if let waiting = before?.waiting, waiting > 0, !confirmation.dryRun {
            throw Complaint(
                "\(waiting) readings or units of work of this user are in the spool: wait until the "
                    + "server has replayed it, or run `sluice spool replay`; then try again",
                code: EX_TEMPFAIL)
        }
        if confirmation.dryRun {
            let report = try erasure.survey()
            ProgressLine.end()
            try ForgetReport(report, spooled: before).show(json: json)
            return true
        }
        try confirm(erasure, before)
        do {
            let report = try erasure.run(access.settings, vacuums: vacuum)
            let after = try erasure.spooled()
            ProgressLine.end()
            let text = ForgetReport(report, spooled: after)
            try text.show(json: json)
            return text.isComplete
        } catch is UserErasure.Busy {
            throw Complaint(
                "days are being archived or restored; try again when that has ended",
                code: EX_TEMPFAIL)
        }
    }

    private func confirm(_ erasure: UserErasure, _ spooled: SpoolContents.Holding?) throws {
        try confirmation.demand("Delete all of this permanently?") {
            let report = try erasure.survey()
            ProgressLine.end()
            try ForgetReport(report, spooled: spooled).show(json: false)
        }
    }
}

/// The report of an erasure, for people and for programs.
struct ForgetReport {
    private let report: ErasureReport
    private let spooled: SpoolContents.Holding?

    init(_ report: ErasureReport, spooled: SpoolContents.Holding?) {
        self.report = report
        self.spooled = spooled
    }

    /// Whether nothing of the user is left in the places that were searched.
    var isComplete: Bool { remains.isEmpty }

    private struct Document: Encodable {
        let report: ErasureReport
        let rows: Int
        let bytes: Int
        let remains: [String]
        let outOfReach: [String]
    }

    func show(json: Bool) throws {
        if json {
            let document = Document(
                report: report, rows: report.rows, bytes: report.bytes, remains: remains,
                outOfReach: Erasure.outOfReach)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(document), as: UTF8.self))
        } else {
            showText()
        }
    }

    private func showText() {
        if report.tables.isEmpty {
            print(
                remains.isEmpty
                    ? "no data of this user is stored" : "the tables have no rows of this user")
        } else {
            Columns.show(
                ["TABLE", "ROWS", "BYTES"],
                report.tables.map { [$0.table, "\($0.rows)", "\($0.bytes)"] })
            print("")
        }
        let verb = report.isDryRun ? "would be removed" : "removed"
        let devices = report.devices == 1 ? "1 device" : "\(report.devices) devices"
        print("\(report.rows) rows \(verb), including \(devices)")
        let files = report.files
        if files.removed + files.shared + files.leftToSweep > 0 {
            print("\(files.removed) files, \(files.bytesRemoved) bytes \(verb)")
        }
        if files.shared > 0 { print("\(files.shared) files stay: other users have them too") }
        if files.leftToSweep > 0 {
            print(
                "\(files.leftToSweep) files are too new; the server's sweep removes them within 7 h"
            )
        }
        if report.archives.filesRewritten > 0 {
            print(
                "\(report.archives.rowsRemoved) rows removed from \(report.archives.filesRewritten) "
                    + "files of archived days")
        }
        if let number = report.number {
            let passes = report.passes == 1 ? "1 pass" : "\(report.passes) passes"
            print("\(passes); erasure \(number) in sluice.erasure, without the id")
        }
        for text in remains { print("left: \(text)") }
        if report.isDryRun { print("note: rows in archived days are not counted here") }
        if !report.isDryRun { for text in Erasure.outOfReach { print("note: \(text)") } }
    }

    private var remains: [String] {
        var remains = report.archives.failures.map { "data in archived days: \($0)" }
        remains += report.failures
        if !report.isDryRun, !report.isComplete, remains.isEmpty {
            remains.append("the user is still sending: stop that, then run this again")
        }
        if let spooled {
            if spooled.waiting > 0 {
                remains.append("\(spooled.waiting) readings or units of work in the spool")
            }
            remains += spooled.setAside.map {
                "data in spool/\($0), which was moved aside: `sluice spool replay --set-aside` stores "
                    + "what is readable of everybody's data; then run this again, and only then "
                    + "remove the file"
            }
            remains += spooled.unread.map { "perhaps data in spool/\($0), which can't be read now" }
        }
        return remains
    }
}
