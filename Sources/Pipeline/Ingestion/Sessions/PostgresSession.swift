import Postgres
import Readings
import Scanning

/// A lane's session with PostgreSQL: the statements of a group's transaction.
final class PostgresSession: GroupSession {
    let connection: Connection
    /// What is written through it.
    private let destination: Destination
    private let statements: GroupStatements
    var parameters = Parameters()
    var times = GroupTimes()

    /// Prepares what every group needs.
    init(
        _ connection: Connection, to destination: Destination
    ) throws(PostgresError) {
        self.connection = connection
        self.destination = destination
        statements = destination.isOfShards ? .ofShard : .plain
        try Migrator.demandCurrent(on: connection)
        try connection.keep(statements.claim)
    }

    /// The settings of a lane's connections; `options` in the operator's connection string win.
    static func settings(
        _ settings: ConnectionSettings, _ configuration: IngestionConfiguration, lane: Int
    ) -> ConnectionSettings {
        var settings = settings
        settings.applicationName = "sluice lane \(lane)"
        settings.sessionSettings.merge([
            "lock_timeout": "\(configuration.rowWait / .milliseconds(1))ms",
            // The claim must take its rows in order (see ClaimStatements), and every other
            // statement of a lane looks up few rows by index as well.
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
            "enable_seqscan": "off",
            "enable_bitmapscan": "off",
            // A kept plan is made for arrays of ten elements. With the default of 0.0025, planning
            // seems so cheap that the claim of fewer devices is planned anew each time, which
            // takes as long as the claim.
            "cpu_operator_cost": "0.05",
            "jit": "off",
        ]) { $1 }
        return settings
    }

    var isOpen: Bool { connection.isOpen }
    var isOutdated: Bool { connection.isOutdated }

    var deadline: ContinuousClock.Instant {
        get { connection.deadline }
        set { connection.deadline = newValue }
    }

    var name: String { "backend \(connection.backendID)" }

    func probe() -> Bool { connection.probe() }

    func close() { connection.close() }

    func beat(node: String, lane: Int) throws(PostgresError) {
        try connection.execute("BEGIN")
        do throws(PostgresError) {
            if case .shards(_, let beatKey) = destination {
                try beat(inShardOf: beatKey, node: node, lane: lane)
            } else {
                if destination == .database {
                    try connection.execute(ClaimStatements.lockTables)
                }
                parameters.removeAll()
                parameters.append(text: node)
                parameters.append(int4: Int32(lane))
                try connection.query(ClaimStatements.beat, parameters)
            }
            try connection.commit()
        } catch {
            if connection.isOpen { try connection.rollback() }
            throw error
        }
    }

