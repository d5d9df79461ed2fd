/// What a lane has done with its time, and how long batches waited for it and stayed in it: sums
/// since the start, of which the difference over an interval gives rates, busy shares and, by
/// Little's law, how many batches there were in each stage on average.
struct LaneTimes: Sendable {
    /// Batches (parts of them, and units) that clients wait for, taken from the queue.
    private(set) var batches = 0
    /// Time between offer and group, over all batches.
    private(set) var wait = Duration.zero
    /// Time between group and answer, over all batches.
    private(set) var stay = Duration.zero
    /// Transactions committed, the backlog's among them.
    private(set) var groups = 0
    /// Of committed transactions; all other time of `busy` went into attempts that failed, pauses
    /// between them, and answers.
    private(set) var steps = GroupTimes()
    /// Time in which there was a group.
    private(set) var busy = Duration.zero
    /// Since when there is one, and how many of its batches somebody waits for.
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

    /// With the part of the group at hand that is over: a lane that is stuck in one is busy.
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

/// Where the time of a group's transaction went.
package struct GroupTimes: Sendable {
    /// BEGIN, locking and reading the devices' rows, registering new devices.
    package var claim = Duration.zero
    /// Looking up what may be stored already, and all that is not one of the others.
    package var sift = Duration.zero
    /// Sending the rows and sums, statements of units.
    package var copy = Duration.zero
    /// From the last row sent to the answer to COMMIT: PostgreSQL tells of both together.
    package var commit = Duration.zero

    package init() {}

    static func += (sum: inout GroupTimes, other: GroupTimes) {
        sum.claim += other.claim
        sum.sift += other.sift
        sum.copy += other.copy
        sum.commit += other.commit
    }
}
