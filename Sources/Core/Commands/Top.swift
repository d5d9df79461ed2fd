import ArgumentParser
import Foundation
import Server
import Status

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch a running server live.",
        discussion: """
            Shows rates, latencies, lanes, spool, quarantine, the slowest devices, and which stage \
            is the bottleneck and why. Watches the server of this configuration on this machine, \
            or any other server with --url. A server that other machines can reach requires a key: \
            one of SLUICE_APP_KEYS, or one from `sluice keys create NAME --scope status`.

            Press q to quit. Exit codes: 69 nobody answers, 77 the key may not read the status.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Watch this server instead, such as http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "API key. Prefer SLUICE_STATUS_KEY, which no process list shows.")
    var key: String?

    @Option(help: "Time between two reports, 1s to 1h.")
    var interval = "1s"

    @Flag(help: "Print one report as text and exit.")
    var once = false

    @Flag(help: "Print reports as JSON, one per line.")
    var json = false

    func validate() throws {
        guard pause != nil else {
            throw ValidationError("--interval must be a time from 1s to 1h, such as 5s")
        }
    }

    private var pause: Duration? {
        Settings.duration(interval).flatMap { $0 >= .seconds(1) && $0 <= .seconds(3600) ? $0 : nil }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let key = key ?? environment[StatusWatch.keyVariable].flatMap { $0.isEmpty ? nil : $0 }
        let watch: StatusWatch
        do throws(StartFailure) {
            watch =
                if let url {
                    StatusWatch(url: url, key: key)
                } else {
                    StatusWatch(try options.read(), key: key)
                }
        } catch {
            ExitError(error).end()
        }
        guard HTTPAddress.isOne(watch.url) else {
            throw ValidationError("--url must be a URL such as http://127.0.0.1:8080")
        }
        if once || json || isatty(STDOUT_FILENO) == 0 {
            await print(watch)
        } else {
            await TopSession(watch, interval: pause ?? .seconds(1), environment).run()
        }
    }

    /// Prints text or JSON without controlling a terminal: one report, or one after the other.
    private func print(_ watch: StatusWatch) async {
        let columns = max(80, Int(ProcessInfo.processInfo.environment["COLUMNS"] ?? "") ?? 0)
        var shownAt: ContinuousClock.Instant?
        for await event in watch.events() {
            switch event {
            case .report(let report, let text):
                // Reports arrive once a second, more or less.
                let pause = (pause ?? .seconds(1)) - .milliseconds(500)
                if let shownAt, ContinuousClock.now - shownAt < pause { continue }
                shownAt = .now
                if json {
                    JSONOutput.show(text)
                } else {
                    Swift.print(Self.text(report, url: watch.url, columns: columns))
                }
                fflush(nil)
                if once || !json { return }
            case .lost(let loss):
                // A server that restarts is back soon. Don't wait for a server that was never
                // there.
                if loss.isFinal || shownAt == nil || once { ExitError(loss, at: watch.url).end() }
            }
        }
    }

    private static func text(_ report: StatusReport, url: String, columns: Int) -> String {
        var state = TopState(url: url)
        state.link = .live
        state.report = report
        let lines = TopView(state, columns: columns).lines(rows: 10_000)
        return lines.map { line in
            var text = line.text[...]
            while text.last == " " { text = text.dropLast() }
            return String(text)
        }.joined(separator: "\n")
    }
}
