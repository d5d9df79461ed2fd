import Postgres

/// Whether a lane's database takes groups, and when to ask it again; decides only.
///
/// *Up*: groups are written, and a failed one is retried for a while. *Away*: a group was given up,
/// and batches go to the spool at once, without retries, until a beat proves that rows can be
/// written again.
struct LaneHealth {
    enum Phase: Equatable {
        case up
        /// With the failure that caused it.
        case away(PostgresError, nextBeatAt: ContinuousClock.Instant)
    }

    private(set) var phase: Phase
    private var backoff: Duration
    private let backoffMin: Duration
    private let backoffMax: Duration

    /// Away until the first beat, which is due at once.
    init(_ configuration: IngestionConfiguration, now: ContinuousClock.Instant) {
        backoffMin = configuration.backoffMin
        backoffMax = configuration.backoffMax
        backoff = backoffMin
        phase = .away(
            PostgresError(.connectionFailed, message: "not connected yet"), nextBeatAt: now)
    }

    var isUp: Bool { phase == .up }

    /// Why groups are not even tried.
    var failure: PostgresError? {
        if case .away(let failure, _) = phase { failure } else { nil }
    }

    func isBeatDue(now: ContinuousClock.Instant) -> Bool {
        if case .away(_, let nextBeatAt) = phase { now >= nextBeatAt } else { false }
    }

    /// A beat or a group was committed.
    mutating func succeeded() {
        phase = .up
        backoff = backoffMin
    }

    /// A group or a beat was given up.
    mutating func gaveUp(_ failure: PostgresError, now: ContinuousClock.Instant) {
        phase = .away(failure, nextBeatAt: now + backoff)
        backoff = min(backoff * 2, backoffMax)
    }

    /// How long to wait before the next attempt at the same group.
    mutating func pauseBeforeRetry() -> Duration {
        defer { backoff = min(backoff * 2, backoffMax) }
        return backoff
    }
}

/// When a lane may take a group of the backlog; decides only.
///
/// While there are live batches, the backlog gets a share of the lane's time. The share starts
/// small and doubles every second: when a database recovers, sessions are new, caches are cold,
/// clients return all at once, and the backlog's first devices are unknown. Without this, the first
/// third of a second used both cores and delayed live batches by 70 ms.
struct ReplayPace {
    private let share: Double
    private var nextAt: ContinuousClock.Instant
    private var liveAt: ContinuousClock.Instant?
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

    /// - Parameter hadLive: live batches were taken just now.
    mutating func mayReplay(now: ContinuousClock.Instant, hadLive: Bool) -> Bool {
        if hadLive { liveAt = now }
        guard let liveAt, now - liveAt < Self.liveMemory else { return true }
        return now >= nextAt
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
