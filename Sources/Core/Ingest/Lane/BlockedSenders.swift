/// Senders that a lane could not write while it could write others, and when each is tried again;
/// decides only.
///
/// Such a sender is tried by itself, after a pause that doubles each time, so it does not delay
/// others again. In the meantime its batches go to the spool at once. Trials that fail may use a
/// small share of the lane's time.
struct BlockedSenders {
    enum Standing {
        /// Nothing is known against it.
        case free
        /// It is written, but not together with others.
        case alone
        /// It is to be tried again, by itself.
        case due
        /// It is not tried yet.
        case waiting
    }

    private struct Entry {
        /// Times that it was not written; 0: its batches were written in parts.
        var failures: Int
        var dueAt: ContinuousClock.Instant
        var touchedAt: ContinuousClock.Instant
    }

    /// Senders that are remembered. Others delay their lane each time.
    static let countMax = 10_000
    static let pauseMin: Duration = .milliseconds(500)
    static let pauseMax: Duration = .seconds(15)
    /// A sender is forgotten after this long without a batch.
    static let memory: Duration = .seconds(180)
    /// After a trial that failed, this many times its time passes before the next one.
    static let trialRest = 7

    private var entries: [Sender: Entry] = [:]
    private var nextTrialAt: ContinuousClock.Instant?

    var isEmpty: Bool { entries.isEmpty }
    /// Those that are not written at all.
    private(set) var count = 0

    func standing(of sender: Sender, now: ContinuousClock.Instant) -> Standing {
        guard let entry = entries[sender] else { return .free }
        if entry.failures == 0 { return .alone }
        if let nextTrialAt, now < nextTrialAt { return .waiting }
        return now >= entry.dueAt ? .due : .waiting
    }

    /// It could not be written.
    mutating func block(_ sender: Sender, now: ContinuousClock.Instant) {
        let known = entries[sender]
        guard known != nil || entries.count < Self.countMax else { return }
        let failures = known?.failures ?? 0
        if failures == 0 { count += 1 }
        var pause = Self.pauseMin
        for _ in 0..<min(failures, 30) where pause < Self.pauseMax { pause *= 2 }
        entries[sender] = Entry(
            failures: failures + 1, dueAt: now + min(pause, Self.pauseMax), touchedAt: now)
    }

    /// It was written, in smaller parts than the others.
    mutating func setApart(_ sender: Sender, now: ContinuousClock.Instant) {
        free(sender)
        guard entries.count < Self.countMax else { return }
        entries[sender] = Entry(failures: 0, dueAt: now, touchedAt: now)
    }

    /// It was written.
    mutating func free(_ sender: Sender) {
        guard let entry = entries.removeValue(forKey: sender) else { return }
        if entry.failures > 0 { count -= 1 }
    }

    /// A trial took this long for nothing.
    mutating func trialFailed(
        from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) {
        nextTrialAt = end + (end - start) * Self.trialRest
    }

    /// A batch of it went to the spool without a trial.
    mutating func touch(_ sender: Sender, now: ContinuousClock.Instant) {
        entries[sender]?.touchedAt = now
    }

    mutating func forgetQuiet(now: ContinuousClock.Instant) {
        guard !entries.isEmpty else { return }
        for (sender, entry) in entries where now - entry.touchedAt > Self.memory { free(sender) }
    }
}
