import Auth
import ArgumentParser
import Foundation
import Postgres
import Readings
import Server
import Status

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and revoke API keys.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it once.",
            discussion: """
                Only the key goes to standard output: KEY=$(sluice keys create phones). Every \
                running server accepts it within five seconds.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The key's name; no other key in force may have it.")
        var name: String
        @Option(help: "When it expires: 90d, 12h, or a time such as 2027-01-31T00:00:00Z.")
        var expires: String?

        @Option(help: "Body bytes per second and server, such as 2MiB; more is refused with 429.")
        var bytesPerSecond: String?

        @Option(
            help: ArgumentHelp(
                "What the key may do, separated by commas: "
                    + KeyScope.allCases.map(\.rawValue).joined(separator: ", ") + "."))
        var scope = KeyScope.ingest.rawValue

        private var scopes: [KeyScope?] {
            scope.split(separator: ",", omittingEmptySubsequences: false).map {
                KeyScope(rawValue: String($0))
            }
        }

        func validate() throws {
            guard !name.isEmpty, name.utf8.count <= 100 else {
                throw ValidationError("the name must have 1 to 100 bytes")
            }
            guard !scopes.contains(nil) else {
                let known = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(
                    "--scope must be one or more of \(known), separated by commas")
            }
            if let expires, Moments.end(expires) == nil {
                throw ValidationError(
                    "--expires must be 90d, 12h, or a future time such as 2027-01-31T00:00:00Z")
            }
            if let bytesPerSecond, (Settings.bytes(bytesPerSecond) ?? 0) < 1 {
                throw ValidationError(
                    "--bytes-per-second must be at least 1, such as 500000, 512KiB or 2MiB")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let (record, key) = try KeyStore.create(
                name: name, scopes: Set(scopes.compactMap(\.self)),
                expiresAt: expires.flatMap(Moments.end),
                bytesPerSecond: bytesPerSecond.flatMap(Settings.bytes), on: connection)
            print(key.revealed())
            let end = record.expiresAt.map { "until \(Moments.text($0))" } ?? "until revoked"
            let purpose = record.scopes.joined(separator: ", ")
            StandardError.write("\(name): for \(purpose), \(end). It is not shown again.\n")
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all keys, also revoked ones. The keys themselves are not stored.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let now = Date()
            let rows = try KeyStore.list(on: connection).map { key in
                let state =
                    if let revoked = key.revokedAt {
                        "revoked \(Moments.text(revoked))"
                    } else if let end = key.expiresAt {
                        (Moments.date(end) <= now ? "expired " : "until ") + Moments.text(end)
                    } else {
                        "in force"
                    }
                return [
                    key.name, key.prefix + "…", key.scopes.joined(separator: ","), state,
                    key.bytesPerSecond.map { "\($0) B/s" } ?? "default",
                    Moments.text(key.createdAt), key.lastUsedAt.map(Moments.text) ?? "never",
                ]
            }
            table.show(["NAME", "KEY", "SCOPES", "STATE", "QUOTA", "CREATED", "LAST USED"], rows)
        }
    }

    struct Revoke: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key; running servers refuse it within five seconds.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The key's name.")
        var name: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            guard try KeyStore.revoke(name: name, on: connection) != nil else {
                throw ExitError("no key \"\(name)\" is in force", code: EX_DATAERR)
            }
            print("revoked \(TerminalText.safe(name))")
        }
    }
}
