import Access
import ArgumentParser
import Dispatch
import Foundation
import Instruments
import Logging
import SluiceService
import Synchronization

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until Ctrl-C.",
        usage: "sluice serve [--port PORT] [--data-dir DIR] [--config FILE] [OPTIONS]",
        discussion: """
            A setting is taken from the command line, the environment, the file
            named by --config, or its default, in this order:

              sluice serve --set SLUICE_LANES=4
              SLUICE_LANES=4 sluice serve
              echo SLUICE_LANES=4 >sluice.conf; sluice serve --config sluice.conf

            SIGHUP reloads keys, tokens, quotas, TLS files, and the limits of requests
            and readings. Other settings need a restart.

            \(Settings.helpText)
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Name or address to listen on. Also SLUICE_HOST.")
    var host: String?

    @Option(help: "TCP port; 0 lets the system choose. Also SLUICE_PORT.")
    var port: String?

    @Option(
        help: "Seconds to finish open requests after a stop signal. Also SLUICE_SHUTDOWN_WITHIN.")
    var drainSeconds: String?

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
        for (key, fault) in sources.unknownEnvironmentKeys {
            logger.warning("\(fault)", metadata: ["key": "\(key)"])
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

/// Handles SIGINT, SIGTERM and SIGHUP during its lifetime, so that a command can clean up.
final class StopSignals {
    private final class Seen: Sendable {
        let signal = Atomic<Int32>(0)
    }

    private let seen = Seen()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter stop: called on a global queue for each signal.
    init(_ stop: @escaping @Sendable () -> Void) {
        let seen = seen
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                seen.signal.store(number, ordering: .relaxed)
                stop()
            }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// The latest signal; nil: none.
    var last: Int32? {
        let number = seen.signal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }
}

/// What `serve` prints when clients can connect: the addresses, what they are for, and a curl
/// command to try.
struct Banner {
    let text: String

    /// - Parameter showsKey: prints a generated key. By default only to a terminal, because other
    ///   output may be a log.
    init(_ announcement: Announcement, showsKey: Bool = isatty(STDOUT_FILENO) == 1) {
        let place = "\(ReachableHost.name(announcement.host)):\(announcement.port)"
        let url = (announcement.isSecure ? "https://" : "http://") + place
        var lines = ["", "  Sluice \(SluiceCommand.version) is serving.", ""]
        func line(_ name: String, _ value: String) {
            lines.append("  " + name.padding(toLength: 10, withPad: " ", startingAt: 0) + value)
        }
        line("address", "\(url)/ingest")
        let sockets = (announcement.isSecure ? "wss://" : "ws://") + place
        line("captures", "POST /upload/{id} and \(sockets)/ws/ios/{user}")
        line("meals", "POST /api/v1/meal-logs/natural and \(sockets)/ws/meal-logs")
        line("journal", "POST /api/users/user/{user}/moods/swift and similar routes")
        line("routes", "all routes are documented at \(url)/docs")
        line("watch", "\(url)/status or \(Self.program) top --url \(url)")
        line("open to", Self.audience(announcement.openness))
        line("data", announcement.dataDirectory)
        switch announcement.store {
        case .privateCluster(let home, let isNew, let analystPort):
            line("database", "private PostgreSQL\(isNew ? ", new," : "") in \(home)")
            if let analystPort {
                line("SQL", "127.0.0.1:\(analystPort), for roles of \(Self.program) analyst create")
            }
        case .server(let host, let database):
            line("database", "\(database) on \(host)")
        }
        let option =
            announcement.dataDirectory == DataDirectory("./var").path
            ? "" : " --data-dir '\(announcement.dataDirectory)'"
        line("look", "\(Self.program) psql\(option) -c 'select * from analytics.gps'")
        let header: String
        switch announcement.keys {
        case .made(let key, let path) where showsKey:
            line("key", "\(key.revealed())  (new, stored in \(path))")
            header = "\"X-API-Key: \(key.revealed())\""
        case .made(_, let path), .kept(let path):
            line("key", "in \(path)")
            header = "\"X-API-Key: $(cat '\(path)')\""
        case .configured(let count):
            line("key", count == 1 ? "INGEST_API_KEY" : "INGEST_API_KEY, \(count) keys")
            header = "\"X-API-Key: KEY\""
        }
        lines += [
            "", "  Try it\(header.hasSuffix(": KEY\"") ? ", with your key" : ""):", "",
            "curl -X POST \(url)/ingest \\",
            "  -H \"Content-Type: application/json\" \\",
            "  -H \(header) \\",
            "  -d '\(Self.sample(at: Date()))'",
            "", "  Ctrl-C stops it.", "", "",
        ]
        text = lines.joined(separator: "\n")
    }

    func show() {
        print(text, terminator: "")
        fflush(nil)
    }

    private static func audience(_ openness: Openness) -> String {
        switch openness {
        case .nothing: "clients with a token or a key"
        case .userInPath:
            "everybody, without token or key: captures and the journal of every user"
        case .everything:
            "everybody, without token or key, except /ingest and, from elsewhere, /status"
        }
    }

    /// The name that the program was called by: in a checkout it is not in PATH.
    private static var program: String {
        let called = CommandLine.arguments.first ?? ""
        return called.contains("/") ? called : "sluice"
    }

    /// One reading of each kind, the latest at `now`.
    static func sample(at now: Date) -> String {
        func time(_ secondsAgo: Double) -> String {
            now.addingTimeInterval(-secondsAgo).formatted(.iso8601)
        }
        let readings = [
            #"{"t":"\#(time(0))","type":"gps","lat":34.0522,"lon":-118.2437,"acc":5.0}"#,
            #"{"t":"\#(time(5))","type":"vital","code":1,"val":72}"#,
            #"{"t":"\#(time(10))","type":"event","label":"motion_state","val_text":"walking"}"#,
        ]
        return #"{"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0","#
            + #""model_name":"iPhone 15 Pro"},"data":["# + readings.joined(separator: ",") + "]}"
    }
}

/// Checks URLs for HTTP.
enum HTTPAddress {
    static func isOne(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host() else { return false }
        return !host.isEmpty && ["http", "https"].contains(url.scheme?.lowercased())
    }
}
