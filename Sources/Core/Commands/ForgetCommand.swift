import ArgumentParser
import Erasure
import Foundation
import Postgres
import Server

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete all data of one user, and report what was deleted.",
        discussion: """
            Deletes the user's readings with rollups and quarantine, captures and \
            their results, contacts, meals, journal, uploaded files, jobs, notices, archived days, \
            and the tables that `sluice archive restore --into` made from those days. Data of \
            other users stays, also a file that several users uploaded.

            First stop the user's apps and devices: data that they send later is stored again. \
            Works while servers run. After an interruption, run it again. It repeats its pass over \
            all tables until it finds nothing more.

            Fails with 75 while the spool of this data directory contains data of the user. It \
            can't reach backups, lagging replicas, spools of other nodes, or your own copies. \
            Deleted rows stay on disk until VACUUM (--vacuum) and new rows overwrite them.

            Files that were uploaded in the last 6 hours stay until the server's sweep, because \
            somebody else may be uploading the same bytes: that is 75 too. A later run no longer \
            knows these files.

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
        let isDone = ExitError.unlessDone {
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
        let erasure = try UserErasure.ofUserOrDevice(user, configuration, on: connection) {
            ProgressLine.show($0)
        }
        let before = try erasure.spooled()
        if let waiting = before?.waiting, waiting > 0, !confirmation.dryRun {
            throw ExitError(
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
            throw ExitError(
                "days are being archived or restored; try again when that has ended",
                code: EX_TEMPFAIL)
        }
    }

    private func confirm(_ erasure: UserErasure, _ spooled: SpoolContents.PreviousWatermarks?)
        throws
    {
        try confirmation.demand("Delete all of this permanently?") {
            let report = try erasure.survey()
            ProgressLine.end()
            try ForgetReport(report, spooled: spooled).show(json: false)
        }
    }
}
