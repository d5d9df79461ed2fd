import ArgumentParser
import Foundation
import Postgres
import SluiceService

struct EraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "era",
        abstract: "Show or choose the database server that Sluice writes to.",
        discussion: """
            A server that lost a failover, or a copy restored from an earlier time, lacks the rows \
            that were stored since then. Sluice recognises such a server by cluster, database, \
            timeline and position. It writes nothing to it and uses the spool instead. If you want \
            to use such a server from now on, accept it:

              sluice era show
              sluice era accept
            """,
        subcommands: [Show.self, Accept.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the era that this node knows, and the current era of each host.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            Complaint.unlessDone {
                let configuration = try options.read()
                let access = try DatabaseAccess(configuration, checksEra: false)
                let book = EraBook(path: DataDirectory(configuration.dataDirectory).eraPath)
                var rows = [Self.row("known", book.known, book.damage ?? "")]
                for candidate in EraCommand.candidates(access.settings) {
                    rows.append(
                        Self.row(candidate.name, candidate.era, candidate.verdict(book)))
                }
                try access.close()
                table.show(
                    ["SERVER", "SYSTEM", "DATABASE", "TIMELINE", "POSITION", "ACCEPTED", "STATE"],
                    rows,
                    numbers: ["TIMELINE", "ACCEPTED"])
            }
        }

        private static func row(_ name: String, _ era: Era?, _ state: String) -> [String] {
            guard let era else { return [name, "-", "-", "-", "-", "-", state] }
            return [
                name, era.identity, era.database?.name ?? "-", "\(era.timeline)",
                era.positionText, "\(era.accepted)", state,
            ]
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accept a server as the one that all nodes write to from now on.",
            discussion: """
                Rows that another server stored after the two histories diverged are not in the \
                accepted server. Spools are replayed to it. The role must own the database.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "Accept this host if several accept writes: HOST or HOST:PORT.")
        var host: String?
        @OptionGroup var confirmation: Confirmation

        func run() {
            Complaint.unlessDone {
                let configuration = try options.read()
                let access = try DatabaseAccess(configuration, checksEra: false)
                let outcome = Result { try accept(configuration, access.settings) }
                try access.close()
                try outcome.get()
            }
        }

        private func accept(
            _ configuration: ServiceConfiguration, _ settings: ConnectionSettings
        ) throws {
            let candidates = EraCommand.candidates(settings)
                .filter { host == nil || $0.name == host || $0.name.hasPrefix("\(host ?? ""):") }
            guard !candidates.isEmpty else {
                throw Complaint("DATABASE_URL names no host \(host ?? "")", code: EX_USAGE)
            }
            let writers = candidates.filter { $0.era != nil }
            guard let server = writers.first else {
                let states = candidates.map { "\($0.name): \($0.state)" }.joined(separator: "; ")
                throw Complaint("no server accepts writes: \(states)", code: EX_UNAVAILABLE)
            }
            guard writers.count == 1, let era = server.era else {
                let names = writers.map(\.name).joined(separator: ", ")
                throw Complaint(
                    "several servers accept writes: \(names). Choose one with --host",
                    code: EX_USAGE)
            }
            let book = EraBook(path: DataDirectory(configuration.dataDirectory).eraPath)
            let about =
                "\(server.name): database \(era.database?.name ?? "unknown"), timeline \(era.timeline) at \(era.positionText)"
            if confirmation.dryRun { return print(about) }
            try confirmation.demand("Write to this server from now on?") { print(about) }
            let connection = try Connection.open(server.settings, deadline: .now + .seconds(10))
            defer { connection.close() }
            let accepted = try connection.accept(into: book)
            print(
                "accepted \(server.name): timeline \(accepted.timeline) at "
                    + accepted.positionText)
        }
    }

    /// A server that the configuration names.
    private struct Candidate {
        let name: String
        let settings: ConnectionSettings
        /// Nil: a standby, or the server can't be asked.
        let era: Era?
        let error: PostgresError?

        /// Why the server accepts no writes.
        var state: String {
            guard let error else { return "a standby" }
            return error.kind == .refused
                ? "refuses the query: \(error.reason)" : "unreachable: \(error.reason)"
        }

        func verdict(_ book: EraBook) -> String {
            guard let era else { return state }
            guard book.damage == nil else { return "refused: the known era can't be read" }
            do throws(PostgresError) {
                let asked = book.known
                try EraBook(knowing: asked).admit(era, knownWhenAsked: asked)
                return "accepts writes"
            } catch {
                return "refused: \(error.reason)"
            }
        }
    }

    private static func candidates(_ settings: ConnectionSettings) -> [Candidate] {
        let hosts = settings.hostByHost
        return (hosts.isEmpty ? [settings] : hosts).map { host in
            let name = host.hostAndPort
            do throws(PostgresError) {
                let connection = try Connection.open(
                    host.takingStandbys, deadline: .now + .seconds(3))
                defer { connection.close() }
                return Candidate(
                    name: name, settings: host, era: try connection.readEra(), error: nil)
            } catch {
                return Candidate(name: name, settings: host, era: nil, error: error)
            }
        }
    }
}
