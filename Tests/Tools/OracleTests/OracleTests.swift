import Fleet
import Foundation
import Postgres
import Readings
import Testing
import Load

@testable import Oracle

/// Runs the oracle on a real database that the test fills itself, as a correct Sluice would.
@Suite(.serialized) struct OracleTests {
    private static let start = Timestamp(microseconds: 9700 * Timestamp.microsecondsPerDay)

    private static func fleet() -> FleetModel {
        var profile = FleetProfile.rough(start: start)
        profile.seed = 11
        profile.devices = 6
        profile.malformedPerMillion = 50_000
        profile.eventMetadataPerMillion = 500_000
        return FleetModel(profile)
    }

    /// Fills the tables with `range` of every device, and returns the ledger that a client would
    /// have.
    private static func fill(_ session: Session, _ range: Range<Int>) throws -> Ledger {
        let fleet = fleet()
        var ledger = Ledger(fleet: fleet)
        let day = start.day
        try session.execute(
            "select sluice.ensure_days(date '2000-01-01' + \(day - 1), date '2000-01-01' + \(day + 1))"
        )
        for device in fleet.devices.indices {
            let window = BatchWindow(device: device, range: range)
            ledger.sent(window)
            var rows: [ReadingKind: [UInt8]] = [:]
            var row = ByteWriter()
            var set: [String] = []
            var problems: [String] = []
            for sequence in range {
                row.removeAll()
                if let kind = fleet.appendRow(device: device, sequence: sequence, to: &row) {
                    rows[kind, default: []] += row.array()
                } else if let malformation = fleet.malformation(device: device, sequence: sequence)
                {
                    row.removeAll()
                    fleet.appendReading(device: device, sequence: sequence, to: &row)
                    let hex = row.array().map { String(format: "%02x", $0) }.joined()
                    set.append(
                        "(\(fleet.traits[device].key.value), '\(fleet.devices[device].id)', "
                            + "'\(malformation.reason.rawValue)', '\\x\(hex)', 0, 'test')")
                    problems.append(
                        #"{"index":\#(sequence - range.lowerBound),"reason":"\#(malformation.reason.rawValue)"}"#
                    )
                }
            }
            for (kind, columns) in Verification.columns {
                try session.copyIn("sluice.\(kind.name) (\(columns))", rows: [rows[kind] ?? []])
            }
            for value in set {
                try session.execute(
                    "insert into sluice.quarantine (device_key, device_id, reason, body, "
                        + "reading_index, api_key) values \(value)")
            }
            try session.execute(
                "insert into sluice.device (device_key, device_id, user_id) values "
                    + "(\(fleet.traits[device].key.value), '\(fleet.devices[device].id)', 'u')")
            let stored = range.count - set.count
            let answer =
                #"{"status":"accepted","records":\#(range.count),"stored":\#(stored),"duplicates":0,"#
                + #""quarantined":\#(set.count),"problems":[\#(problems.prefix(100).joined(separator: ","))]}"#
            Array(answer.utf8).withUnsafeBytes { ledger.accepted(window, answer: $0) }
        }
        return ledger
    }

