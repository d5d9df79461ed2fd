import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle
import Readings

/// The rows of the goals table that need a server.
final class ServedGoals {
    let server: ServerUnderTest
    let session: Session
    let copy: RawCopy
    let pairs: Int
    let isQuick: Bool
    let seed: UInt64
    let postgresVersion: String
    /// The highest rate of 100-reading requests in a closed loop, for the rows that need it.
    var peakRequestsPerSecond: Double?
    private var seedsUsed: UInt64 = 0

    static let devices = 1000

    init(server: ServerUnderTest, pairs: Int, isQuick: Bool, seed: UInt64) throws {
        self.server = server
        self.pairs = pairs
        self.isQuick = isQuick
        self.seed = seed
        session = try Session(url: server.database)
        copy = RawCopy(session: session)
        try copy.wearIn()
        postgresVersion =
            "PostgreSQL " + (try session.rows("show server_version").first?.first ?? "?")
    }

    func run(_ row: GoalRow) throws -> [GoalOutcome] {
        switch row {
        case .scanner, .rollups, .memory, .spool, .distance, .sealed: []
        case .copyLarge: [try copyRow(batch: 1000, connections: 64, goal: 1.1)]
        case .copySmall: [try copyRow(batch: 100, connections: 512, goal: 1.0)]
        case .requests: try requestRows()
        case .latency: [try latencyRow()]
        case .replay: [try replayRow()]
        case .overload: try overloadRows()
        case .meals: [try mealRow()]
        case .formats: try formatRows()
        }
    }

    // MARK: - One run over HTTP

    /// The result of one run over HTTP.
    struct Leg {
        let report: LoadReport
        let workload: FleetWorkload
        /// Readings that the answers say are stored.
        var stored: Int { workload.totals.stored + workload.uncountedReadings }
        var rowsPerSecond: Double { Double(stored) / report.seconds }
        var requestsPerSecond: Double {
            Double(report.statuses[200] ?? 0) / report.seconds
        }

        /// Why the run is void by its answers alone.
        func faultOfAnswers(allowing allowed: Set<Int> = [200]) -> String? {
            let others = report.statuses.filter { !allowed.contains($0.key) }
            guard others.isEmpty else { return "unexpected answers: \(others)" }
            guard report.lost == 0, report.broken == 0 else {
                return "lost \(report.lost), broken \(report.broken)"
            }
            let totals = workload.totals
            return totals.duplicates == 0 && totals.quarantined == 0
                ? nil : "not all stored: \(totals)"
        }
    }

    /// - Parameter shares: the percentages of positions and measurements; nil: the usual ones.
    func nextFleet(shares: (gps: Int, vital: Int)? = nil) -> FleetModel {
        seedsUsed += 1
        return fleet(seed: seed &+ seedsUsed, daysAgo: 1, shares: shares)
    }

    private func fleet(
        seed: UInt64, daysAgo: Int64, shares: (gps: Int, vital: Int)? = nil
    ) -> FleetModel {
        let today = Int64(Timestamp.now().day)
        var profile = FleetProfile(
            start: Timestamp(microseconds: (today - daysAgo) * Timestamp.microsecondsPerDay))
        profile.seed = seed
        profile.devices = Self.devices
        profile.tickSeconds = 2
        if let shares { (profile.gpsPercent, profile.vitalPercent) = shares }
        return FleetModel(profile)
    }

    /// A fleet of devices that the server knows, in tables without readings.
    func nextKnownFleet() throws -> FleetModel {
        try copy.clear()
        let (fleet, leg) = try nextGreeted()
        if let fault = try fault(of: leg) { throw ValidationError(fault) }
        try copy.clear(keepsDevices: true)
        return fleet
    }

    /// A fleet of which each device has sent one reading, a day before those that it will send, and
    /// how that went.
    func nextGreeted() throws -> (FleetModel, Leg) {
        let fleet = nextFleet()
        let before = self.fleet(seed: fleet.profile.seed, daysAgo: 2)
        let leg = try leg(before, batch: 1, readings: Self.devices) { $0.connections = 64 }
        return (fleet, leg)
    }

    func leg(
        _ fleet: FleetModel, batch: Int, readings: Int? = nil, seconds: Double = 300,
        isChecked: Bool = false, toPort port: Int? = nil, retries: Bool = true,
        prepared: Int = 0, withBodies: Bool = true, format: BodyFormat = .ingest,
        change: (inout LoadPlan) -> Void = { _ in }
    ) throws -> Leg {
        var plan = LoadPlan(
            target: try Target(url: "http://127.0.0.1:\(port ?? server.port)\(format.path)"))
        plan.headLines =
            "Content-Type: \(format.contentType)\r\nX-API-Key: \(server.key)\r\n"
        plan.durationNanoseconds = UInt64(seconds * 1e9)
        plan.seed = fleet.profile.seed
        plan.greets = true
        change(&plan)
        let workload = FleetWorkload(
            fleet: fleet,
            itinerary: WorkloadPlan(
                devices: fleet.devices.count, batch: batch, readings: readings ?? .max,
                habits: Habits(), seed: fleet.profile.seed),
            format: format, witness: isChecked ? Ledger(fleet: fleet) : nil, retries: retries)
        workload.prepare(prepared, withBodies: withBodies)
        let progress = ProgressLine(
            durationNanoseconds: plan.durationNanoseconds, readings: readings)
        let generator = LoadGenerator(plan: plan, workload: workload)
        generator.onProgress = {
            progress.update(elapsed: $0, report: $1, readings: workload.totals.records)
        }
        let report = generator.run()
        progress.finish()
        return Leg(report: report, workload: workload)
    }

    /// Why a run over HTTP is void; nil if it counts. It counts if all answers have an allowed
    /// status, every reading is stored, and the tables hold exactly the rows that the answers
    /// report.
    func fault(of leg: Leg, allowing allowed: Set<Int> = [200]) throws -> String? {
        if let fault = leg.faultOfAnswers(allowing: allowed) { return fault }
        let stored = leg.stored
        let rows = try storedRows().reduce(0, +)
        guard rows == stored else { return "\(rows) rows stored, \(stored) acknowledged" }
        guard let ledger = leg.workload.witness as? Ledger else { return nil }
        let verification = try Verification.run(ledger, on: session)
        return verification.objections.isEmpty
            ? nil : "the oracle: \(verification.objections.lines.joined(separator: "; "))"
    }

    func storedRows() throws -> [Int] {
        try ReadingKind.allCases.map {
            try session.number("select count(*) from sluice.\($0.name)")
        }
    }

    func makeDays(for fleet: FleetModel, readings: Int, batch: Int) throws {
        let days = fleet.days(readings: readings, batch: batch)
        try copy.makeDays(days.lowerBound, through: days.upperBound)
    }
}
