/// What a lane takes next: live batches or the backlog; decides only.
///
/// A group of live batches, then one of the backlog, and so on, until both find nothing. While
/// there are live batches, the backlog's groups are small, because a live batch waits for one of
/// them, and the backlog gets only a share of the lane's time; the rest of it waits for the next
/// live batch or tick. The share starts small and doubles every second: when a database recovers,
/// sessions are new, caches are cold, clients return all at once, and the backlog's first devices
/// are unknown. Without this, the first third of a second used both cores and delayed live batches
/// by 70 ms.
struct LaneTurns {
    enum Turn: Equatable {
        case live
        case backlog(Portion)
    }

    /// How much of the backlog a turn takes.
    enum Portion {
        /// Only device batches that the lane holds already.
        case held
        /// As little as a live batch may wait for.
        case small
        /// As much as of live batches.
        case large
    }

    private let share: Double
    private var turn: Turn?
    /// Live batches were taken in this round.
    private var hadLive = false
    private var liveAt: ContinuousClock.Instant?
    private var nextAt: ContinuousClock.Instant
    /// The current run of backlog groups: when the first began, and when the last ended.
    private var stretch: (beganAt: ContinuousClock.Instant, lastAt: ContinuousClock.Instant)?

    /// Without live batches for this long the backlog gets all of the time.
    static let liveMemory: Duration = .seconds(1)
    /// The share that a replay begins with.
    static let firstShare = 0.02
    /// After this long without a backlog group, the share starts small again.
    static let stretchGapMax: Duration = .seconds(5)

    init(sharePercent: Int, now: ContinuousClock.Instant) {
        precondition((1...100).contains(sharePercent), "BUG: sharePercent=\(sharePercent)")
        share = Double(sharePercent) / 100
        nextAt = now
    }

    /// - Parameters:
    ///   - taken: what the last turn took; any number at the first.
    ///   - isClosing: the backlog is taken without a limit, to be handed back.
    /// - Returns: nil: nothing is left that may be taken now.
    mutating func next(
        taken: Int, isClosing: Bool = false, now: ContinuousClock.Instant
    ) -> Turn? {
        switch turn {
        case nil:
            turn = .live
        case .live:
            hadLive = taken > 0
            if hadLive { liveAt = now }
            turn = .backlog(isClosing ? .large : portion(now))
        case .backlog:
            turn = hadLive || taken > 0 ? .live : nil
        }
        return turn
    }

    private func portion(_ now: ContinuousClock.Instant) -> Portion {
        guard let liveAt, now - liveAt < Self.liveMemory else { return .large }
        return now >= nextAt ? .small : .held
    }

    /// Notes how long a backlog group took. The next one waits until that time is within the share.
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
