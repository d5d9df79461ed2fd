import ArgumentParser
import Foundation
import SluiceService
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

    @Option(help: "Seconds between two reports, 1 to 3600.")
    var interval = 1.0

    @Flag(help: "Print one report as text and exit.")
    var once = false

    @Flag(help: "Print reports as JSON, one per line.")
    var json = false

    func validate() throws {
        guard interval >= 1, interval <= 3600 else {
            throw ValidationError("--interval must be 1 to 3600 seconds")
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
            throw ValidationError("--url must be a URL such as http://127.0.0.1:8080")
        }
        if once || json || isatty(STDOUT_FILENO) == 0 {
            await print(watch)
        } else {
            await TopSession(watch, interval: .seconds(interval), environment).run()
        }
    }

    /// Prints text or JSON without controlling a terminal: one report, or one after the other.
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
                // A server that restarts is back soon. Don't wait for a server that was never
                // there.
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

/// The terminal of `sluice top`: enters the alternate screen, draws, and restores the old state.
///
/// Used by one task. After a crash the alternate screen stays; `reset` restores it.
struct TopTerminal {
    private var device = TerminalDevice(input: STDIN_FILENO, output: STDOUT_FILENO)
    private var size: (columns: Int, rows: Int)?
    private let hasColor: Bool
    private let hasUnicode: Bool

    /// Colours depend on `NO_COLOR` and `TERM`, characters other than ASCII on the locale.
    init(_ environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        hasColor =
            (environment["NO_COLOR"] ?? "").isEmpty && !terminal.isEmpty && terminal != "dumb"
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
            .first { !$0.isEmpty } ?? ""
        hasUnicode = locale.uppercased().contains("UTF")
    }

    mutating func take() {
        device.takeKeys()
        size = nil
        device.write(Screen.enter)
    }

    mutating func giveBack() {
        device.write(Screen.leave)
        device.giveKeysBack()
    }

    /// Draws the result of `lines` for the current size of the terminal.
    mutating func draw(_ lines: (_ columns: Int, _ rows: Int) -> [TerminalLine]) {
        let now = device.size ?? (80, 24)
        let screen = Screen(
            columns: now.columns, rows: now.rows, hasColor: hasColor, hasUnicode: hasUnicode)
        // After a change of size the screen may contain anything.
        let hasChanged = size.map { $0 != now } ?? false
        size = now
        device.write((hasChanged ? Screen.clear : "") + screen.frame(lines(now.columns, now.rows)))
    }
}

/// The state of `sluice top`. A value without a terminal or a clock.
struct TopModel {
    private let url: String
    private let interval: Duration
    private var report: StatusReport?
    private var shownAt: ContinuousClock.Instant?
    private var heardAt: ContinuousClock.Instant?
    private var isLive = false
    private var loss: StatusWatch.Loss?
    private var lostAt: ContinuousClock.Instant?
    private var restartedAt: ContinuousClock.Instant?

    /// How long the restart of the server is shown.
    private static let restartToldFor = Duration.seconds(60)

    init(url: String, interval: Duration) {
        self.url = url
        self.interval = interval
    }

    /// Why the watch ended, if it did.
    var finalLoss: StatusWatch.Loss? { loss.flatMap { $0.isFinal ? $0 : nil } }

    mutating func happened(_ event: StatusWatch.Event, now: ContinuousClock.Instant) {
        switch event {
        case .report(let new, _):
            if let report, new.uptimeSeconds < report.uptimeSeconds { restartedAt = now }
            heardAt = now
            loss = nil
            lostAt = nil
            let wasLive = isLive
            isLive = true
            // Half a second less, because reports are only about a second apart.
            if wasLive, let shownAt, now - shownAt < interval - .milliseconds(500) { return }
            report = new
            shownAt = now
        case .lost(let why):
            isLive = false
            // The first loss says more than later failures to connect.
            if loss == nil || why.isFinal { loss = why }
            lostAt = lostAt ?? heardAt ?? now
        }
    }

    func state(now: ContinuousClock.Instant) -> TopState {
        var state = TopState(url: url)
        state.report = report
        state.hint = "q quits"
        if let loss, let lostAt {
            state.link = .lost(
                secondsAgo: Int((now - lostAt) / .seconds(1)), why: Complaint.text(loss))
        } else if isLive {
            state.link = .live
        }
        if let restartedAt, now - restartedAt < Self.restartToldFor {
            state.restartedSecondsAgo = Int((now - restartedAt) / .seconds(1))
        }
        return state
    }
}
