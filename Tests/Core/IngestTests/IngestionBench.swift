import Auth
import Foundation
import Ingest
import Instruments
import Logging
import Postgres
import Readings
import Scanner
import SpoolLog
import Synchronization
import TestSupport
import Testing

/// An ingestor on a database of its own, and the helpers that tests use with it.
final class Bench: Sendable {
    let settings: ConnectionSettings
    let ingestor: Ingestor
    let registry = Registry()
    private let wallClock = WallClock(Bench.now)
    private let answers = Answers<BatchCounts>()
    private let unitAnswers = Answers<String>()
    private let nextTicket = Atomic<UInt64>(1)

    static let now = Timestamp(unixSeconds: 1_770_800_000)  // 2026-02-11T08:53:20Z

    /// - Parameters:
    ///   - coordinator: nil: the server of `settings`.
    ///   - shards: nil: plain PostgreSQL.
    ///   - spool: nil: batches are turned away while the database doesn't take them.
    init(
        _ settings: ConnectionSettings, _ configuration: IngestionConfiguration = unhurried,
        coordinator: ConnectionSettings? = nil, shards: ShardTable? = nil,
        spool: sending Spool<DirectoryDisk>? = nil, unitKinds: [UnitKind] = [],
        log: (any LogHandler)? = nil
    ) async {
        self.settings = settings
        ingestor = Ingestor(
            configuration: configuration, settings: settings, coordinator: coordinator,
            shards: shards, spool: spool, unitKinds: unitKinds, registry: registry,
            logger: Logger(label: "test") { _ in log ?? SwiftLogNoOpLogHandler() },
            clock: { [wallClock] in Timestamp(microseconds: wallClock.load()) })
        _ = await ingestor.connect()
    }

    /// For tests that don't measure time limits: the machine may stall.
    static var unhurried: IngestionConfiguration {
        var configuration = IngestionConfiguration()
        configuration.patience = .seconds(60)
        configuration.attemptMax = .seconds(60)
        configuration.stallMax = .seconds(60)
        configuration.connectMax = .seconds(60)
        configuration.lockWaitMax = .seconds(30)
        configuration.narrowAfter = .seconds(30)
        configuration.heartbeatMax = .seconds(30)
        return configuration
    }

    func set(clock: Timestamp) { wallClock.store(clock.microseconds) }

    /// Ends the ingestor as a server does when it is stopped.
    func finish() async {
        await ingestor.finish(by: .now + .seconds(20))
    }

    /// A bench on a fresh, migrated database.
    static func fresh(
        _ name: String, _ configuration: IngestionConfiguration = unhurried
    ) async throws -> Bench {
        await Bench(try TestCluster.shared.freshDatabase(named: name), configuration)
    }

    static func scan(_ body: String) throws -> ScannedBatch { try scan(Array(body.utf8), now: now) }

    static func scan(
        _ body: [UInt8], now: Timestamp, shape: BodyShape = .document,
        limits: ReadingLimits = ReadingLimits()
    ) throws -> ScannedBatch {
        var scanner = BatchScanner(limits: limits)
        scanner.begin(now: now, shape: shape)
        try scanner.scan(body.span.bytes)
        return try scanner.finish()
    }

    /// Posts a body and waits for its answer.
    func post(_ body: String, key: String = "test") async throws -> BatchOutcome {
        let batch = try Self.scan(body)
        let ticket = nextTicket.add(1, ordering: .relaxed).newValue
        return await answers.wait(for: ticket) {
            let offer = self.ingestor.offer(
                batch, key: KeyID(name: key, id: nil), ticket: ticket, replyTo: self.answers)
            self.ingestor.dispatch()
            return offer
        }
    }

    /// Posts a body of one reading until it is stored. If the machine stalls, an impatient ingestor
    /// may give up an attempt that still succeeds.
    func store(_ body: String) async throws {
        let isStored = try await eventually {
            let outcome = try await post(body)
            return outcome == .stored(1) || outcome == .stored(0, duplicates: 1)
        }
        #expect(isStored)
    }

    /// Posts a unit and waits for its answer.
    func post(_ unit: WorkUnit) async -> UnitOutcome {
        let ticket = nextTicket.add(1, ordering: .relaxed).newValue
        return await unitAnswers.wait(for: ticket) {
            let offer = self.ingestor.offer(unit, ticket: ticket, replyTo: self.unitAnswers)
            self.ingestor.dispatch()
            return offer
        }
    }

    /// Offers batches and units in this order, all before the lane can begin the first.
    ///
    /// - Parameter times: when each batch is received, if not at the bench's time.
    /// - Returns: their answers in the same order; nil for an offer that was not taken.
    func post(
        together batches: [String] = [], at times: [Timestamp] = [], _ units: [WorkUnit]
    ) async throws -> (batches: [BatchOutcome?], units: [UnitOutcome?]) {
        let scanned = try batches.map(Self.scan)
        let gathered = Gathered<BatchCounts>()
        let gatheredUnits = Gathered<String>()
        var (taken, unitsTaken) = (0, 0)
        for (ticket, batch) in scanned.enumerated() {
            if ticket < times.count { set(clock: times[ticket]) }
            let offer = ingestor.offer(
                batch, key: KeyID(name: "test", id: nil), ticket: UInt64(ticket),
                replyTo: gathered)
            if offer == .taken { taken += 1 }
        }
        for (index, unit) in units.enumerated() {
            let offer = ingestor.offer(unit, ticket: UInt64(index), replyTo: gatheredUnits)
            if offer == .taken { unitsTaken += 1 }
        }
        ingestor.dispatch()
        let outcomes = await gathered.wait(for: taken)
        let unitOutcomes = await gatheredUnits.wait(for: unitsTaken)
        return (
            batches.indices.map { outcomes[UInt64($0)] },
            units.indices.map { unitOutcomes[UInt64($0)] }
        )
    }

