import SluiceService
import Status

/// What has happened so far, as far as it is shown. A value; knows no terminal and no clock.
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

    /// How long it is said that the server was restarted.
    private static let restartToldFor = Duration.seconds(60)

    init(url: String, interval: Duration) {
        self.url = url
        self.interval = interval
    }

    /// Why the watch has ended by itself.
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
            // Half a second: reports come a second apart, give or take.
            if wasLive, let shownAt, now - shownAt < interval - .milliseconds(500) { return }
            report = new
            shownAt = now
        case .lost(let why):
            isLive = false
            // What was there first says more than that nobody answers afterwards.
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
