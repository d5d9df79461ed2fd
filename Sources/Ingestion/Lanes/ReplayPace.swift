/// When a lane may take a group of the backlog; decides only.
///
/// While there are live batches the backlog gets a share of the lane's time. It begins with little of
/// it and doubles that every second: when a database comes back, sessions are new, caches are cold,
/// clients return all at once, and the first of the backlog's devices are unknown. Without this the
/// first third of a second took both cores and held up live batches by 70 ms.
struct ReplayPace {
    private let share: Double
    private var nextAt: ContinuousClock.Instant
    private var liveAt: ContinuousClock.Instant?
    /// The groups of the backlog that followed on each other: when the first of them began, and when
    /// the last had ended.
    private var stretch: (beganAt: ContinuousClock.Instant, lastAt: ContinuousClock.Instant)?

    /// Without live batches for this long the backlog gets all of the time.
    static let liveMemory: Duration = .seconds(1)
    /// The share that a replay begins with.
    static let firstShare = 0.02
    /// Without a group of the backlog for this long the next one begins anew.
    static let stretchGapMax: Duration = .seconds(5)

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
        var beganAt = start
        if let stretch, start - stretch.lastAt < Self.stretchGapMax { beganAt = stretch.beganAt }
        stretch = (beganAt, end)
        nextAt = end + (end - start) * (1 / share(after: end - beganAt) - 1)
    }

    private func share(after duration: Duration) -> Double {
        var risen = Self.firstShare
        for _ in 0..<min(duration.components.seconds, 8) { risen *= 2 }
        return min(share, risen)
    }
}
