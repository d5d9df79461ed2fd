import ArgumentParser
import Diagnosis
import Foundation
import SluiceService

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the installation: database, settings, disks, TLS, spool, keys.",
        discussion: """
            Says what is wrong or soon will be, as a figure, why it matters, and what to do. Changes \
            nothing. Works beside a running server, without one, and when the database is away: then \
            it says so and examines the rest. A private cluster that does not run is started for as \
            long as it is asked.

            Exit codes, as of monitoring plugins: 0 nothing beyond notices, 1 warnings, 2 problems; \
            64 the configuration can't be read.

            Run it as the user and with the configuration of the server: rights are those of whoever \
            runs it, and so is the file limit where no server runs.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Flag(
        help:
            "One JSON object: severity, and findings with area, name, severity, found, reason, fix."
    )
    var json = false
    @Flag(name: .shortAndLong, help: "Only what is not ok.")
    var quiet = false

    private struct Report: Encodable {
        let severity: Severity
        let findings: [Finding]
    }

    func run() throws {
        let facts = Complaint.unlessDone {
            InstallationFacts.gather(try options.read()) { Complaint($0).description }
        }
        let findings = Examination.findings(facts)
        if json {
            let report = Report(
                severity: findings.map(\.severity).max() ?? .ok,
                findings: findings.filter { !quiet || $0.severity > .ok })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            var text = ReportText()
            text.isQuiet = quiet
            text.isColoured = Self.isColoured
            if let width = Self.terminalWidth { text.width = min(width, 120) }
            for line in text.lines(findings) { print(line) }
        }
        let code = Examination.exitCode(findings)
        if code != 0 { throw ExitCode(code) }
    }

    private static var isColoured: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Nil if standard output is not a terminal.
    private static var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }
}
