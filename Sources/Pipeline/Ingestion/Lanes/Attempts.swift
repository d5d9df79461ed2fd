import Postgres

/// The attempts at one group: what follows on each that failed; decides only.
struct Attempts {
    enum Next: Equatable {
        /// Another attempt, after a pause.
        case pause
        /// Another attempt after a pause, over a new session.
        case reconnect
        /// Ask the database whether days of the group have no partitions, and tell ``foundAllDays()``
        /// if all have.
        case askForDays
        /// The group is not committed. The lane goes on.
        case fail
        /// The group is not committed, and no other will be until the database answers a beat.
        case goAway
    }

    /// Attempts after ``giveUpAt`` that a group may lose to deadlocks.
    static let deadlocksMax = 2
    /// Attempts at rows that find no partition though all their days are there.
    static let foundAllDaysMax = 3

    private let giveUpAt: ContinuousClock.Instant
    private var deadlocks = 0
    private var foundAllDaysCount = 0

    init(giveUpAt: ContinuousClock.Instant) { self.giveUpAt = giveUpAt }

    /// - Parameter mayHaveMoved: the failure may come of a shard that is on another node now.
    mutating func next(
        after failure: PostgresError, mayHaveMoved: Bool, now: ContinuousClock.Instant
    ) -> Next {
        let isPatient = now < giveUpAt
        switch failure.failureClass {
        case .partitionMissing:
            return .askForDays
        case .retry:
            if isPatient { return .pause }
            // PostgreSQL looks for a deadlock after `deadlock_timeout`, which is as long as the usual
            // patience. The other side gets its locks now; without the pause this lane could take
            // them once more before it, and be rolled back again.
            guard failure.sqlState == "40P01", deadlocks < Self.deadlocksMax else { return .goAway }
            deadlocks += 1
            return .pause
        case .stop where mayHaveMoved && isPatient:
            // A node looks with each new session where the shard is.
            return .reconnect
        default:
            return .fail
        }
    }

    /// A row found no partition, and all days of its group have theirs. Somebody may have made the
    /// partition between the two, and this session not have heard of it: a session hears of a commit
    /// a moment later than others see it. Or a reading is to blame.
    ///
    /// - Returns: false when a reading is to blame.
    mutating func foundAllDays() -> Bool {
        foundAllDaysCount += 1
        return foundAllDaysCount < Self.foundAllDaysMax
    }
}