    /// A throwaway cluster with Sluice's tables.
    private static func withDatabase(_ body: (Session) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/sluice-oracle-\(getpid())"
        var configuration = PrivateCluster.Configuration(dataDirectory: directory)
        configuration.isThrowaway = true
        configuration.path = ProcessInfo.processInfo.environment["PATH"]
        let cluster = try PrivateCluster(configuration)
        defer {
            try? cluster.stop(limit: .zero)
            try? PrivateCluster.discard(dataDirectory: directory)
        }
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        _ = try Migrator().run(on: connection)
        connection.close()
        let settings = cluster.settings
        try body(
            Session(
                url: "host=\(settings.host ?? "") port=\(settings.port ?? "") "
                    + "user=\(settings.user ?? "") dbname=\(settings.database ?? "")"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `the oracle accepts a correct database and objects to every tampering`() throws {
        try Self.withDatabase { session in
            let ledger = try Self.fill(session, 0..<900)
            let verification = try Verification.run(ledger, on: session)
            #expect(verification.objections.lines == [])
            #expect(verification.rows == ledger.totals.stored)
            #expect(verification.quarantined == ledger.totals.quarantined)
            #expect(verification.quarantined > 100)
            for tampering in Tampering.allCases {
                guard case .objected(let kinds) = try tampering.run(ledger, on: session) else {
                    Issue.record("\(tampering.rawValue) was not noticed")
                    continue
                }
                #expect(!kinds.isEmpty)
            }
            // Every change was rolled back.
            #expect(try Verification.run(ledger, on: session).objections.isEmpty)

            // An answer that acknowledges readings that are not stored.
            var liar = ledger
            let window = BatchWindow(device: 0, range: 900..<903)
            liar.sent(window)
            let answer = #"{"records":3,"stored":3,"duplicates":0,"quarantined":0}"#
            Array(answer.utf8).withUnsafeBytes { liar.accepted(window, answer: $0) }
            let found = try Verification.run(liar, on: session).objections
            #expect(found.counts["acknowledged but not stored"] == 3)

            // A 202 acknowledges as much as a 200.
            var spooler = ledger
            spooler.sent(window)
            Self.spooled(window, in: &spooler, answer: #"{"status":"spooled","records":3}"#)
            let missing = try Verification.run(spooler, on: session).objections
            #expect(missing.counts["acknowledged but not stored"] == 3)
            // A 202 for readings that are already stored adds no rows.
            var again = ledger
            let old = BatchWindow(device: 0, range: 0..<1)
            let isMalformed = again.fleet.malformedCount(device: 0, range: old.range) > 0
            try #require(!isMalformed)
            again.sent(old)
            Self.spooled(old, in: &again, answer: #"{"status":"spooled","records":1}"#)
            #expect(try Verification.run(again, on: session).objections.isEmpty)
        }
    }

    private static func spooled(_ window: BatchWindow, in ledger: inout Ledger, answer: String) {
        Array(answer.utf8).withUnsafeBytes { ledger.spooled(window, answer: $0) }
    }

    @Test func `a 202 must account for every reading and must not claim to have stored any`() {
        var ledger = Ledger(fleet: FleetModel(FleetProfile(start: Self.start)))
        let window = BatchWindow(device: 0, range: 0..<3)
        ledger.sent(window)
        Self.spooled(window, in: &ledger, answer: #"{"status":"spooled","records":3}"#)
        #expect(ledger.objections.isEmpty)
        #expect(ledger.spooled.records == 3)
        Self.spooled(window, in: &ledger, answer: #"{"status":"spooled","records":2}"#)
        #expect(ledger.objections.counts == ["an answer's counts don't add up": 1])
        Self.spooled(window, in: &ledger, answer: #"{"records":3,"stored":3,"duplicates":0}"#)
        #expect(ledger.objections.counts["answer without counts"] == 1)
    }

    @Test func `answers are parsed with their keys in any order`() {
        let text = #"{"quarantined":4,"stored":10,"status":"accepted","duplicates":3,"records":17}"#
        let counts = Array(text.utf8).withUnsafeBytes { AnswerCounts($0) }
        #expect(counts?.records == 17)
        #expect(counts?.stored == 10)
        #expect(counts?.duplicates == 3)
        #expect(counts?.quarantined == 4)
        let short = #"{"quarantined":4,"stored":10}"#
        #expect(Array(short.utf8).withUnsafeBytes { AnswerCounts($0) } == nil)
    }

    @Test func `the oracle objects to counts that don't add up`() {
        var ledger = Ledger(fleet: FleetModel(FleetProfile(start: Self.start)))
        let window = BatchWindow(device: 0, range: 0..<3)
        ledger.sent(window)
        let answer = #"{"records":3,"stored":2,"duplicates":0,"quarantined":0}"#
        Array(answer.utf8).withUnsafeBytes { ledger.accepted(window, answer: $0) }
        #expect(ledger.objections.counts == ["an answer's counts don't add up": 1])
    }
}
