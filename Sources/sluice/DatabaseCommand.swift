import ArgumentParser
import Postgres
import SluiceService

/// A command that works on the database, beside a running server or without one.
protocol DatabaseCommand: ParsableCommand {
    var options: ConfigurationOptions { get }

    /// - Parameter connection: to a database whose schema is this binary's.
    func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws
}

extension DatabaseCommand {
    func run() {
        Complaint.unlessDone {
            let configuration = try options.read()
            let access = try DatabaseAccess(configuration)
            let outcome = Result { try run(configuration, access.migratedConnection()) }
            try access.close()
            try outcome.get()
        }
    }
}
