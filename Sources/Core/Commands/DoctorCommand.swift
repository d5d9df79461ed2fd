import ArgumentParser
import Doctor
import Foundation
import Server

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the installation: database, settings, disks, TLS, spool, keys.",
        discussion: """
            Prints what is wrong or soon will be: the value found, why it matters, and what to do. \
            Changes nothing. Works with or without a running server. If the database is \
            unreachable, reports that and examines the rest. A private cluster that is not running \
            is started for the examination.

            Exit codes, as for monitoring plugins: 0 nothing above notices, 1 warnings, 2 \
            problems; 64 the configuration can't be read.

            Run it as the server's user and with the server's configuration: it checks the rights \
            of the user who runs it, and without a running server also that user's file limit.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Flag(
        help:
            "Print JSON: severity, and findings with area, name, severity, found, reason, fix."
    )
    var json = false
    @Flag(name: .shortAndLong, help: "Print only findings that are not ok.")
    var quiet = false

    private struct Report: Encodable {
        let severity: Severity
        let findings: [Finding]
    }

    func run() throws {
        let (isService, facts) = ExitError.unlessDone {
            (
                try options.sources().file?.path == ServiceFile.path,
                InstallationFacts.gather(try options.read())
            )
        }
        let findings = Examination.findings(facts).map { finding in
            isService
                ? finding.replacingFix("sluice serve", with: "systemctl start sluice") : finding
        }
        if json {
            let report = Report(
                severity: findings.map(\.severity).max() ?? .ok,
                findings: findings.filter { !quiet || $0.severity > .ok })
            try JSONOutput.show(report)
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
