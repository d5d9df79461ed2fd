import Access
import Dispatch
import Foundation
public import Ingestion
import JSONText
public import Postgres
public import Readings
import Scanning
import Synchronization

/// Sends quarantined readings through scanner and lanes again, for instance under a raised limit.
///
/// Each reading is a batch of its own, with the name of its API key. A row is deleted only after
/// its reading was committed, so a crash in between causes at most a duplicate, which lanes
/// recognise. Readings that are still faulty stay quarantined.
public final class Requeue {
    /// The outcome for all matching rows.
    public struct Report: Equatable, Sendable {
        /// Readings that are now stored.
        public internal(set) var stored = 0
        /// Readings that were stored already.
        public internal(set) var duplicates = 0
        /// Readings that stay, by current reason.
        public internal(set) var faulty: [QuarantineReason: Int] = [:]
        /// Readings that stay because they are truncated: they were too large when they arrived.
        public internal(set) var cut = 0
        /// Readings that stay because the database rejects more than the reading, such as its
        /// device, by SQLSTATE.
        public internal(set) var refused: [String: Int] = [:]

        init() {}
    }

    private let ingestor: any BatchSink
    private let connection: Connection
    private let limits: ReadingLimits
    private let desk = OfferDesk()
    private var report = Report()

    /// - Parameters:
    ///   - ingestor: its lanes must be connected.
    ///   - limits: the current ones.
    public init(ingestor: any BatchSink, connection: Connection, limits: ReadingLimits) {
        self.ingestor = ingestor
        self.connection = connection
        self.limits = limits
    }

    /// Offers all matching rows, once each.
    ///
    /// - Throws: `PostgresError` if the database is unavailable. Readings committed before that
    ///   stay committed; their rows are deleted, or recognised as duplicates next time.
    public func run(_ filter: RejectionFilter) throws(PostgresError) -> Report {
        try RejectionTable.quarantine.forEachPage(filter, on: connection, requeue)
        return report
    }

    private func requeue(_ page: [QuarantinedRow]) throws(PostgresError) {
        var scanner = BatchScanner(limits: limits)
        var offered: [QuarantinedRow] = []
        for row in page {
            scanner.begin(now: .now())
            let body = Self.batch(of: row)
            let batch: ScannedBatch
            do throws(ScanError) {
                try scanner.scan(body.span.bytes)
                batch = try scanner.finish()
            } catch {
                report.cut += 1
                continue
            }
            if let problem = batch.problems.first {
                report.faulty[problem.reason, default: 0] += 1
                continue
            }
            let key = KeyID(name: row.keyName, id: nil)
            let ticket = UInt64(offered.count)
            try desk.offer(to: ingestor) {
                ingestor.offer(batch, key: key, ticket: ticket, replyTo: desk)
            }
            offered.append(row)
        }
        try settle(offered)
    }

    private func settle(_ offered: [QuarantinedRow]) throws(PostgresError) {
        var committed: [QuarantinedRow] = []
        var isUnavailable = false
        for answer in desk.take(offered.count) {
            switch answer.outcome {
            case .committed(let stored, let duplicates, let quarantined, let refusals):
                report.stored += stored
                report.duplicates += duplicates
                if quarantined > 0 {
                    for reason in LaneRefusals.reasons where refusals[reason] > 0 {
                        report.faulty[reason, default: 0] += refusals[reason]
                    }
                } else {
                    committed.append(offered[Int(answer.ticket)])
                }
            case .spooled:
                preconditionFailure("BUG: a requeue has no spool")
            case .recorded:
                preconditionFailure("BUG: a batch was answered as a unit")
            case .unavailable: isUnavailable = true
            case .refused(let sqlState): report.refused[sqlState, default: 0] += 1
            }
        }
        try RejectionTable.quarantine.drop(committed, on: connection)
        if isUnavailable { throw PostgresError(.connectionLost) }
    }

    /// A batch of this reading alone, with its device.
    static func batch(of row: QuarantinedRow) -> [UInt8] {
        let head = "{\"metadata\":{\"device_id\":\(JSONString.quoted(row.deviceID))},\"data\":["
        return Array(head.utf8) + row.body + Array("]}".utf8)
    }
}

/// Offers batches and units from a command's own thread; blocks until lanes have room and answer.
final class OfferDesk: AcknowledgementTarget {
    private let received = Mutex<[Acknowledgement]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// How often an offer is repeated while lanes are full, every tenth of a second.
    private static let attemptsMax = 600

    /// Repeats an offer until it is accepted, then starts the lanes.
    ///
    /// - Throws: the lanes' failure if they are unavailable; `.poolExhausted` after a minute
    ///   without room.
    func offer(to ingestor: any BatchSink, _ make: () -> Offer) throws(PostgresError) {
        for _ in 0..<Self.attemptsMax {
            switch make() {
            case .taken:
                ingestor.dispatch()
                return
            case .full, .shareUsedUp: usleep(100_000)
            case .unavailable:
                throw (ingestor as? Ingestor)?.failure ?? PostgresError(.connectionFailed)
            }
        }
        throw PostgresError(.poolExhausted)
    }

    func deliver(_ acknowledgements: [Acknowledgement]) {
        received.withLock { $0 += acknowledgements }
        for _ in acknowledgements { arrived.signal() }
    }

    /// The next `count` answers. Every accepted offer gets one, so this returns.
    func take(_ count: Int) -> [Acknowledgement] {
        for _ in 0..<count { arrived.wait() }
        return received.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
