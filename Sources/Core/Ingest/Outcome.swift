/// What became of one batch or unit. `Committed` says what its commit gave, so an answer to a batch
/// can't be taken for one to a unit.
public enum Outcome<Committed: Sendable & Equatable>: Sendable, Equatable {
    /// All of it is committed.
    case committed(Committed)
    /// All of it is committed or on disk, to be committed when the database recovers.
    case spooled
    /// Neither the database nor the spool takes it now; nothing is promised.
    case unavailable(retryAfter: Duration)
    /// The database refuses it, and a retry would not help.
    case refused(sqlState: String)
}

/// What became of a batch.
public typealias BatchOutcome = Outcome<BatchCounts>

/// What became of a ``WorkUnit``; committed with what its kind's statement returned. If the answer
/// to the first COMMIT was lost, it is what the second call returned.
public typealias UnitOutcome = Outcome<String>

extension Outcome {
    /// The answer to one offer.
    public struct Acknowledgement: Sendable, Equatable {
        /// As given with the offer.
        public let ticket: UInt64
        /// Of a batch, the worst of its parts.
        public let outcome: Outcome

        /// For stand-ins of the lanes in tests.
        public init(ticket: UInt64, outcome: Outcome) {
            self.ticket = ticket
            self.outcome = outcome
        }
    }

    var isCommitted: Bool {
        if case .committed = self { true } else { false }
    }

    /// The same with another form of what was committed.
    func map<Other>(_ form: (Committed) -> Outcome<Other>) -> Outcome<Other> {
        switch self {
        case .committed(let committed): form(committed)
        case .spooled: .spooled
        case .unavailable(let time): .unavailable(retryAfter: time)
        case .refused(let sqlState): .refused(sqlState: sqlState)
        }
    }
}

extension BatchOutcome {
    /// - Parameter refusals: those of `quarantined` that the scanner does not know of.
    public static func committed(
        stored: Int, duplicates: Int, quarantined: Int, refusals: LaneRefusals = LaneRefusals()
    ) -> BatchOutcome {
        .committed(
            BatchCounts(
                stored: stored, duplicates: duplicates, quarantined: quarantined,
                refusals: refusals))
    }
}
