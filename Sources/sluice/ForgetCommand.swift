import ArgumentParser
import Erasure
import Foundation
import Postgres
import SluiceService

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove everything that is stored of one user, and report it.",
        discussion: """
            Readings of the user's devices with rollups and quarantine, captures and what was made of \
            them, contacts, meals, journal, uploaded files, jobs, notices, archived days, and the \
            tables that `sluice archive restore --into` made of those. What other users have stays \
            byte for byte, the same file uploaded by both included.

            First stop what sends: what the user's apps and devices send afterwards is stored again. \
            Works beside running servers; cut off, run it again. It goes through all tables until \
            nothing is found any more.

            Refused with 75 while the spool of this data directory holds something of the user. \
            Backups, replicas that lag, spools of other nodes, and copies that you have made by \
            yourself are out of reach; removed rows are overwritten by VACUUM and new rows \
            (--vacuum).

            Exit codes: 0 nothing is left (also: there was nothing); 75 something is left, and the \
            report says what; 1 not confirmed.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Argument(
        help:
            "The user's id, exactly as apps and devices send it; a device's id where it sends none."
    )
    var user: String
    @Flag(help: "Only report what would be removed; archived days are not counted.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Don't ask.")
    var yes = false
    @Flag(help: "Report as one JSON object.")
    var json = false
    @Flag(help: "VACUUM the tables afterwards, so that their space is used again.")
    var vacuum = false

    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("name a user") }
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

    /// - Returns: false when something is left.
    private func work(
        _ configuration: ServiceConfiguration, _ access: borrowing DatabaseAccess
    ) throws -> Bool {
        let connection = try access.migratedConnection()
        let erasure = try UserErasure(user, configuration, on: connection) {
            ProgressLine.show($0)
        }
        let before = try erasure.spooled()
        if let waiting = before?.waiting, waiting > 0, !dryRun {
            throw Complaint(
                "\(waiting) readings or units of work of this user wait in the spool and would come "
                    + "back: let the server bring it back, or run `sluice spool replay`, then again",
                code: EX_TEMPFAIL)
        }
        if dryRun {
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
                "days are being archived or restored; try again when that is over",
                code: EX_TEMPFAIL)
        }
    }

    private func confirm(_ erasure: UserErasure, _ spooled: SpoolContents.Holding?) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Complaint("nobody can be asked: give --yes, or --dry-run", code: EX_USAGE)
        }
        let report = try erasure.survey()
        ProgressLine.end()
        try ForgetReport(report, spooled: spooled).show(json: false)
        print("Remove all of this for good? Type yes: ", terminator: "")
        fflush(nil)
        guard readLine() == "yes" else { throw Complaint("nothing was removed", code: 1) }
    }
}
