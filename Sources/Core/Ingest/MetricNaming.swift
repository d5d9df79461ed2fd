public import Auth
public import Postgres
public import Readings
public import Scanner
import Synchronization

/// Gives the names of metrics their codes, before the lanes.
///
/// Codes are in `sluice.metric_name`. A name that is known is looked up in memory. A batch with an
/// unknown one waits here until the database has given it a code, which is committed at once, so
/// that a name has one code for good, whatever becomes of the batch. While the database is
/// unreachable, batches with known names go to the spool like any other, and those with unknown
/// ones are turned away: what a spool keeps has its codes.
///
/// - Limits: bytes that wait; new names of a key (``MetricName/ofKeyMax``). A reading whose name is
///   beyond it is quarantined.
public final class MetricNaming: BatchSink {
    private struct Waiting: Sendable {
        let batch: ScannedBatch
        let key: KeyID
        let ticket: UInt64
        let replyTo: BatchTarget
    }

    private struct State: Sendable {
        var codes: [String: Int16] = [:]
        var waiting: [Waiting] = []
        var bytes = 0
        var isAsking = false
    }

    private let sink: any BatchSink
    private let database: Database
    private let state = Mutex(State())

    /// Bytes of batches that wait for codes.
    static let bytesMax = 64 * 1024 * 1024
    private static let statementMax: Duration = .seconds(5)
    private static let retryAfter: Duration = .seconds(5)

    /// - Parameters:
    ///   - sink: gets the batches with their codes.
    ///   - database: on Citus, the coordinator's.
    public init(_ sink: any BatchSink, database: Database) {
        self.sink = sink
        self.database = database
    }

    /// See ``BatchSink``.
    public func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer {
        let names = batch.metricNames
        guard !names.isEmpty else {
            return sink.offer(batch, key: key, ticket: ticket, replyTo: replyTo)
        }
        let memory = batch.memory
        let known: (codes: [Int16?]?, offer: Offer, asks: Bool) = state.withLock { state in
            let codes = names.map { state.codes[$0] }
            if !codes.contains(nil) { return (codes, .taken, false) }
            guard state.bytes + memory <= Self.bytesMax else {
                return (nil, .full(retryAfter: Self.retryAfter), false)
            }
            state.bytes += memory
            state.waiting.append(
                Waiting(batch: batch, key: key, ticket: ticket, replyTo: replyTo))
            defer { state.isAsking = true }
            return (nil, .taken, !state.isAsking)
        }
        if let codes = known.codes {
            return sink.offer(batch.resolved(codes), key: key, ticket: ticket, replyTo: replyTo)
        }
        if known.asks { Task { await ask() } }
        return known.offer
    }

    /// Asks for the codes of all that wait, until nothing waits any more.
    private func ask() async {
        while true {
            let waiting: [Waiting] = state.withLock { state in
                defer { (state.waiting, state.bytes) = ([], 0) }
                state.isAsking = !state.waiting.isEmpty
                return state.waiting
            }
            guard !waiting.isEmpty else { return }
            var wanted: [String: Set<String>] = [:]
            for entry in waiting {
                wanted[entry.key.name, default: []].formUnion(entry.batch.metricNames)
            }
            let names = wanted.mapValues { $0.sorted() }
            let found = try? await database.withConnection(
                useMax: Self.statementMax, within: Self.statementMax * 2
            ) { connection in
                var codes: [String: [String: Int16]] = [:]
                for (key, names) in names {
                    codes[key] = try Self.codes(of: names, ofKey: key, on: connection)
                }
                return codes
            }
            for entry in waiting { settle(entry, found?[entry.key.name]) }
            sink.dispatch()
        }
    }

    /// - Parameter codes: nil: the database gave none.
    private func settle(_ entry: Waiting, _ codes: [String: Int16]?) {
        var outcome = BatchOutcome.unavailable(retryAfter: Self.retryAfter)
        if let codes {
            state.withLock { $0.codes.merge(codes) { $1 } }
            let batch = entry.batch.resolved(entry.batch.metricNames.map { codes[$0] })
            switch sink.offer(batch, key: entry.key, ticket: entry.ticket, replyTo: entry.replyTo) {
            case .taken: return
            case .full(let time), .shareUsedUp(let time), .unavailable(let time):
                outcome = .unavailable(retryAfter: time)
            }
        }
        entry.replyTo.deliver([BatchOutcome.Acknowledgement(ticket: entry.ticket, outcome: outcome)]
        )
    }

    /// The codes of names; new names get one, as far as the key may bring more.
    public static func codes(
        of names: [String], ofKey key: String, on connection: Connection
    ) throws(PostgresError) -> [String: Int16] {
        var parameters = Parameters()
        parameters.append(texts: names.lazy.map { $0 })
        parameters.append(text: key)
        parameters.append(int4: Int32(MetricName.ofKeyMax))
        let rows = try connection.query(
            """
            SELECT metric, metric_code::int4 FROM sluice.name_metrics($1, $2, $3)
            WHERE metric_code IS NOT NULL
            """, parameters)
        var codes: [String: Int16] = [:]
        for row in 0..<rows.count { codes[rows.string(row, 0)] = Int16(rows.int32(row, 1)) }
        return codes
    }

    // MARK: As the lanes say

    /// See ``BatchSink``.
    public func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? {
        sink.refusal(forBytes: bytes, of: device)
    }

    /// See ``BatchSink``.
    public func offer(_ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget) -> Offer {
        sink.offer(unit, ticket: ticket, replyTo: replyTo)
    }

    /// See ``BatchSink``.
    public func dispatch() { sink.dispatch() }

    /// See ``BatchSink``.
    public var durability: Durability { sink.durability }

    /// See ``BatchSink``.
    public var isDatabaseUp: Bool { sink.isDatabaseUp }

    /// See ``BatchSink``.
    public var isAvailable: Bool { sink.isAvailable }
}
