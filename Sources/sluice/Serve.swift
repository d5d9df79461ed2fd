import ArgumentParser
import Foundation
import Instruments
import Logging
import SluiceService

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve until Ctrl-C.",
        usage: "sluice serve [--port PORT] [--data-dir DIR] [--config FILE] [OPTIONS]",
        discussion: """
            Settings come from the command line, then the environment, then the
            file named by --config, then their defaults. The same key works in all:

              sluice serve --set SLUICE_LANES=4
              SLUICE_LANES=4 sluice serve
              echo SLUICE_LANES=4 >sluice.conf; sluice serve --config sluice.conf

            SIGHUP reads the settings again: keys, tokens, quotas, TLS files, and what
            requests and readings may be. Others need a restart.

            \(Settings.helpText)
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Name or address to listen on. Also SLUICE_HOST.")
    var host: String?

    @Option(help: "TCP port; 0 lets the system choose. Also SLUICE_PORT.")
    var port: String?

    @Option(
        help: "Seconds for requests at hand when it is told to stop. Also SLUICE_SHUTDOWN_WITHIN.")
    var drainSeconds: String?

    @Flag(
        help: "Serve users' apps on any address without token or key. Also SLUICE_ALLOW_OPEN.")
    var allowOpen = false

    @Option(help: "trace, debug, info, notice, warning, error or critical. Also SLUICE_LOG_LEVEL.")
    var logLevel: String?

    @Option(help: "logfmt or json. Also SLUICE_LOG_FORMAT.")
    var logFormat: String?

    func run() async throws {
        do throws(StartFailure) {
            try await serve()
        } catch {
            Complaint(error).end()
        }
    }

    private func serve() async throws(StartFailure) {
        let own = [
            ("SLUICE_HOST", host), ("SLUICE_PORT", port),
            ("SLUICE_SHUTDOWN_WITHIN", drainSeconds.map { "\($0)s" }),
            ("SLUICE_ALLOW_OPEN", allowOpen ? "true" : nil),
            ("SLUICE_LOG_LEVEL", logLevel), ("SLUICE_LOG_FORMAT", logFormat),
        ]
        let options = options
        let sources = try options.sources(own)
        let configuration = try sources.configuration()
        LineLogHandler.bootstrap(
            level: configuration.logLevel.level, format: configuration.logFormat)
        let logger = Logger(label: "sluice")
        for key in sources.unknownEnvironmentKeys {
            logger.warning("there is no such setting", metadata: ["key": "\(key)"])
        }
        let interruption = Interruption(logger: logger)
        interruption.trapSignals()
        let supervisor = Supervisor(
            environment: ProcessInfo.processInfo.environment,
            processID: ProcessInfo.processInfo.processIdentifier, logger: logger)
        try await Server(
            configuration: configuration, interruption: interruption, supervisor: supervisor,
            version: SluiceCommand.version, logger: logger
        ) { () throws(StartFailure) in
            try options.sources(own).configuration()
        }.run { announcement in
            Banner(announcement).show()
        }
    }
}
