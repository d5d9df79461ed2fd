import Auth
import Dispatch
import Foundation
import Imports
import Ingest
import JSONText
import Postgres
import Readings
import Scanner

/// Sends the readings of a file through scanner and lanes, as `/ingest` does.
///
/// - Readings are gathered by user into batches of ``readingsPerBatch``, and batches into pages. While
///   the lanes commit a page, the next one is read. So memory holds two pages, whatever the file's
///   size.
/// - The checkpoint moves on when each reading of a page has its outcome. A crash before that causes
///   duplicates, which lanes recognise. It stays before the first reading that is neither stored nor
///   quarantined, so that a later run comes back to it, perhaps with other limits.
/// - A bad reading is quarantined with the number of its line as its index, and with the file's name
///   in place of a key's.
/// - A metric with a new name gets its code before the reading is sent (`MetricNaming`); a name has one code for good, so an import that is run again gives the same.
/// - Readings that are too old, or need more new days than a device may cause, are left in the file
///   and counted.
final class FileImport {
    private struct Batch {
        var readings: [ImportedReading] = []
        var bytes = 0
    }

    /// Readings of one user: the device's own where the file names none.
    private enum Owner: Hashable {
        case user(String)
        case device(String)
    }

    private typealias Pending = (batch: ScannedBatch, readings: [ImportedReading])

    static let readingsPerBatch = 1000
    static let batchBytesMax = 256 * 1024
    /// Readings of a page, whose batches are in the lanes together.
    static let readingsPerPage = 4000
    /// How often what the lanes did not take is offered again while they take nothing; each attempt
    /// takes some ten seconds.
    private static let attemptsMax = 30

    private let ingestor: Ingestor
    private let key: KeyID
    private let isStopAsked: () -> Bool
    private let save: (Int) -> Void
    private let desk = OfferQueue<BatchCounts>()
    private var days: DayAllowance
    private var scanner: BatchScanner
    private(set) var report: ImportReport

    private var open: [Owner: Batch] = [:]
    private var ready: [[ImportedReading]] = []
    private var pageCount = 0
    /// In the lanes, and the number of readings read when their page was complete.
    private var pending: [Pending] = []
    private var pendingEnd = 0

    /// - Parameters:
    ///   - ingestor: its lanes must be connected.
    ///   - path: the file's, which the quarantine names.
    ///   - skipping: readings at the beginning that have their outcome.
    ///   - save: called with the number of readings that have their outcome.
    init(
        ingestor: Ingestor, connection: Connection, configuration: ServiceConfiguration,
        path: String, skipping: Int, isStopAsked: @escaping () -> Bool,
        save: @escaping (Int) -> Void
    ) throws(PostgresError) {
        self.ingestor = ingestor
        key = KeyID(name: Self.keyName(path), id: nil)
        self.isStopAsked = isStopAsked
        self.save = save
        scanner = BatchScanner(limits: configuration.limits)
        let daysMax = configuration.ingestion.daysPerDeviceMax
        days = try DayAllowance(perDeviceMax: daysMax, on: connection)
        report = ImportReport(daysPerDeviceMax: daysMax)
        report.skipped = skipping
    }

    /// The name that readings of a file have where others have that of their key.
    static func keyName(_ path: String) -> String {
        "import of \(path.split(separator: "/").last ?? "")"
    }

    /// Takes the next reading of the file.
    ///
    /// - Throws: ``ImportStop`` when asked to stop; `PostgresError`. The checkpoint is valid then.
    func add(_ reading: ImportedReading) throws {
        report.read += 1
        guard report.read > report.skipped else { return }
        let owner =
            reading.user.map { Owner.user($0) } ?? .device(reading.device.lowercased())
        var batch = open.removeValue(forKey: owner) ?? Batch()
        batch.readings.append(reading)
        batch.bytes += reading.json.count
        pageCount += 1
        if batch.readings.count == Self.readingsPerBatch || batch.bytes >= Self.batchBytesMax {
            ready.append(batch.readings)
        } else {
            open[owner] = batch
        }
        if pageCount >= Self.readingsPerPage { try turnPage() }
    }

    /// The report of a file that was read to its end.
    func report(with rest: ImportRest) -> ImportReport {
        report.rest = rest
        return report
    }

    /// Brings all readings so far to their end; also after a fault of the file.
    func finish() throws {
        try turnPage()
        try settle()
    }

    private func turnPage() throws {
        if isStopAsked() {
            try settle()
            throw ImportStop.asked
        }
        ready += open.values.map(\.readings)
        open = [:]
        var next: [Pending] = []
        for readings in ready { prepare(readings[...], into: &next) }
        ready = []
        pageCount = 0
        try settle()
        try offer(next)
        pendingEnd = report.read
    }

    // MARK: Scanning

