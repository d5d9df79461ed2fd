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
