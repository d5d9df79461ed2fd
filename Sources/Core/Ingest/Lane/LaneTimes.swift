import Instruments
import Readings
import Scanner
import Synchronization

/// How a lane has spent its time, and how long batches waited for it and stayed in it. These are
/// sums since the start. Their differences over an interval give rates, busy shares and, by
/// Little's law, the average number of batches in each stage.
struct LaneTimes: Sendable {
    /// Live batches (parts of them, and units) taken from the queue.
    private(set) var batches = 0
    /// Time between offer and group, over all batches.
    private(set) var wait = Duration.zero
    /// Time between group and answer, over all batches.
    private(set) var stay = Duration.zero
    /// Committed transactions, including the backlog's.
    private(set) var groups = 0
    /// Times of committed transactions; the rest of `busy` is failed attempts, the pauses between
    /// them, and answers.
    private(set) var steps = GroupTimes()
    /// Time spent committing a group.
    private(set) var busy = Duration.zero
    /// When the current group began, and how many live batches it has.
    private var current: (since: ContinuousClock.Instant, batches: Int)?

    mutating func begin(
        _ batches: Int, waited: Duration, now: ContinuousClock.Instant
    ) {
        self.batches += batches
        wait += waited
        current = (now, batches)
    }

    mutating func end(now: ContinuousClock.Instant) {
        self = self.seen(at: now)
        current = nil
    }

    mutating func committed(_ times: GroupTimes) {
        groups += 1
        steps += times
    }

    /// Includes the current group's time so far, so that a lane stuck in one counts as busy.
    func seen(at now: ContinuousClock.Instant) -> LaneTimes {
        guard let current else { return self }
        var seen = self
        let elapsed = max(.zero, now - current.since)
        seen.busy += elapsed
        seen.stay += elapsed * current.batches
        seen.current = (max(now, current.since), current.batches)
        return seen
    }
}
