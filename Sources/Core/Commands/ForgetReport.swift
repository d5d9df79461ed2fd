import ArgumentParser
import Erasure
import Postgres
import Server

/// The report of an erasure, for people and for programs.
struct ForgetReport {
    private let report: ErasureReport
    private let spooled: SpoolContents.PreviousWatermarks?

    init(_ report: ErasureReport, spooled: SpoolContents.PreviousWatermarks?) {
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
            try JSONOutput.show(document)
        } else {
            showText()
        }
    }

    private func showText() {
        if report.tables.isEmpty {
            print(Self.nothing(isComplete: isComplete, devicesLeft: report.devicesLeft))
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

    /// What is said if no table has rows to remove.
    static func nothing(isComplete: Bool, devicesLeft: Int) -> String {
        if isComplete { return "no data of this user is stored" }
        return devicesLeft > 0
            ? "no rows of this user but those of the devices that are left"
            : "no other rows of this user"
    }

    private var remains: [String] {
        var remains = report.archives.failures.map { "perhaps data in archived days: \($0)" }
        remains += report.failures
        if report.devicesLeft > 0 {
            let devices = report.devicesLeft == 1 ? "1 device" : "\(report.devicesLeft) devices"
            remains.append("\(devices) of the user, by which a later run finds the rest")
        }
        if !report.isDryRun, !report.isComplete, remains.isEmpty {
            remains.append("the user is still sending: stop that, then run this again")
        }
        if report.files.leftToSweep > 0 {
            let count = report.files.leftToSweep
            remains.append(
                "\(count == 1 ? "1 file" : "\(count) files"), too new or not removable now: the "
                    + "server's sweep removes what no row names within 7 h")
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
