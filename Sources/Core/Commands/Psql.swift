import ArgumentParser
import Foundation
import Postgres
import Server

struct Psql: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open psql on the database; further arguments go to psql.",
        usage: "sluice psql [--data-dir DIR] [PSQL ARGUMENTS ...]",
        discussion: """
            Uses the cluster of a running server. Without one, starts the private cluster and \
            stops it when psql ends. Examples:

              sluice psql
              sluice psql -c 'select * from analytics.latest_position'
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(parsing: .captureForPassthrough, help: "Arguments of psql.")
    var arguments: [String] = []

    /// `--help` as the first argument, and `-h` alone, print this command's help. `-h` with more
    /// arguments is psql's option for the host.
    func validate() throws {
        if arguments.first == "--help" || arguments == ["-h"] { throw CleanExit.helpRequest(self) }
    }

    func run() {
        ExitError.unlessDone {
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
