/// When a lane may take a group of the backlog; decides only.
struct ReplayPace {
    private let share: Double
    private var nextAt: ContinuousClock.Instant
    private var liveAt: ContinuousClock.Instant?

    /// Without live batches for this long the backlog gets all of the time.
    static let liveMemory: Duration = .seconds(1)

    init(sharePercent: Int, now: ContinuousClock.Instant) {
        precondition((1...100).contains(sharePercent), "BUG: sharePercent=\(sharePercent)")
        share = Double(sharePercent) / 100
        nextAt = now
    }

    /// - Parameter hadLive: live batches were taken just now.
    mutating func mayReplay(now: ContinuousClock.Instant, hadLive: Bool) -> Bool {
        if hadLive { liveAt = now }
        guard let liveAt, now - liveAt < Self.liveMemory else { return true }
        return now >= nextAt
    }

    /// A group of the backlog took this time: the next one waits until that was its share.
    mutating func replayed(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        nextAt = end + (end - start) * (1 / share - 1)
    }
}