    func connection() throws -> Connection {
        try Connection.open(settings, deadline: .now + .seconds(300))
    }

    /// Runs statements before a bench exists.
    static func run(_ sql: String, on settings: ConnectionSettings) throws {
        let connection = try Connection.open(settings, deadline: .now + .seconds(300))
        defer { connection.close() }
        try connection.execute(sql)
    }

    /// The first column of a query as text.
    func query(_ sql: String) throws -> [String] {
        let connection = try connection()
        defer { connection.close() }
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.isNull($0, 0) ? "NULL" : rows.string($0, 0) }
    }

    /// How many readings lanes have quarantined for this reason.
    func setAsideByLanes(_ reason: QuarantineReason) -> Int {
        registry.figures()["sluice_quarantined_readings_total"]
            .filter { $0["reason"] == reason.rawValue && $0["found_by"] == "database" }
            .reduce(0) { $0 + Int($1.value) }
    }

    func count(_ table: String) throws -> Int {
        Int(try query("SELECT count(*)::text FROM \(table)")[0])!
    }
}

/// A clock that stands still.
private final class WallClock: Sendable {
    private let microseconds: Atomic<Int64>

    init(_ time: Timestamp) { microseconds = Atomic(time.microseconds) }

    func load() -> Int64 { microseconds.load(ordering: .relaxed) }
    func store(_ value: Int64) { microseconds.store(value, ordering: .relaxed) }
}

/// Hands each answer to the caller that waits for it.
final class Answers<Committed: Sendable & Equatable>: AcknowledgementTarget {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<Outcome<Committed>, Never>] = [:]
        var unexpected = 0
    }

    private let state = Mutex(State())

    func deliver(_ acknowledgements: [Outcome<Committed>.Acknowledgement]) {
        for acknowledgement in acknowledgements {
            let continuation = state.withLock {
                $0.waiting.removeValue(forKey: acknowledgement.ticket)
            }
            precondition(continuation != nil, "an answer nobody waits for, or a second one")
            continuation?.resume(returning: acknowledgement.outcome)
        }
    }

    func wait(for ticket: UInt64, _ offer: () -> Offer) async -> Outcome<Committed> {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting[ticket] = continuation }
            let refusal: Outcome<Committed>? =
                switch offer() {
                case .taken: nil
                case .full(let retryAfter), .shareUsedUp(let retryAfter),
                    .unavailable(let retryAfter):
                    .unavailable(retryAfter: retryAfter)
                }
            if let refusal {
                state.withLock { $0.waiting.removeValue(forKey: ticket) }?
                    .resume(returning: refusal)
            }
        }
    }
}

/// Collects answers by ticket.
final class Gathered<Committed: Sendable & Equatable>: AcknowledgementTarget {
    private let outcomes = Mutex<[UInt64: Outcome<Committed>]>([:])

    func deliver(_ acknowledgements: [Outcome<Committed>.Acknowledgement]) {
        outcomes.withLock { outcomes in
            for acknowledgement in acknowledgements {
                let known = outcomes.updateValue(
                    acknowledgement.outcome, forKey: acknowledgement.ticket)
                precondition(known == nil, "a second answer")
            }
        }
    }

    func wait(for count: Int) async -> [UInt64: Outcome<Committed>] {
        _ = try? await eventually { outcomes.withLock { $0.count } >= count }
        return outcomes.withLock { $0 }
    }
}

/// Bodies made of simple readings.
enum Bodies {
    static func time(_ second: Int) -> String {
        let base = 1_770_700_000 + second
        let date = Date(timeIntervalSince1970: Double(base))
        return ISO8601DateFormatter().string(from: date)
    }

    static func vital(_ second: Int, _ value: Double = 70, code: Int = 1) -> String {
        "{\"t\":\"\(time(second))\",\"type\":\"vital\",\"code\":\(code),\"val\":\(value)}"
    }

    static func gps(_ second: Int, _ latitude: Double = 1) -> String {
        "{\"t\":\"\(time(second))\",\"type\":\"gps\",\"lat\":\(latitude),\"lon\":2,\"acc\":5}"
    }

    static func event(_ second: Int, _ metadata: String = "null") -> String {
        "{\"t\":\"\(time(second))\",\"type\":\"event\",\"label\":\"l\",\"metadata\":\(metadata)}"
    }

    static func batch(_ device: String, _ readings: [String]) -> String {
        "{\"metadata\":{\"device_id\":\"\(device)\"},\"data\":[\(readings.joined(separator: ","))]}"
    }

    static func batch(_ device: String, user: String, _ readings: [String]) -> String {
        let metadata = "{\"device_id\":\"\(device)\",\"user_id\":\"\(user)\"}"
        return "{\"metadata\":\(metadata),\"data\":[\(readings.joined(separator: ","))]}"
    }
}

extension BatchOutcome {
    /// - Parameter refused: readings that the lane quarantined, in addition to the scanner's
    ///   `quarantined`.
    static func stored(
        _ stored: Int, duplicates: Int = 0, quarantined: Int = 0,
        refused: LaneRefusals = LaneRefusals()
    ) -> BatchOutcome {
        .committed(
            stored: stored, duplicates: duplicates, quarantined: quarantined + refused.count,
            refusals: refused)
    }
}
