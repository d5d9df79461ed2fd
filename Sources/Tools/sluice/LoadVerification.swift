import Commands
import Fleet
import Foundation
import Load
import Oracle
import Postgres
import Server

/// Reads every row of a run back from the database.
struct LoadVerification {
    /// Batches that were answered with a 202 reach the database when the spool is replayed.
    private static let replayMax = Duration.seconds(120)

    private let session: Session
    private let fleet: FleetModel
    /// See `Verification`.
    private let metric: String?

    /// Why a run can't be checked.
    enum Fault: Error {
        /// Rows of earlier runs would look invented.
        case devicesKnown(count: Int, seed: UInt64)
    }

    /// - Throws: ``Fault``, or `Session.Failure`.
    init(_ settings: ConnectionSettings, _ fleet: FleetModel, metric: String?) throws {
        var text = settings.connectionStringWithoutPassword
        if let password = settings.password {
            let escaped = password.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            text += " password='\(escaped)'"
        }
        session = try Session(url: text)
        self.fleet = fleet
        self.metric = metric
        let known = try Verification.devicesKnown(of: fleet, on: session)
        guard known == 0 else {
            throw Fault.devicesKnown(count: known, seed: fleet.profile.seed)
        }
    }

    /// - Returns: whether each acknowledged reading is stored once and nothing is invented, and the
    ///   lines that say so.
    func judge(_ ledger: Ledger) throws -> (isRight: Bool, lines: [String]) {
        let end = ContinuousClock.now + Self.replayMax
        var verification = try Verification.run(ledger, on: session, metric: metric)
        while !verification.objections.isEmpty, ledger.spooled.records > 0, .now < end {
            sleep(1)
            verification = try Verification.run(ledger, on: session, metric: metric)
        }
        let isRight = verification.objections.isEmpty
        return (
            isRight,
            [
                "verified \(verification.rows) rows and \(verification.quarantined) quarantined "
                    + "readings, read back; \(ledger.uncertainReadings) readings without an answer"
            ] + verification.objections.lines
                + [
                    isRight
                        ? "✓ every acknowledged reading is stored once, and nothing else"
                        : "✗ the database does not hold what was acknowledged"
                ]
        )
    }
}
