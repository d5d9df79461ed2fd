import ArgumentParser
import Foundation
import SluiceService
import Status

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a running server does, live.",
        discussion: """
            Rates, latencies, lanes, spool, quarantine, slowest devices, and which stage is the \
            bottleneck and why. The server is the one that the configuration describes, on this \
            machine; or any other with --url. A server that other machines reach wants a key: one \
            of SLUICE_APP_KEYS, or one made with `sluice keys create NAME --scope status`.

            Keys: q leaves. Exit code 69: nobody answers; 77: the key may not see this.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Watch this server instead, such as http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "API key; better in SLUICE_STATUS_KEY, which no list of processes shows.")
    var key: String?

    @Option(help: "Seconds between two looks, 1 to 3600.")
    var interval = 1.0

    @Flag(help: "Print one report as text and end.")
    var once = false

    @Flag(help: "Print reports as JSON, one a line.")
    var json = false

    func validate() throws {
        guard interval >= 1, interval <= 3600 else {
            throw ValidationError("--interval takes seconds, from 1 to 3600")
        }
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
            Complaint(error).end()
        }
        guard HTTPAddress.isOne(watch.url) else {
            throw ValidationError("--url takes a URL such as http://127.0.0.1:8080")
        }
        if once || json || isatty(STDOUT_FILENO) == 0 {
            await print(watch)
        } else {
            await TopSession(watch, interval: .seconds(interval), environment).run()
        }
    }

    /// Without a terminal: text or JSON, one report or one after the other.
    private func print(_ watch: StatusWatch) async {
        let columns = max(80, Int(ProcessInfo.processInfo.environment["COLUMNS"] ?? "") ?? 0)
        var shownAt: ContinuousClock.Instant?
        for await event in watch.events() {
            switch event {
            case .report(let report, let text):
                if let shownAt, ContinuousClock.now - shownAt < .seconds(interval - 0.5) {
                    continue
                }
                shownAt = .now
                Swift.print(json ? text : Self.text(report, url: watch.url, columns: columns))
                fflush(nil)
                if once || !json { return }
            case .lost(let loss):
                // A server that is being restarted is back soon; nobody waits for one that is not.
                if loss.isFinal || shownAt == nil || once { Complaint(loss, watch.url).end() }
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
