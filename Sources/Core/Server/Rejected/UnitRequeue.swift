import Ingest
import Postgres

/// Sends rejected units through the lanes again: with the same statement, and in the same
/// transaction as the jobs that follow from them.
///
/// A row is deleted only after its unit was recorded. A crash in between does no harm: a kind's
/// statement recognises what it has written.
public final class UnitRequeue {
    /// The outcome for all matching rows.
    public struct Report: Equatable, Sendable {
        /// Units that are recorded now or were before; their rows are deleted.
        public internal(set) var recorded = 0
        /// Units that stay because the database rejected them again, by SQLSTATE.
        public internal(set) var refused: [String: Int] = [:]
        /// Units that stay because another user has their id now.
        public internal(set) var foreign = 0
        /// Units that stay because another request of their user had their `Idempotency-Key`.
        public internal(set) var reused = 0
        /// Units that stay because this version does not know their kind, by kind.
        public internal(set) var unknown: [String: Int] = [:]

        /// The number of units that stay.
        public var left: Int {
            refused.values.reduce(0, +) + foreign + reused + unknown.values.reduce(0, +)
        }

        init() {}
    }

    private let ingestor: Ingestor
    private let connection: Connection
    private let kinds: [String: UnitKind]
    private let desk = OfferQueue<String>()
    private var report = Report()

    init(ingestor: Ingestor, connection: Connection, kinds: [UnitKind]) {
        self.ingestor = ingestor
        self.connection = connection
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    }

    /// Offers all matching rows, once each.
    ///
    /// - Throws: `PostgresError` if the database is unavailable. Units recorded before that stay
    ///   recorded; their rows are deleted, or recognised next time.
    func run(_ filter: RejectionFilter) throws(PostgresError) -> Report {
        try RejectionTable.units.forEachPage(filter, on: connection, requeue)
        return report
    }

    private func requeue(_ page: [RejectedUnit]) throws(PostgresError) -> Bool {
        var offered: [RejectedUnit] = []
        for row in page {
            guard let kind = kinds[row.kind] else {
                report.unknown[row.kind, default: 0] += 1
                continue
            }
            let unit = WorkUnit(
                kind: kind, owner: row.owner, payload: String(decoding: row.payload, as: UTF8.self))
            let ticket = UInt64(offered.count)
            try desk.offer(to: ingestor) {
                ingestor.offer(unit, ticket: ticket, replyTo: desk)
            }
            offered.append(row)
        }
        try settle(offered)
        return true
    }

    private func settle(_ offered: [RejectedUnit]) throws(PostgresError) {
        var recorded: [RejectedUnit] = []
        var isUnavailable = false
        for answer in desk.take(offered.count) {
            switch answer.outcome {
            case .committed("foreign"): report.foreign += 1
            case .committed(IdempotencyKey.different): report.reused += 1
            case .committed: recorded.append(offered[Int(answer.ticket)])
            case .refused(let sqlState): report.refused[sqlState, default: 0] += 1
            case .unavailable: isUnavailable = true
            case .spooled: preconditionFailure("BUG: a requeue has no spool")
            }
        }
        try RejectionTable.units.drop(recorded, on: connection)
        report.recorded += recorded.count
        if isUnavailable { throw ingestor.failure ?? PostgresError(.connectionLost) }
    }
}
