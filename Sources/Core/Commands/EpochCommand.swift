import ArgumentParser
import Foundation
import Postgres
import Server

struct EpochCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch",
        abstract: "Show or choose the database server that Sluice writes to.",
        discussion: """
            A server that lost a failover, or a copy restored from an earlier time, lacks the rows \
            that were stored since then. Sluice recognises such a server by cluster, database, \
            timeline and position. It writes nothing to it and uses the spool instead. If you want \
            to use such a server from now on, accept it:

              sluice epoch show
              sluice epoch accept
            """,
        subcommands: [Show.self, Accept.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the epoch that this node knows, and the current epoch of each host.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run() {
            ExitError.unlessDone {
                let configuration = try options.read()
                let access = try DatabaseAccess(configuration, checksEpoch: false)
                let book = EpochFence(path: DataDirectory(configuration.dataDirectory).epochPath)
                var rows = [Self.row("known", book.known, book.damage ?? "")]
                for candidate in EpochCommand.candidates(access.settings) {
                    rows.append(
                        Self.row(candidate.name, candidate.epoch, candidate.verdict(book)))
                }
                try access.close()
                table.show(
                    ["SERVER", "SYSTEM", "DATABASE", "TIMELINE", "POSITION", "ACCEPTED", "STATE"],
                    rows,
                    numbers: ["TIMELINE", "ACCEPTED"])
            }
        }

        private static func row(_ name: String, _ epoch: Epoch?, _ state: String) -> [String] {
            guard let epoch else { return [name, "-", "-", "-", "-", "-", state] }
            return [
                name, epoch.identity, epoch.database?.name ?? "-", "\(epoch.timeline)",
                epoch.positionText, "\(epoch.accepted)", state,
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
            ExitError.unlessDone {
                let configuration = try options.read()
                let access = try DatabaseAccess(configuration, checksEpoch: false)
                let outcome = Result { try accept(configuration, access.settings) }
                try access.close()
                try outcome.get()
            }
        }

        private func accept(
            _ configuration: ServiceConfiguration, _ settings: ConnectionSettings
        ) throws {
            let candidates = EpochCommand.candidates(settings)
                .filter { host == nil || $0.name == host || $0.name.hasPrefix("\(host ?? ""):") }
            guard !candidates.isEmpty else {
                throw ExitError("SLUICE_DATABASE_URL names no host \(host ?? "")", code: EX_USAGE)
            }
            let writers = candidates.filter { $0.epoch != nil }
            guard let server = writers.first else {
                let states = candidates.map { "\($0.name): \($0.state)" }.joined(separator: "; ")
                throw ExitError("no server accepts writes: \(states)", code: EX_UNAVAILABLE)
            }
            guard writers.count == 1, let epoch = server.epoch else {
                let names = writers.map(\.name).joined(separator: ", ")
                throw ExitError(
                    "several servers accept writes: \(names). Choose one with --host",
                    code: EX_USAGE)
            }
            let book = EpochFence(path: DataDirectory(configuration.dataDirectory).epochPath)
            let about =
                "\(server.name): database \(epoch.database?.name ?? "unknown"), timeline \(epoch.timeline) at \(epoch.positionText)"
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
        let epoch: Epoch?
        let error: PostgresError?

        /// Why the server accepts no writes.
        var state: String {
            guard let error else { return "a standby" }
            return error.kind == .refused
                ? "refuses the query: \(error.reason)" : "unreachable: \(error.reason)"
        }

        func verdict(_ book: EpochFence) -> String {
            guard let epoch else { return state }
            guard book.damage == nil else { return "refused: the known epoch can't be read" }
            do throws(PostgresError) {
                let asked = book.known
                try EpochFence(knowing: asked).admit(epoch, knownWhenAsked: asked)
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
                    name: name, settings: host, epoch: try connection.readEpoch(), error: nil)
            } catch {
                return Candidate(name: name, settings: host, epoch: nil, error: error)
            }
        }
    }
}
