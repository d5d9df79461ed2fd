import Postgres
import Readings
import Scanning

/// A lane's session with PostgreSQL: the statements of a group's transaction.
final class PostgresSession: GroupSession {
    let connection: Connection
    /// What is written by way of it.
    let destination: Destination
    /// On Citus: where partitions are made.
    private let coordinator: ConnectionSettings
    var parameters = Parameters()
    var times = GroupTimes()
    /// Names of the statements of kinds that were prepared.
    var preparedKinds: [UnitKind: String] = [:]

    /// Prepares what every group needs.
    init(
        _ connection: Connection, to destination: Destination, coordinator: ConnectionSettings
    ) throws(PostgresError) {
        self.connection = connection
        self.destination = destination
        self.coordinator = coordinator
        try Migrator.demandCurrent(on: connection)
        try Self.demandDurability(connection)
        try prepareClaim()
    }

    private func prepareClaim() throws(PostgresError) {
        try connection.prepare(
            ClaimStatements.claimName,
            destination.isOfShards ? ShardStatements.claim : ClaimStatements.claim,
            types: ClaimStatements.claimTypes)
    }

    /// A 200 promises that the data is on disk: a server or role that is set to commit without
    /// waiting for that is overruled; a stricter setting stays.
    private static func demandDurability(_ connection: Connection) throws(PostgresError) {
        let rows = try connection.query("SELECT current_setting('synchronous_commit')")
        if rows.string(0, 0) == "off" {
            try connection.execute("SET synchronous_commit = on")
        }
    }

    /// What a lane's connections are set to; `settings` of the operator's win.
    static func settings(
        _ settings: ConnectionSettings, _ configuration: IngestionConfiguration, lane: Int
    ) -> ConnectionSettings {
        var settings = settings
        settings.applicationName = "sluice lane \(lane)"
        settings.sessionSettings.merge([
            "lock_timeout": "\(configuration.lockWaitMax / .milliseconds(1))ms",
            // The claim must take its rows in order (see ClaimStatements), and every other
            // statement of a lane looks up few rows by index as well.
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
            "enable_seqscan": "off",
            "enable_bitmapscan": "off",
            "jit": "off",
        ]) { $1 }
        return settings
    }

    var isOpen: Bool { connection.isOpen }

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

    func ensureDays(_ days: ClosedRange<Int32>) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(date: days.lowerBound)
        parameters.append(date: days.upperBound)
        guard destination.isOfShards else {
            try connection.query(Self.makeDays, parameters)
            return
        }
        // Definitions are the coordinator's business; as long as nothing is missing, nobody needs
        // it to be there.
        let missing = try connection.query(
            "SELECT count(*) FROM sluice.missing_days($1, $2)", parameters)
        guard missing.int64(0, 0) > 0 else { return }
        let connection = try Connection.open(coordinator, deadline: deadline)
        defer { connection.close() }
        try connection.query(Self.makeDays, parameters)
    }

    private static let makeDays = "SELECT sluice.ensure_days($1, $2)"

    func daysThatLeft(among days: Set<Int32>) throws(PostgresError) -> Set<ReadingDay> {
        parameters.removeAll()
        parameters.append(int4s: days)
        guard destination.isOfShards else { return try daysThatLeft(connection) }
        let connection = try Connection.open(coordinator, deadline: deadline)
        defer { connection.close() }
        return try daysThatLeft(connection)
    }

    private func daysThatLeft(_ connection: Connection) throws(PostgresError) -> Set<ReadingDay> {
        let rows = try connection.query(Self.daysThatLeft, parameters)
        var days: Set<ReadingDay> = []
        for row in 0..<rows.count {
            let name = rows.string(row, 0)
            for kind in ReadingKind.allCases where "\(kind.name)" == name {
                days.insert(ReadingDay(kind: kind, day: rows.int32(row, 1)))
            }
        }
        return days
    }

    /// Readings can't be stored without the sums that are made of them.
    private static let daysThatLeft = """
        SELECT DISTINCT replace(m.kind, '_rollup', ''), m.day - date '2000-01-01'
        FROM (
            SELECT DISTINCT a.day FROM sluice.archive a
            WHERE a.day IN (SELECT date '2000-01-01' + n FROM unnest($1) n)
        ) d, sluice.missing_days(d.day, d.day) m
        WHERE EXISTS (
            SELECT FROM sluice.missing_days(d.day, d.day) o WHERE sluice.is_out(o.kind, o.day)
        )
        """

    // MARK: Steps of a transaction

    func begin(
        claiming claims: [Claim], into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        times = GroupTimes()
        let start = ContinuousClock.now
        ClaimStatements.claimParameters(claims, into: &parameters)
        let rows = try connection.begin(thenPrepared: ClaimStatements.claimName, parameters)
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
        // A plan that was made while there were hardly any devices would be kept while they come.
        try connection.execute("DEALLOCATE \(ClaimStatements.claimName)")
        try prepareClaim()
        ClaimStatements.claimParameters(claims, into: &parameters)
        let rows = try connection.query(prepared: ClaimStatements.claimName, parameters)
        ClaimStatements.holdings(rows, into: &holdings)
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
        let statement =
            destination.isOfShards ? ShardStatements.storedRows(kind) : StoredRows.statement(kind)
        try StoredRows.read(statement, spans, connection, into: &set)
    }

    func subtract(_ corrections: [CountCorrection]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: corrections.lazy.map { $0.deviceKey })
        parameters.append(int8s: corrections.lazy.map { $0.readings })
        try connection.query(
            destination.isOfShards
                ? ShardStatements.subtractDuplicates : ClaimStatements.subtractDuplicates,
            parameters)
    }

    func note(_ lateReadings: [LateReadings]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: lateReadings.lazy.map(\.deviceKey))
        parameters.append(int8s: lateReadings.lazy.map(\.count))
        for kind in ReadingKind.allCases {
            parameters.append(int8s: lateReadings.lazy.map { $0.byMax[Int(kind.rawValue)] })
        }
        try connection.query(
            destination.isOfShards
                ? ShardStatements.noteLateReadings : ClaimStatements.noteLateReadings,
            parameters)
    }

    func updateAttributes(_ claims: [Claim]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(texts: claims.lazy.map(\.userID))
        parameters.append(texts: claims.lazy.map(\.modelName))
        parameters.append(texts: claims.lazy.map(\.version))
        parameters.append(timestamptzs: claims.lazy.map { $0.attributesAt })
        try connection.query(
            destination.isOfShards
                ? ShardStatements.updateAttributes : ClaimStatements.updateAttributes,
            parameters)
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

    func copyAndCommit(_ copies: [GroupCopy], _ rollups: Rollups?) throws(PostgresError) {
        let start = ContinuousClock.now
        var sentAt = start
        defer {
            times.copy += sentAt - start
            times.commit = .now - sentAt
        }
        guard !copies.isEmpty else { return try connection.commit() }
        let sums = rollups.map(RollupStatements.init)
        var sql = ""
        for copy in copies {
            let columns = StoredRows.columns(copy.kind).joined(separator: ", ")
            sql += "COPY sluice.\(copy.kind.name) (\(columns)) FROM STDIN (FORMAT binary); "
        }
        sql += (sums?.sql ?? "") + "COMMIT"
        try connection.copy(sql) { number, writer throws(PostgresError) in
            if number < copies.count {
                try copies[number].forEachRun { run throws(PostgresError) in try writer.write(run) }
            } else if let sums {
                try writer.write(sums.copies[number - copies.count])
            }
            sentAt = .now
        }
    }

    func rollback() throws(PostgresError) { try connection.rollback() }
}
