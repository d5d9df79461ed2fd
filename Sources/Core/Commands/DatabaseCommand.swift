package import ArgumentParser
import Glibc
package import Postgres
package import Server

/// A command that works on the database, with or without a running server.
package protocol DatabaseCommand: ParsableCommand {
    /// Where its configuration comes from.
    var options: ConfigurationOptions { get }
    /// What it reads besides: files and directories that the caller named. By default none.
    var files: [String] { get }

    /// Does the command's work.
    ///
    /// - Parameter connection: to a database with this binary's schema.
    func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws
}

extension DatabaseCommand {
    /// See ``DatabaseCommand``.
    package var files: [String] { [] }

    /// Connects, runs the work, and ends the process with a complaint if it fails.
    package func run() {
        ExitError.unlessDone {
            let configuration = try options.read(files: files)
            let access = try DatabaseAccess(configuration)
            let outcome = Result { try run(configuration, access.migratedConnection()) }
            try access.close()
            try outcome.get()
        }
    }
}
