import Auth
import Dispatch
import Foundation
import Ingest
import JSONText
public import Postgres
public import Readings
import Scanner
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
        /// Readings that stay because their days are archived.
        public internal(set) var archived = 0
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
    private let desk = OfferQueue<BatchCounts>()
    private var days: DayAllowance
    private var report: Report

    private typealias Reading = (row: QuarantinedRow, batch: ScannedBatch)

    /// - Parameters:
    ///   - ingestor: its lanes must be connected.
    ///   - limits: the current ones.
    ///   - daysPerDeviceMax: as for the ingestor's lanes.
    ///   - progress: called now and then with what is done so far.
    init(
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
        let offered = try valid(page)
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
    private func valid(_ page: [QuarantinedRow]) throws(PostgresError) -> [Reading] {
        var scanner = BatchScanner(limits: limits)
        var valid: [Reading] = []
        for row in page {
            scanner.begin(now: .now())
            let body = Self.batch(of: row)
            var batch: ScannedBatch
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
            if !batch.metricNames.isEmpty {
                let codes = try MetricNaming.codes(
                    of: batch.metricNames, ofKey: row.keyName, on: connection)
                guard codes.count == batch.metricNames.count else {
                    report.faulty[.metricTooMany, default: 0] += 1
                    continue
                }
                batch = batch.resolved(batch.metricNames.map { codes[$0] })
            }
            if days.admit(batch) {
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
            case .committed(let counts):
                report.stored += counts.stored
                report.duplicates += counts.duplicates
                if counts.quarantined > 0 {
                    for reason in LaneRefusals.reasons where counts.refusals[reason] > 0 {
                        // The scanner has accepted its time, so its day has left the tables.
                        if reason == .timeTooOld {
                            report.archived += counts.refusals[reason]
                        } else {
                            report.faulty[reason, default: 0] += counts.refusals[reason]
                        }
                    }
                } else {
                    committed.append(reading.row)
                }
            case .spooled:
                preconditionFailure("BUG: a requeue has no spool")
            case .unavailable: left.append(reading)
            case .refused(let sqlState): report.refused[sqlState, default: 0] += 1
            }
        }
        try RejectionTable.quarantine.drop(committed, on: connection)
        if !left.isEmpty, let failure = ingestor.failure { throw failure }
        return left
    }

    /// A batch of this reading alone, with its device and its user. A reading that named no device
    /// still names none.
    static func batch(of row: QuarantinedRow) -> [UInt8] {
        if row.deviceID.isEmpty { return Array("[".utf8) + row.body + Array("]".utf8) }
        let device = JSONString.quoted(row.deviceID)
        let user = JSONString.quoted(row.userID)
        let head = "{\"metadata\":{\"device_id\":\(device),\"user_id\":\(user)},\"data\":["
        return Array(head.utf8) + row.body + Array("]}".utf8)
    }
}
