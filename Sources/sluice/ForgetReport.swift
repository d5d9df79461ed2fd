import Erasure
import Foundation
import SluiceService

/// The report of an erasure, for people and for programs.
struct ForgetReport {
    private let report: ErasureReport
    private let spooled: SpoolContents.Holding?

    init(_ report: ErasureReport, spooled: SpoolContents.Holding?) {
        self.report = report
        self.spooled = spooled
    }

    /// Nothing of the user is left, as far as can be seen.
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
                    ? "nothing is stored of this user" : "no row of this user is in the tables")
        } else {
            Columns.show(
                ["TABLE", "ROWS", "BYTES"],
                report.tables.map { [$0.table, "\($0.rows)", "\($0.bytes)"] })
            print("")
        }
        let verb = report.isDryRun ? "would be removed" : "removed"
        let devices = report.devices == 1 ? "1 device" : "\(report.devices) devices"
        print("\(report.rows) rows \(verb), \(devices) among them")
        let files = report.files
        if files.removed + files.shared + files.leftToSweep > 0 {
            print("\(files.removed) files, \(files.bytesRemoved) bytes \(verb)")
        }
        if files.shared > 0 { print("\(files.shared) files stay: others have the same") }
        if files.leftToSweep > 0 {
            print(
                "\(files.leftToSweep) files are too new; the server's sweep removes them in 1–2 h")
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
        var remains = report.archives.failures.map { "in archived days, \($0)" }
        if !report.isDryRun, !report.isComplete, remains.isEmpty {
            remains.append("the user is still sending: stop that, then run this again")
        }
        if let spooled {
            if spooled.waiting > 0 {
                remains.append("\(spooled.waiting) readings or units of work in the spool")
            }
            remains += spooled.setAside.map {
                "in the damaged file spool/\($0): see `sluice spool export`, then remove the file"
            }
        }
        return remains
    }
}
