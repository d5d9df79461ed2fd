import ArgumentParser
import OperatorErrors
import Server
import Status

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
                secondsAgo: Int((now - lostAt) / .seconds(1)), why: loss.operatorText)
        } else if isLive {
            state.link = .live
        }
        if let restartedAt, now - restartedAt < Self.restartToldFor {
            state.restartedSecondsAgo = Int((now - restartedAt) / .seconds(1))
        }
        return state
    }
}
