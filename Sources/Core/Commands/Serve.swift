import Auth
import ArgumentParser
import Dispatch
import Foundation
import Instruments
import Logging
import Server
import Synchronization

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until Ctrl-C.",
        usage: "sluice serve [--port PORT] [--data-dir DIR] [--config FILE] [OPTIONS]",
        discussion: """
            A setting is taken from the command line, the environment, the file
            named by --config, or its default, in this order. A setting that is secret may
            also be in a file: SLUICE_JWT_SECRET_FILE=/path, or a credential of systemd
            (LoadCredential=SLUICE_JWT_SECRET:/path).

              sluice serve --set SLUICE_LANES=4
              SLUICE_LANES=4 sluice serve
              echo SLUICE_LANES=4 >sluice.conf; sluice serve --config sluice.conf

            SIGHUP reloads keys, tokens, quotas, TLS files, and the limits of requests
            and readings. Other settings need a restart.

            \(Settings(apps: BuiltIn.apps).helpText)
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Name or address to listen on. Also SLUICE_HOST.")
    var host: String?

    @Option(help: "TCP port; 0 lets the system choose. Also SLUICE_PORT.")
    var port: String?

    @Option(
        help: "Time for open requests after a stop signal: 45s. Also SLUICE_SHUTDOWN_WITHIN.")
    var drain: String?

    @Flag(
        help: ArgumentHelp(
            "Serve users' apps without token or key on any address. Also SLUICE_ALLOW_OPEN.",
            discussion: "Not the status page, its events and its map, which need a key there."))
    var allowOpen = false

    @Option(help: "trace, debug, info, notice, warning, error or critical. Also SLUICE_LOG_LEVEL.")
    var logLevel: String?

    @Option(help: "logfmt or json. Also SLUICE_LOG_FORMAT.")
    var logFormat: String?

    func run() async throws {
        do throws(StartFailure) {
            try await serve()
        } catch {
            ExitError(error).end()
        }
    }

    /// The document with the version and the commit of this program.
    static func released(_ document: [UInt8]) -> [UInt8] {
        let place = #""version": "\#(CoreCommands.version)""#
        let commit = CoreCommands.commit.map { #", "x-commit": "\#($0)""# } ?? ""
        return document.replacing(place.utf8, with: (place + commit).utf8, maxReplacements: 1)
    }

    private func serve() async throws(StartFailure) {
        let own = [
            ("SLUICE_HOST", host), ("SLUICE_PORT", port),
            ("SLUICE_SHUTDOWN_WITHIN", drain),
            ("SLUICE_ALLOW_OPEN", allowOpen ? "true" : nil),
            ("SLUICE_LOG_LEVEL", logLevel), ("SLUICE_LOG_FORMAT", logFormat),
        ]
        let options = options
        let sources = try options.sources(own)
        let configuration = try sources.configuration()
        options.becomeServiceUser(configuration, sources)
        let environment = ProcessInfo.processInfo.environment
        LineLogHandler.bootstrap(
            level: configuration.logLevel.level, format: configuration.logFormat,
            hasPriority: JournalStream.isBehind(STDERR_FILENO, environment: environment))
        let logger = Logger(label: "sluice")
        for (key, fault) in sources.unknownEnvironmentKeys + sources.formerKeys {
            logger.warning("\(fault)", metadata: ["key": "\(key)"])
        }
        let interruption = Interruption(logger: logger)
        interruption.trapSignals()
        let supervisor = Supervisor(
            environment: environment,
            processID: ProcessInfo.processInfo.processIdentifier, logger: logger)
        try await Server(
            configuration: configuration, interruption: interruption, supervisor: supervisor,
            version: CoreCommands.version, commit: CoreCommands.commit,
            document: BuiltIn.document.map(Self.released), logger: logger
        ) { () throws(StartFailure) in
            try options.sources(own).configuration()
        }.run { announcement in
            // The journal has the line that says where the server listens.
            if !JournalStream.isBehind(STDOUT_FILENO, environment: environment) {
                Banner(announcement, options: options.repeated(configuration, sources)).show()
            }
        }
    }
}
