/// What became of one batch or unit.
public enum CommitOutcome: Sendable, Equatable {
    /// All of a batch is committed; the three numbers add up to what was received. `refusals` are
    /// those of `quarantined` that the scanner does not know of.
    case committed(
        stored: Int, duplicates: Int, quarantined: Int, refusals: LaneRefusals = LaneRefusals())
    /// A ``WorkUnit`` is committed, and this is what its kind's statement said. When the answer to
    /// the first COMMIT was lost, it is what the statement said when it was called once more.
    case recorded(result: String)
    /// All of it is committed or on disk, to be committed when the database is back.
    case spooled
    /// Neither the database nor the spool takes it now; nothing is promised.
    case unavailable(retryAfter: Duration)
    /// The database refuses for a reason that waiting does not mend.
    case refused(sqlState: String)
}

extension CommitOutcome {
    /// Nobody knows when a database comes back; clients come again some times a minute.
    static var awayTime: Duration { .seconds(10) }
}

/// The answer to one offer.
public struct Acknowledgement: Sendable, Equatable {
    /// As given with the offer.
    public let ticket: UInt64
    /// The worst of the batch's parts.
    public let outcome: CommitOutcome

    /// For whoever stands in for the lanes in tests.
    public init(ticket: UInt64, outcome: CommitOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// Where answers go; one object for each event loop.
public protocol AcknowledgementTarget: AnyObject, Sendable {
    /// Called on a lane's queue, once a commit with all of its answers for this target. It must not
    /// block: one hop to the event loop and back.
    func deliver(_ acknowledgements: [Acknowledgement])
}