    private func beat(
        inShardOf key: Int64, node: String, lane: Int
    ) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8: key)
        try connection.query(ShardStatements.touch, parameters)
        parameters.append(text: node)
        parameters.append(int4: Int32(lane))
        try connection.query(ShardStatements.beat, parameters)
    }

    func missingDays(among days: Set<Int32>) throws(PostgresError) -> Set<Int32> {
        parameters.removeAll()
        parameters.append(int4s: days)
        let rows = try connection.query(
            """
            SELECT DISTINCT m.day - date '2000-01-01'
            FROM (SELECT date '2000-01-01' + n AS day FROM unnest($1) n) d,
                sluice.missing_days(d.day, d.day) m
            """, parameters)
        return Set((0..<rows.count).map { rows.int32($0, 0) })
    }

    // MARK: Steps of a transaction

    func begin(
        claiming claims: [Claim], into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        times = GroupTimes()
        let start = ContinuousClock.now
        ClaimStatements.claimParameters(claims, into: &parameters)
        let rows = try connection.begin(thenKept: statements.claim, parameters)
        ClaimStatements.holdings(rows, into: &holdings)
        times.claim = .now - start
    }

    func begin(
        registering missing: [Claim], claiming claims: [Claim],
        into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        let start = ContinuousClock.now
        defer { times.claim += .now - start }
        try connection.execute("BEGIN")
        try register(missing)
        // A plan from when there were hardly any devices would be kept while their number grows.
        try connection.renew(statements.claim)
        ClaimStatements.claimParameters(claims, into: &parameters)
        let rows = try connection.query(kept: statements.claim, parameters)
        ClaimStatements.holdings(rows, into: &holdings)
    }

    func owners(of keys: [Int64]) throws(PostgresError) -> [Int64: Int64] {
        parameters.removeAll()
        parameters.append(int8s: keys)
        let rows = try connection.query(ClaimStatements.owners, parameters)
        var checks: [Int64: Int64] = [:]
        for row in 0..<rows.count { checks[rows.int64(row, 0)] = rows.int64(row, 1) }
        return checks
    }

    /// A device that is registered between the two statements counts as locked.
    func locked(among keys: [Int64]) throws(PostgresError) -> Set<Int64> {
        parameters.removeAll()
        parameters.append(int8s: keys)
        let rows = try connection.query(ClaimStatements.lockable, parameters)
        let free = Set((0..<rows.count).map { rows.int64($0, 0) })
        return try Set(owners(of: keys).keys).subtracting(free)
    }

    private func register(_ claims: [Claim]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(texts: claims.lazy.map { $0.deviceID })
        parameters.append(texts: claims.lazy.map(\.userID))
        parameters.append(texts: claims.lazy.map(\.modelName))
        parameters.append(texts: claims.lazy.map(\.version))
        parameters.append(timestamptzs: claims.lazy.map { $0.attributesAt })
        try connection.query(ClaimStatements.registerDevices, parameters)
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(int8s: claims.lazy.map(\.key.check))
        try connection.query(ClaimStatements.registerStates, parameters)
    }

    func read(
        _ kind: ReadingKind, in spans: [Sifting.Span], into set: inout TupleSet
    ) throws(PostgresError) {
        try StoredRows.read(statements.storedRows[kind], spans, connection, into: &set)
    }

    func subtract(_ corrections: [CountCorrection]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: corrections.lazy.map { $0.deviceKey })
        parameters.append(int8s: corrections.lazy.map { $0.readings })
        try connection.query(statements.subtractDuplicates, parameters)
    }

    func note(_ lateReadings: [LateReadings]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: lateReadings.lazy.map(\.deviceKey))
        parameters.append(int8s: lateReadings.lazy.map(\.count))
        for kind in ReadingKind.allCases {
            parameters.append(int8s: lateReadings.lazy.map { $0.byMax[kind] })
        }
        try connection.query(statements.noteLateReadings, parameters)
    }

    func updateAttributes(_ claims: [Claim]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(texts: claims.lazy.map(\.userID))
        parameters.append(texts: claims.lazy.map(\.modelName))
        parameters.append(texts: claims.lazy.map(\.version))
        parameters.append(timestamptzs: claims.lazy.map { $0.attributesAt })
        try connection.query(statements.updateAttributes, parameters)
    }

    func quarantine(_ readings: [GroupQuarantined]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: readings.lazy.map { $0.deviceKey })
        parameters.append(texts: readings.lazy.map { $0.deviceID })
        parameters.append(texts: readings.lazy.map { $0.reading.reason.rawValue })
        parameters.append(byteas: readings.lazy.map { $0.reading.body })
        parameters.append(int4s: readings.lazy.map { Int32(clamping: $0.reading.index) })
        parameters.append(texts: readings.lazy.map { $0.keyName })
        parameters.append(timestamptzs: readings.lazy.map { $0.receivedAt.microseconds })
        try connection.query(ClaimStatements.quarantine, parameters)
    }

    func copyAndCommit(_ copies: [GroupCopy], _ due: DueHours) throws(PostgresError) {
        let start = ContinuousClock.now
        var sentAt = start
        defer {
            times.copy += sentAt - start
            times.commit = .now - sentAt
        }
        guard !copies.isEmpty else { return try connection.commit() }
        var sql = ""
        for copy in copies {
            let columns = copy.kind.schema.columns.joined(separator: ", ")
            sql += "COPY sluice.\(copy.kind.name) (\(columns)) FROM STDIN (FORMAT binary); "
        }
        sql += due.sql + "COMMIT"
        try connection.copy(sql) { number, writer throws(PostgresError) in
            try copies[number].forEachRun { run throws(PostgresError) in try writer.write(run) }
            sentAt = .now
        }
    }

    func rollback() throws(PostgresError) { try connection.rollback() }
}

/// Units of work, through their kinds' statements.
extension PostgresSession {
    /// Prepares each kind's statement once per session; it stays prepared after a failure.
    func record(
        _ kind: UnitKind, _ units: [ReceivedUnit], begins: Bool
    ) throws(PostgresError) -> [String] {
        if begins { times = GroupTimes() }
        let start = ContinuousClock.now
        defer { times.copy += .now - start }
        parameters.removeAll()
        parameters.append(texts: units.lazy.map { $0.unit.payload })
        parameters.append(timestamptzs: units.lazy.map { $0.receivedAt.microseconds })
        parameters.append(bools: units.lazy.map(\.isLate))
        let rows =
            begins
            ? try connection.begin(thenKept: kind.statement, parameters)
            : try connection.query(kept: kind.statement, parameters)
        return try Self.results(rows, count: units.count)
    }

    /// A statement that violates the rules of ``UnitKind`` fails its own units, not the process.
    private static func results(_ rows: Rows, count: Int) throws(PostgresError) -> [String] {
        var results = [String?](repeating: nil, count: count)
        for row in 0..<rows.count {
            guard rows.columnCount == 2, !rows.isNull(row, 0), rows.bytes(row, 0).count == 4,
                results.indices.contains(Int(rows.int32(row, 0)) - 1), !rows.isNull(row, 1)
            else { continue }
            results[Int(rows.int32(row, 0)) - 1] = rows.string(row, 1)
        }
        let told = results.compactMap { $0 }
        guard told.count == count, rows.count == count else {
            throw PostgresError(
                .refused,
                message: "the statement of a kind of units gave \(rows.count) rows for \(count)")
        }
        return told
    }

    func setAside(_ units: [ReceivedUnit], begins: Bool) throws(PostgresError) {
        if begins { try connection.execute("BEGIN") }
        parameters.removeAll()
        parameters.append(texts: units.lazy.map(\.unit.kind.name))
        parameters.append(byteas: units.lazy.map { Array($0.unit.payload.utf8) })
        parameters.append(texts: units.lazy.map { $0.refusal?.sqlState })
        parameters.append(texts: units.lazy.map { $0.refusal?.reason.rawValue })
        parameters.append(timestamptzs: units.lazy.map { $0.receivedAt.microseconds })
        try connection.query(ClaimStatements.setAsideUnits, parameters)
    }
}
