import ArgumentParser
import Foundation
import SluiceService

struct Psql: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open psql on the database; what follows goes to psql.",
        usage: "sluice psql [--data-dir DIR] [PSQL ARGUMENTS ...]",
        discussion: """
            Beside a running server it joins in; without one it starts the private cluster for as \
            long as psql runs. Examples:

              sluice psql
              sluice psql -c 'select * from analytics.latest_position'
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(parsing: .captureForPassthrough, help: "Arguments of psql.")
    var arguments: [String] = []

    /// Help that is asked for first is this command's; `-h` with anything behind it is psql's host.
    func validate() throws {
        if arguments.first == "--help" || arguments == ["-h"] { throw CleanExit.helpRequest(self) }
    }

    func run() {
        Complaint.unlessDone {
            let access = try DatabaseAccess(options.read())
            let program = PsqlProgram(settings: access.settings, binDirectory: access.binDirectory)
            if access.ownsCluster {
                let outcome = Result { try program.runAndWait(arguments) }
                try access.close()
                Foundation.exit(try outcome.get())
            }
            try program.become(arguments)
        }
    }
}
