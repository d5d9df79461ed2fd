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
///
/// A run makes at most ``Ingestion/IngestionConfiguration/daysPerDeviceMax`` new days for each
/// device, and offers no reading that needs more. Readings that the lanes did not take are offered
/// again as long as others of their page are committed.
public final class Requeue {
    /// The outcome for all matching rows.
    public struct Report: Equatable, Sendable {
        /// Readings that were read so far, whatever became of them.
        public internal(set) var seen = 0
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
        /// Readings that stay because their device has caused as many new days as it may.
        public internal(set) var beyondBudget = 0
        /// How many that are.
        public let daysPerDeviceMax: Int
        /// Readings that stay because their days could not be made.
        public internal(set) var withoutDay = 0

        init(daysPerDeviceMax: Int) { self.daysPerDeviceMax = daysPerDeviceMax }
    }

    private let ingestor: Ingestor
    private let connection: Connection
    private let limits: ReadingLimits
    private let progress: (Report) -> Void
    private let desk = OfferDesk()
    private var days: DayAllowance
    private var report: Report

    private typealias Reading = (row: QuarantinedRow, batch: ScannedBatch)

    /// - Parameters:
    ///   - ingestor: its lanes must be connected.
    ///   - limits: the current ones.
    ///   - daysPerDeviceMax: as for the ingestor's lanes.
    ///   - progress: called now and then with what is done so far.
    public init(
        ingestor: Ingestor, connection: Connection, limits: ReadingLimits,
        daysPerDeviceMax: Int, progress: @escaping (Report) -> Void = { _ in }
    ) throws(PostgresError) {
        self.ingestor = ingestor
        self.connection = connection
        self.limits = limits
        self.progress = progress
        report = Report(daysPerDeviceMax: daysPerDeviceMax)
        days = try DayAllowance(perDeviceMax: daysPerDeviceMax, on: connection)
    }

    /// Offers all matching rows.
    ///
    /// - Throws: `PostgresError` if the database is unavailable. Readings committed before that
    ///   stay committed; their rows are deleted, or recognised as duplicates next time.
    public func run(_ filter: RejectionFilter) throws(PostgresError) -> Report {
        try RejectionTable.quarantine.forEachPage(filter, on: connection, requeue)
        return report
    }

    /// - Returns: whether another page may do better than this one.
    private func requeue(_ page: [QuarantinedRow]) throws(PostgresError) -> Bool {
        let offered = valid(page)
        var left = offered
        var before = Int.max
        while !left.isEmpty, left.count < before {
            before = left.count
            left = try offer(left)
        }
        report.withoutDay += left.count
        report.seen += page.count
        progress(report)
        return offered.isEmpty || left.count < offered.count
    }

    /// The readings of a page that lanes can commit now.
    private func valid(_ page: [QuarantinedRow]) -> [Reading] {
        var scanner = BatchScanner(limits: limits)
        var valid: [Reading] = []
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
            } else if days.admit(batch) {
                valid.append((row, batch))
            } else {
                report.beyondBudget += 1
            }
        }
        return valid
    }

    /// - Returns: those that the lanes did not take.
    private func offer(_ readings: [Reading]) throws(PostgresError) -> [Reading] {
        for (place, (row, batch)) in readings.enumerated() {
            let key = KeyID(name: row.keyName, id: nil)
            try desk.offer(to: ingestor) {
                ingestor.offer(batch, key: key, ticket: UInt64(place), replyTo: desk)
            }
        }
        var committed: [QuarantinedRow] = []
        var left: [Reading] = []
        for answer in desk.take(readings.count) {
            let reading = readings[Int(answer.ticket)]
            switch answer.outcome {
            case .committed(let stored, let duplicates, let quarantined, let refusals):
                report.stored += stored
                report.duplicates += duplicates
                if quarantined > 0 {
                    for reason in LaneRefusals.reasons where refusals[reason] > 0 {
                        report.faulty[reason, default: 0] += refusals[reason]
                    }
                } else {
                    committed.append(reading.row)
                }
            case .spooled:
                preconditionFailure("BUG: a requeue has no spool")
            case .recorded:
                preconditionFailure("BUG: a batch was answered as a unit")
            case .unavailable: left.append(reading)
            case .refused(let sqlState): report.refused[sqlState, default: 0] += 1
            }
        }
        try RejectionTable.quarantine.drop(committed, on: connection)
        if !left.isEmpty, let failure = ingestor.failure { throw failure }
        return left
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
    func offer(to ingestor: Ingestor, _ make: () -> Offer) throws(PostgresError) {
        for _ in 0..<Self.attemptsMax {
            switch make() {
            case .taken:
                ingestor.dispatch()
                return
            case .full, .shareUsedUp: usleep(100_000)
            case .unavailable:
                throw ingestor.failure ?? PostgresError(.connectionFailed)
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
