import Auth
import ArgumentParser
import Foundation
import HTTP
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

                For a person's phone: sluice keys create --for overland --user ann. Then the \
                output is the URL to paste into the app, with the key in it, and a QR code. Apps: \
                \(Create.names.joined(separator: ", ")).
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(
            help: "The key's name; no other key in force may have it. Not needed with --for.")
        var name: String?

        @Option(help: "Brings the readings of this user only; another's are refused.")
        var user: String?

        @Option(help: "Brings the readings of this device only; another's are refused.")
        var device: String?

        @Option(
            name: .customLong("for"), help: "Prints the URL to paste into this app, and a QR code.")
        var app: String?

        @Option(
            help: ArgumentHelp(
                "With --for: the server's address as the phone sees it, such as "
                    + "https://sluice.example.org. By default SLUICE_PUBLIC_URL, or host and port.")
        )
        var url: String?

        @Flag(help: "With --for: prints the QR code also where there is no terminal.")
        var qr = false

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

        /// Of the programs that `--for` knows.
        private static var names: [String] { BuiltIn.apps.flatMap { $0.inputs.map(\.name) } }

        private var guide: InputGuide? {
            BuiltIn.apps.flatMap(\.inputs).first { $0.name == app }
        }

        /// That on the command line, else one of the app and whose key it is.
        private var keyName: String {
            name ?? [user, device, app].compactMap(\.self).joined(separator: "-")
        }

        func validate() throws {
            if let app, guide == nil {
                let known = Self.names.isEmpty ? "no app" : Self.names.joined(separator: ", ")
                let nearest = Suggestion.nearest(to: app, among: Self.names)
                throw ValidationError(
                    "--for knows \(known)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
            }
            guard name != nil || app != nil && (user ?? device) != nil else {
                throw ValidationError("a name is needed, or --for with --user or --device")
            }
            guard !keyName.isEmpty, keyName.utf8.count <= 100 else {
                throw ValidationError("the name must have 1 to 100 bytes")
            }
            try validateBinding()
            if app == nil, url != nil || qr {
                throw ValidationError("--url and --qr go with --for")
            }
            if let url, PublicURL(configured: url) == nil {
                throw ValidationError("--url must be such as https://sluice.example.org")
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

        private func validateBinding() throws {
            for (option, value) in [("--user", user), ("--device", device)] {
                guard let value else { continue }
                let scalars = value.unicodeScalars
                guard (1...128).contains(scalars.count),
                    !scalars.contains(where: { $0.properties.generalCategory == .control })
                else {
                    throw ValidationError(
                        "\(option) must have 1 to 128 characters, none of them for control")
                }
            }
            if app != nil, !scopes.contains(.ingest) {
                throw ValidationError("--for takes a key with the scope ingest")
            }
            if device != nil, scopes != [.ingest] {
                throw ValidationError("--device goes with the scope ingest only")
            }
            if user != nil, scopes.contains(.status) {
                throw ValidationError("the status is everybody's: --user does not go with it")
            }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let (record, key) = try KeyStore.create(
                name: keyName, scopes: Set(scopes.compactMap(\.self)),
                expiresAt: expires.flatMap(Moments.end),
                bytesPerSecond: bytesPerSecond.flatMap(Settings.bytes),
                binding: KeyBinding(user: user, device: device), on: connection)
            let end = record.expiresAt.map { "until \(Moments.text($0))" } ?? "until revoked"
            let purpose = record.scopes.joined(separator: ", ")
            let owner = [
                user.map { ", of the user \($0) only" },
                device.map { ", of the device \($0) only" },
            ].compactMap(\.self).joined()
            let summary = "\(keyName): for \(purpose)\(owner), \(end). It is not shown again.\n"
            guard let guide else {
                print(key.revealed())
                StandardError.write(summary)
                return
            }
            let server = server(configuration)
            print(guide.url(server, key: key.revealed()))
            StandardError.write(summary + guide.place + "\n" + Self.caution(server))
            guard qr || isatty(STDERR_FILENO) == 1 else { return }
            let code = guide.code(server, key: key.revealed(), user: user, device: device)
            guard let drawn = QRCode(code) else { return }
            FileHandle.standardError.write(Data(drawn.terminalText.utf8))
        }

        /// The server's address as clients see it, as far as this machine knows it.
        private func server(_ configuration: ServiceConfiguration) -> String {
            let configured =
                url ?? BuiltIn.apps.compactMap { $0.publicURL(configuration) }.first
            if let text = configured.flatMap({ PublicURL(configured: $0) })?.text { return text }
            let edge = configuration.edge
            return (edge.tls == nil ? "http://" : "https://")
                + "\(ReachableHost.name(edge.host)):\(edge.port)"
        }

        private static func caution(_ server: String) -> String {
            let host = URL(string: server)?.host() ?? ""
            if host == "localhost" || host == "::1" || host.hasPrefix("127.") {
                return "A phone can't reach \(host): give the server's address with --url.\n"
            }
            return server.hasPrefix("https://")
                ? "" : "Without https anybody on the way can read the key.\n"
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all keys, also revoked ones. The keys themselves are not stored.",
            discussion: """
                Keys of the settings and of the data directory come last; they are changed there, \
                not with this command.
                """)

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
                    [key.binding?.user, key.binding?.device.map { "device \($0)" }]
                        .compactMap(\.self).joined(separator: ", "),
                    key.bytesPerSecond.map { "\($0) B/s" } ?? "default",
                    Moments.text(key.createdAt), key.lastUsedAt.map(Moments.text) ?? "never",
                ]
            }
            table.show(
                ["NAME", "KEY", "SCOPES", "STATE", "ONLY FOR", "QUOTA", "CREATED", "LAST USED"],
                rows + Self.configured(configuration))
        }

        /// Keys that are not in the database, without a part of them.
        private static func configured(_ configuration: ServiceConfiguration) -> [[String]] {
            let application = KeyScope.application.union([.status]).map(\.rawValue).sorted()
            return configuration.keySources.flatMap { source in
                (1...max(source.count, 1)).map { number in
                    [
                        source.count > 1 ? "\(source.name) #\(number)" : source.name, "",
                        (source.isApplications ? application : [KeyScope.ingest.rawValue])
                            .joined(separator: ","),
                        "in force", "", "default", "", "",
                    ]
                }
            }
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
