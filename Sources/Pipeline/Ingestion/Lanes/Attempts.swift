import Postgres

/// Decides what follows each failed attempt at one group.
struct Attempts {
    enum Next: Equatable {
        /// Another attempt, after a pause.
        case pause
        /// Another attempt after a pause, over a new session.
        case reconnect
        /// Ask the database whether days of the group lack partitions; if none does, call
        /// ``foundAllDays()``.
        case askForDays
        /// The group is not committed. The lane goes on.
        case fail
        /// The group is not committed, and no other will be until the database answers a beat.
        case goAway
    }

    /// Attempts after ``giveUpAt`` that a group may lose to deadlocks.
    static let deadlocksMax = 2
    /// Attempts when a row finds no partition though all days exist.
    static let foundAllDaysMax = 3

    private let giveUpAt: ContinuousClock.Instant
    private var deadlocks = 0
    private var foundAllDaysCount = 0

    init(giveUpAt: ContinuousClock.Instant) { self.giveUpAt = giveUpAt }

    /// - Parameter mayHaveMoved: the cause may be a shard that moved to another node.
    mutating func next(
        after failure: PostgresError, mayHaveMoved: Bool, now: ContinuousClock.Instant
    ) -> Next {
        let isPatient = now < giveUpAt
        switch failure.failureClass {
        case .partitionMissing:
            return .askForDays
        case .retry:
            if isPatient { return .pause }
            // PostgreSQL looks for a deadlock after `deadlock_timeout`, whose default equals that
            // of `patience`. The other transaction gets its locks now. Without the pause this
            // lane could take them again first, and be rolled back again.
            guard failure.sqlState == "40P01", deadlocks < Self.deadlocksMax else { return .goAway }
            deadlocks += 1
            return .pause
        case .stop where mayHaveMoved && isPatient:
            // With each new session a node looks up where the shard is.
            return .reconnect
        default:
            return .fail
        }
    }

    /// A row found no partition, though all days of its group have theirs. Either a partition was
    /// just made and this session does not see it yet, because a session learns of a commit a
    /// moment later than others; or a reading is to blame.
    ///
    /// - Returns: false when a reading is to blame.
    mutating func foundAllDays() -> Bool {
        foundAllDaysCount += 1
        return foundAllDaysCount < Self.foundAllDaysMax
    }
}
