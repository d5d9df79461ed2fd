import Postgres

/// Whether a lane's database takes groups, and when to ask it again; decides only.
///
/// *Up*: groups are written, and a failed one is retried for a while. *Away*: a group was given up,
/// and batches go to the spool at once, without retries, until a heartbeat proves that rows can be
/// written again.
struct LaneHealth {
    enum Phase: Equatable {
        case up
        /// With the failure that caused it.
        case away(PostgresError, nextHeartbeatAt: ContinuousClock.Instant)
    }

    private(set) var phase: Phase
    private var backoff: Duration
    private let backoffMin: Duration
    private let backoffMax: Duration

    /// Away until the first heartbeat, which is due at once.
    init(_ configuration: IngestionConfiguration, now: ContinuousClock.Instant) {
        backoffMin = configuration.backoffMin
        backoffMax = configuration.backoffMax
        backoff = backoffMin
        phase = .away(
            PostgresError(.connectionFailed, message: "not connected yet"), nextHeartbeatAt: now)
    }

    var isUp: Bool { phase == .up }

    /// Why groups are not even tried.
    var failure: PostgresError? {
        if case .away(let failure, _) = phase { failure } else { nil }
    }

    func isHeartbeatDue(now: ContinuousClock.Instant) -> Bool {
        if case .away(_, let nextHeartbeatAt) = phase { now >= nextHeartbeatAt } else { false }
    }

    /// A heartbeat or a group was committed.
    mutating func succeeded() {
        phase = .up
        backoff = backoffMin
    }

    /// A group or a heartbeat was given up.
    mutating func gaveUp(_ failure: PostgresError, now: ContinuousClock.Instant) {
        phase = .away(failure, nextHeartbeatAt: now + backoff)
        backoff = min(backoff * 2, backoffMax)
    }

    /// How long to wait before the next attempt at the same group.
    mutating func pauseBeforeRetry() -> Duration {
        defer { backoff = min(backoff * 2, backoffMax) }
        return backoff
    }
}

extension LaneHealth {
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
            /// Something of the group may be the cause: ask the database which devices are locked and,
            /// if `isSure`, whether others can be written. If nothing is found, call
            /// ``foundNobody(after:now:)``.
            case askForBlame(isSure: Bool)
            /// The group is not committed. The lane goes on.
            case fail
            /// The group is not committed, and no other will be until the database answers a heartbeat.
            case goAway
        }

        /// Attempts when a row finds no partition though all days exist.
        static let foundAllDaysMax = 3

        private let giveUpAt: ContinuousClock.Instant
        private let lockGiveUpAt: ContinuousClock.Instant
        private var suspicions = 0
        private var foundAllDaysCount = 0

        /// - Parameters:
        ///   - giveUpAt: the end of the patience.
        ///   - lockGiveUpAt: the same while a table is locked.
        init(giveUpAt: ContinuousClock.Instant, lockGiveUpAt: ContinuousClock.Instant) {
            self.giveUpAt = giveUpAt
            self.lockGiveUpAt = max(giveUpAt, lockGiveUpAt)
        }

        /// - Parameter mayHaveMoved: the cause may be a shard that moved to another node.
        mutating func next(
            after failure: PostgresError, mayHaveMoved: Bool, now: ContinuousClock.Instant
        ) -> Next {
            switch failure.failureClass {
            case .partitionMissing:
                return .askForDays
            case .retry where failure.classOfOne == nil:
                return now < giveUpAt ? .pause : .goAway
            case .retry:
                suspicions += 1
                switch failure.sqlState {
                case .serializationFailure? where suspicions == 1:
                    // What the session knew was outdated, and it has asked again.
                    return .pause
                case .deadlock? where suspicions == 1:
                    // The other transaction gets its locks now. Without the pause this lane could take
                    // them again first, and be rolled back again.
                    return .pause
                case .lockNotAvailable?:
                    // A table that somebody has locked concerns everybody, and a heartbeat does not try
                    // those of units.
                    return .askForBlame(isSure: now >= giveUpAt)
                default:
                    return .askForBlame(isSure: suspicions > 1 || now >= giveUpAt)
                }
            case .stop where mayHaveMoved && now < giveUpAt:
                // With each new session a node looks up where the shard is.
                return .reconnect
            case .stop where failure.classOfOne != nil:
                return .askForBlame(isSure: true)
            case .stop, .poison:
                return .fail
            }
        }

        /// Nobody was found to blame: it concerns everybody, or is over.
        func foundNobody(after failure: PostgresError, now: ContinuousClock.Instant) -> Next {
            guard failure.failureClass == .retry else { return .fail }
            let isLocked = failure.sqlState == .lockNotAvailable
            return now < (isLocked ? lockGiveUpAt : giveUpAt) ? .pause : .goAway
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
}
