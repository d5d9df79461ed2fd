import Instruments
import Postgres

/// A lane's connection: at most one session, with the writer of groups on it.
///
/// It leads to one destination. On plain PostgreSQL there is only one; on Citus a lane keeps to
/// one, unless it is the only lane or shards are moved. A session that leads elsewhere, or to a
/// server that was replaced, is never written to: it is closed, and another one is opened.
///
/// Owned by its lane's loop.
struct LaneConnection<Outside: World> {
    private let lane: Int
    private let outside: Outside
    private let configuration: IngestionConfiguration
    private let instruments: LaneInstruments
    private var writer: GroupWriter<Outside.Session>?
    /// Where the session leads, or the last one did.
    private(set) var destination = Destination.database

    init(
        lane: Int, outside: Outside, configuration: IngestionConfiguration,
        instruments: LaneInstruments
    ) {
        self.lane = lane
        self.outside = outside
        self.configuration = configuration
        self.instruments = instruments
    }

    /// nil: there is none.
    var session: Outside.Session? { writer?.session }

    /// See ``GroupWriter``; nothing is in doubt without a session.
    var countsInDoubt: [GroupCounts]? { writer?.countsInDoubt }

    /// See ``GroupWriter``.
    var unchanged: Set<Int64> { writer?.unchanged ?? [] }

    /// There is a session, but it can't be used any more. Asked while it is idle.
    var isStale: Bool {
        guard let session else { return false }
        return session.isOutdated || !session.probe()
    }

    /// Returns the session that leads there, or opens one.
    ///
    /// - Parameter deadline: for opening.
    @discardableResult
    mutating func open(
        to destination: Destination, by deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Outside.Session {
        if let session, destination == self.destination, !session.isOutdated { return session }
        close()
        self.destination = destination
        let session: Outside.Session
        do throws(PostgresError) {
            session = try outside.openSession(lane: lane, to: destination, deadline: deadline)
        } catch {
            // Whatever the reason, no row is to blame, and a later attempt may succeed.
            let code = error.sqlState.map { "\($0) " } ?? ""
            throw PostgresError(.connectionFailed, message: code + error.reason)
        }
        writer = GroupWriter(session)
        instruments.connectionsOpened.increment()
        return session
    }

    mutating func close() {
        writer?.session.close()
        writer = nil
    }

    /// Commits a group on the current session, which must exist.
    ///
    /// - Parameter deadline: when the attempt times out and the session is closed.
    mutating func commit(
        _ group: Group, by deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> GroupResult {
        session?.deadline = deadline
        guard let result = try writer?.commit(group) else {
            preconditionFailure("BUG: no writer")
        }
        guard session?.isOutdated == false else {
            // Committed by a server that another one has replaced meanwhile.
            close()
            throw PostgresError(.connectionLost, message: "another server has taken over")
        }
        return result
    }
}