    /// Scans readings of one user, in as many batches as the budget of days needs.
    private func prepare(
        _ readings: ArraySlice<ImportedReading>, into prepared: inout [Pending]
    ) {
        guard let first = readings.first else { return }
        let body = Self.body(of: readings)
        let batch: ScannedBatch
        do throws(ScanError) {
            scanner.begin(now: .now())
            try scanner.scan(body.span.bytes)
            batch = try scanner.finish()
        } catch {
            guard readings.count > 1 else {
                return report.unreadable.add(line: first.line)
            }
            return halve(readings, into: &prepared)
        }
        let aside = batch.deviceBatches[0].quarantined
        let old = Set(aside.lazy.filter { $0.reason == .timeTooOld }.map(\.index))
        guard old.isEmpty else {
            report.tooOld.add(
                old.count, line: old.min().map { readings[readings.startIndex + $0].line })
            let others = readings.enumerated().filter { !old.contains($0.offset) }.map(\.element)
            return prepare(others[...], into: &prepared)
        }
        guard days.admit(batch) else {
            guard readings.count > 1 else { return report.beyondBudget.add(line: first.line) }
            return halve(readings, into: &prepared)
        }
        for reading in aside {
            report.quarantined[reading.reason, default: ImportReport.Tally()].add(
                line: readings[readings.startIndex + reading.index].line)
        }
        batch.deviceBatches[0].renumberQuarantined { readings[readings.startIndex + $0].line }
        prepared.append((withoutNames(batch), Array(readings)))
    }

    /// What is still by name has no code.
    private func withoutNames(_ batch: ScannedBatch) -> ScannedBatch {
        guard !batch.metricNames.isEmpty else { return batch }
        let resolved = batch.resolved(Array(repeating: nil, count: batch.metricNames.count))
        let reason = QuarantineReason.metricTooMany
        let count = resolved.deviceBatches.reduce(0) { count, part in
            count + part.quarantined.count { $0.reason == reason }
        }
        report.quarantined[reason, default: ImportReport.Tally()].add(count, line: nil)
        return resolved
    }

    private func halve(
        _ readings: ArraySlice<ImportedReading>, into prepared: inout [Pending]
    ) {
        let middle = readings.startIndex + readings.count / 2
        prepare(readings[..<middle], into: &prepared)
        prepare(readings[middle...], into: &prepared)
    }

    private static func body(of readings: ArraySlice<ImportedReading>) -> [UInt8] {
        guard let first = readings.first else { return [] }
        var body: [UInt8] = []
        body.reserveCapacity(readings.reduce(256) { $0 + $1.json.count + 1 })
        body += "{\"metadata\":{\"device_id\":\(JSONString.quoted(first.device))".utf8
        if let user = first.user { body += ",\"user_id\":\(JSONString.quoted(user))".utf8 }
        body += "},\"data\":[".utf8
        for (place, reading) in readings.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            if reading.device == first.device {
                body += reading.json
            } else {
                let hasMembers = reading.json.count > 2
                body += "{\"device_id\":\(JSONString.quoted(reading.device))".utf8
                if hasMembers { body.append(UInt8(ascii: ",")) }
                body += reading.json.dropFirst()
            }
        }
        body += "]}".utf8
        return body
    }

    // MARK: Lanes

    private func offer(_ batches: [Pending]) throws(PostgresError) {
        pending = []
        for (place, item) in batches.enumerated() {
            try desk.offer(to: ingestor) {
                ingestor.offer(item.batch, key: key, ticket: UInt64(place), replyTo: desk)
            }
            pending.append(item)
        }
    }

    /// Waits for the answers to the page in the lanes. What was not taken is offered again as long as
    /// others are.
    private func settle() throws(PostgresError) {
        var left = take()
        var attempts = 0
        while !left.isEmpty {
            if let failure = ingestor.failure { throw failure }
            // Batches of many new days wait longer for these than a lane holds them.
            attempts += 1
            guard attempts < Self.attemptsMax else { throw PostgresError(.poolExhausted) }
            let before = left.count
            try offer(left)
            left = take()
            if left.count < before { attempts = 0 }
        }
        if pendingEnd > report.skipped, !report.hasLeftReadings { save(pendingEnd) }
    }

    private func take() -> [Pending] {
        let offered = pending
        pending = []
        var left: [Pending] = []
        for answer in desk.take(offered.count) {
            let item = offered[Int(answer.ticket)]
            let line = item.readings.first?.line
            switch answer.outcome {
            case .committed(let counts):
                report.stored += counts.stored
                report.duplicates += counts.duplicates
                for reason in LaneRefusals.reasons where counts.refusals[reason] > 0 {
                    report.quarantined[reason, default: ImportReport.Tally()].add(
                        counts.refusals[reason], line: nil)
                }
            case .spooled: preconditionFailure("BUG: an import has no spool")
            case .unavailable: left.append(item)
            case .refused(let sqlState):
                report.refused[sqlState, default: ImportReport.Tally()].add(
                    item.readings.count, line: line)
            }
        }
        return left
    }
}
