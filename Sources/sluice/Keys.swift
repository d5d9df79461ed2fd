import Access
import ArgumentParser
import Foundation
import Postgres
import Readings
import SluiceService

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, list and revoke API keys.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key and print it, once.",
            discussion: """
                The key alone goes to standard output: KEY=$(sluice keys create phones). It works \
                within five seconds on every running server.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "What to call it; no other key in force may have that name.")
        var name: String
        @Option(help: "When it ends: 90d, 12h, or a moment such as 2027-01-31T00:00:00Z.")
        var expires: String?

        @Option(help: "Bytes of bodies a second on each server, such as 2MiB; more gets a 429.")
        var bytesPerSecond: String?

        @Option(
            help: ArgumentHelp(
                "What it opens, several with commas: "
                    + KeyScope.allCases.map(\.rawValue).joined(separator: ", ") + "."))
        var scope = KeyScope.ingest.rawValue

        private var scopes: [KeyScope?] {
            scope.split(separator: ",", omittingEmptySubsequences: false).map {
                KeyScope(rawValue: String($0))
            }
        }

        func validate() throws {
            guard !name.isEmpty, name.utf8.count <= 100 else {
                throw ValidationError("a name has 1 to 100 bytes")
            }
            guard !scopes.contains(nil) else {
                let known = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--scope: one or several of \(known), with commas")
            }
            if let expires, Moments.end(expires) == nil {
                throw ValidationError("--expires: 90d, 12h, or 2027-01-31T00:00:00Z, in the future")
            }
            if let bytesPerSecond, (Settings.bytes(bytesPerSecond) ?? 0) < 1 {
                throw ValidationError("--bytes-per-second: 500000, 512KiB, 2MiB, at least 1")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            do throws(KeyStoreError) {
                let (record, key) = try KeyStore.create(
                    name: name, scopes: Set(scopes.compactMap(\.self)),
                    expiresAt: expires.flatMap(Moments.end),
                    bytesPerSecond: bytesPerSecond.flatMap(Settings.bytes), on: connection)
                print(key.revealed())
                let end = record.expiresAt.map { "until \(Moments.text($0))" } ?? "until revoked"
                let purpose = record.scopes.joined(separator: ", ")
                FileHandle.standardError.write(
                    Data("\(name): for \(purpose), \(end). It is not shown again.\n".utf8))
            } catch {
                throw Self.complaint(error, name)
            }
        }

        private static func complaint(_ error: KeyStoreError, _ name: String) -> Complaint {
            switch error {
            case .nameTaken:
                Complaint("there is a key \"\(name)\" in force; revoke it first", code: EX_USAGE)
            case .noRandomness: Complaint(.noRandomness)
            case .database(let error): Complaint(error)
            }
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all keys, revoked ones too. Keys themselves are nowhere.")

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
            abstract: "Withdraw a key; running servers refuse it within five seconds.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The key's name.")
        var name: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            guard try KeyStore.revoke(name: name, on: connection) != nil else {
                throw Complaint("there is no key \"\(name)\" in force", code: EX_DATAERR)
            }
            print("revoked \(name)")
        }
    }
}
