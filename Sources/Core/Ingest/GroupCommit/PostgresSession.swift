package import Postgres
package import Readings
package import Scanner

/// A lane's session with PostgreSQL: the statements of a group's transaction.
package final class PostgresSession: GroupSession {
    let connection: Connection
    /// What is written through it.
    private let destination: Destination
    private let statements: GroupStatements
    private var roundTrips = RoundTrips()
    /// None on Citus.
    private var sealedDays = SealedDays()
    var parameters = Parameters()
    package var times = GroupTimes()

    /// Prepares what every group needs.
    init(
        _ connection: Connection, to destination: Destination
    ) throws(PostgresError) {
        self.connection = connection
        self.destination = destination
        statements =
            switch destination {
            case .shards(nil, _): .forCoordinator
            case .shards: .ofShard
            default: .plain
            }
        try Migrator.demandCurrent(on: connection)
        try connection.together { pipeline throws(PostgresError) in
            try pipeline.parse(statements.claim)
            guard !destination.isOfShards else { return }
            for kind in ReadingKind.allCases { try pipeline.parse(statements.insertRows[kind]) }
        }
        if destination == .database { sealedDays = try SealedDays(on: connection) }
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
            // A group's rows are few, and the workers are for analysts.
            "max_parallel_workers_per_gather": "0",
        ]) { $1 }
        return settings
    }

    package var isOpen: Bool { connection.isOpen }
    package var isOutdated: Bool { connection.isOutdated }

    package var deadline: ContinuousClock.Instant {
        get { connection.deadline }
        set { connection.deadline = newValue }
    }

    package var name: String { "backend \(connection.backendID)" }

    package func probe() -> Bool { connection.probe() }

    package func close() { connection.close() }

    package func heartbeat(node: String, lane: Int) throws(PostgresError) {
        do throws(PostgresError) {
            try connection.together { pipeline throws(PostgresError) in
                try pipeline.add("BEGIN")
                parameters.removeAll()
                if case .shards(_, let key) = destination {
                    parameters.append(int8: key)
                    try pipeline.add(ShardStatements.touch, parameters)
                } else if destination == .database {
                    try pipeline.add(ClaimStatements.lockTables)
                }
                parameters.append(text: node)
                parameters.append(int4: Int32(lane))
                try pipeline.add(
                    destination.isOfShards ? ShardStatements.heartbeat : ClaimStatements.heartbeat,
                    parameters)
                try pipeline.addCommit(hasWritten: true)
            }
        } catch {
            if connection.isOpen { try connection.rollback() }
            throw error
        }
    }

    package func missingDays(among days: Set<Int32>) throws(PostgresError) -> Set<Int32> {
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

    package func codes(
        of names: [String: Set<String>]
    ) throws(PostgresError) -> [String: Int16] {
        try MetricNaming.codes(of: names, on: connection)
    }

    // MARK: Steps of a transaction

    package func begin(_ request: Claim.Request) throws(PostgresError) -> Claim.Found {
        let start = ContinuousClock.now
        let isAgain = !connection.isIdle
        let measures = !isAgain && !destination.isOfShards && roundTrips.isDue(at: start)
        if !isAgain { times = GroupTimes() }
        defer { times.claim += .now - start }
        var places = (keys: 0, lock: 0, families: 0, claim: 0)
        let keys = request.claims.map(\.key.value)
        let locks = !request.siblings.isEmpty
        let results = try connection.together { pipeline throws(PostgresError) in
            if isAgain { try pipeline.add("ROLLBACK") }
            try pipeline.add("BEGIN")
            if measures { try pipeline.measureRoundTrip() }
            if !request.registered.isEmpty {
                places.keys = try register(request.registered, &pipeline)
            }
            if locks {
                parameters.removeAll()
                parameters.append(int8s: request.siblings.union(keys).sorted())
                places.lock = try pipeline.add(ClaimStatements.lock, parameters)
            }
            places.families = places.lock + 1
            for family in request.families {
                parameters.removeAll()
                parameters.append(int8s: family)
                try pipeline.add(ClaimStatements.makeFamily, parameters)
            }
            ClaimStatements.claimParameters(request.claims, into: &parameters)
            places.claim = try pipeline.add(kept: statements.claim, parameters)
        }
        if measures, let trip = connection.roundTrip { roundTrips.add(trip, at: start) }
        var rows = Claim.Found()
        rows.previousWatermarks.reserveCapacity(keys.count)
        ClaimStatements.previousWatermarks(results[places.claim], into: &rows.previousWatermarks)
        if !request.registered.isEmpty {
            rows.families = Self.families(results[places.keys])
        }
        if locks { rows.siblings = Self.watermarks(results[places.lock]) }
        for (number, family) in request.families.enumerated()
        where results[places.families + number].count
            != family.count(where: { rows.siblings[$0] != nil })
        {
            rows.unchanged.formUnion(family)
        }
        return rows
    }

    package func owners(of keys: [Int64]) throws(PostgresError) -> [Int64: Int64] {
        parameters.removeAll()
        parameters.append(int8s: keys)
        let rows = try connection.query(ClaimStatements.owners, parameters)
        var checks: [Int64: Int64] = [:]
        for row in 0..<rows.count { checks[rows.int64(row, 0)] = rows.int64(row, 1) }
        return checks
    }

    /// A device that is registered between the two statements counts as locked.
    package func locked(among deviceBatches: [DeviceBatch]) throws(PostgresError) -> Set<Int64> {
        parameters.removeAll()
        parameters.append(int8s: Set(deviceBatches.map(\.idKey.value)).sorted())
        let known = try connection.query(ClaimStatements.families, parameters)
        let families = (0..<known.count).map { row in
            (id: known.string(row, 0), keys: Set(known.int64s(row, 1)))
        }
        let all = families.reduce(into: Set(deviceBatches.map(\.key.value))) {
            $0.formUnion($1.keys)
        }
        .sorted()
        parameters.removeAll()
        parameters.append(int8s: all)
        func devices(_ statement: String) throws(PostgresError) -> Set<Int64> {
            let rows = try connection.query(statement, parameters)
            return Set((0..<rows.count).map { rows.int64($0, 0) })
        }
        let free = try devices(ClaimStatements.lockable)
        let locked = try devices(ClaimStatements.withRows).subtracting(free)
        let ids = Set(
            families.lazy.filter { !$0.keys.isDisjoint(with: locked) }.map { Array($0.id.utf8) })
        return Set(
            deviceBatches.filter {
                locked.contains($0.key.value) || ids.contains(Array($0.deviceID.utf8))
            }.map(\.key.value))
    }

    /// - Returns: those of the rows that exist.
    private static func watermarks(_ rows: Rows) -> [Int64: ByKind<Int64>] {
        var watermarks: [Int64: ByKind<Int64>] = [:]
        for row in 0..<rows.count {
            watermarks[rows.int64(row, 0)] = ByKind {
                rows.timestamp(row, 1 + Int($0.rawValue))
            }
        }
        return watermarks
    }

    /// All keys of each of these device ids that has several, ascending.
    private static func families(_ rows: Rows) -> [[Int64]] {
        (0..<rows.count).map { Set(rows.int64s($0, 0)).sorted() }.filter { $0.count > 1 }
    }

    /// - Returns: the place of the device ids' keys. Those of a device whose key turns out to be
    ///   another's are among them; the transaction is then rolled back.
    private func register(
        _ claims: [Claim], _ pipeline: inout Connection.Pipeline
    ) throws(PostgresError) -> Int {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(texts: claims.lazy.map { $0.deviceID })
        parameters.append(texts: claims.lazy.map { $0.userID })
        parameters.append(texts: claims.lazy.map(\.modelName))
        parameters.append(texts: claims.lazy.map(\.version))
        parameters.append(timestamptzs: claims.lazy.map { $0.attributesAt })
        try pipeline.add(ClaimStatements.registerDevices, parameters)
        let place = try registerKeys(of: claims, &pipeline)
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(int8s: claims.lazy.map(\.key.check))
        try pipeline.add(ClaimStatements.registerStates, parameters)
        // A plan of the claim from when there were hardly any devices would be kept while their
        // number grows: it would walk all of them. On Citus each statement is planned on its way
        // to the shard.
        if !destination.isOfShards { try pipeline.add("DISCARD PLANS") }
        return place
    }

    private func registerKeys(
        of claims: [Claim], _ pipeline: inout Connection.Pipeline
    ) throws(PostgresError) -> Int {
        let devices = Dictionary(grouping: claims) { Array($0.deviceID.utf8) }.values
        parameters.removeAll()
        parameters.append(int8s: devices.lazy.map { $0[0].idKey.value })
        parameters.append(texts: devices.lazy.map { $0[0].deviceID })
        parameters.append(
            texts: devices.lazy.map { claims in
                "{\(claims.map { String($0.key.value) }.joined(separator: ","))}"
            })
        return try pipeline.add(ClaimStatements.registerKeys, parameters)
    }

    package func read(
        _ spans: ByKind<[Deduplication.Span]>, into sets: inout ByKind<TupleSet>
    ) throws(PostgresError) {
        try sealedDays.refresh(before: spans, on: connection)
        let reads = ReadingKind.allCases.flatMap { kind in
            sealedDays.parts(of: spans[kind], kind).map { (kind: kind, part: $0) }
        }
        guard !reads.isEmpty else { return }
        do throws(PostgresError) {
            var texts: [String] = []
            for (kind, part) in reads {
                texts.append(
                    try part.day.map { day throws(PostgresError) in
                        try sealedDays.reading(kind, day, on: connection)
                    } ?? statements.storedRows[kind])
            }
            let results = try connection.together { pipeline throws(PostgresError) in
                for ((_, part), text) in zip(reads, texts) {
                    if part.day == nil {
                        StoredRows.parameters(part.spans, into: &parameters)
                    } else {
                        SealedDays.parameters(part, into: &parameters)
                    }
                    try pipeline.add(text, parameters)
                }
            }
            for ((kind, part), rows) in zip(reads, results) {
                StoredRows.add(rows, in: part.spans, to: &sets[kind])
            }
        } catch {
            throw sealedDays.explained(error, on: connection)
        }
    }

    // MARK: Changes

    package func commit(_ changes: GroupChanges) throws(PostgresError) {
        do throws(PostgresError) {
            var changes = changes
            let late = sealedDays.takeLate(from: &changes.rows)
            if !late.isEmpty { try store(late) }
            try write(changes, hasStored: !late.isEmpty)
        } catch {
            throw sealedDays.explained(error, on: connection)
        }
    }

    /// Adds late readings to sealed days.
    private func store(_ late: [SealedDays.Late]) throws(PostgresError) {
        let start = ContinuousClock.now
        defer { times.copy += .now - start }
        var texts: [String] = []
        for entry in late { texts.append(try sealedDays.storing(entry, on: connection)) }
        try connection.together { pipeline throws(PostgresError) in
            for (entry, text) in zip(late, texts) {
                GroupStatements.columns(of: entry.rows, into: &parameters)
                try pipeline.add(text, parameters)
            }
        }
    }

    /// - Parameter hasStored: other rows were written in the transaction.
    private func write(_ changes: GroupChanges, hasStored: Bool) throws(PostgresError) {
        let start = ContinuousClock.now
        var sentAt = start
        defer {
            times.copy += sentAt - start
            times.commit = .now - sentAt
        }
        guard isCopied(changes.rows) else {
            return try insertAndCommit(changes, hasStored: hasStored) { sentAt = .now }
        }
        if !changes.isEmptyButForRows {
            try connection.together { pipeline throws(PostgresError) in
                try add(changes, to: &pipeline)
            }
        }
        let sql = changes.rows.map { GroupStatements.copy($0.kind) } + changes.due.statements
        try connection.copy((sql + ["COMMIT"]).joined(separator: "; ")) {
            number, writer throws(PostgresError) in
            try changes.rows[number].forEachRun { run throws(PostgresError) in
                try writer.write(run)
            }
            sentAt = .now
        }
    }

    /// Citus takes rows by COPY only to the shard of each; it would collect the rows of an INSERT.
    private func isCopied(_ rows: [GroupChanges.Rows]) -> Bool {
        guard !rows.isEmpty else { return false }
        let most = GroupStatements.insertBytesMax(roundTrips.shortest)
        return destination.isOfShards || rows.reduce(0) { $0 + $1.byteCount } > most
    }

    private func insertAndCommit(
        _ changes: GroupChanges, hasStored: Bool, sent: () -> Void
    ) throws(PostgresError) {
        try connection.together { pipeline throws(PostgresError) in
            try add(changes, to: &pipeline)
            for rows in changes.rows {
                GroupStatements.columns(of: rows, into: &parameters)
                try pipeline.add(kept: statements.insertRows[rows.kind], parameters)
            }
            for statement in changes.due.statements { try pipeline.add(statement) }
            try pipeline.addCommit(hasWritten: hasStored || !changes.rows.isEmpty)
            sent()
        }
    }

    /// Everything but the rows and what follows them.
    private func add(
        _ changes: GroupChanges, to pipeline: inout Connection.Pipeline
    ) throws(PostgresError) {
        if !changes.corrections.isEmpty {
            parameters.removeAll()
            parameters.append(int8s: changes.corrections.lazy.map { $0.deviceKey })
            parameters.append(int8s: changes.corrections.lazy.map { $0.readings })
            try pipeline.add(statements.subtractDuplicates, parameters)
        }
        if !changes.lowered.isEmpty {
            parameters.removeAll()
            parameters.append(int8s: changes.lowered.lazy.map(\.deviceKey))
            for kind in ReadingKind.allCases {
                parameters.append(timestamptzs: changes.lowered.lazy.map { $0.newest[kind] })
            }
            try pipeline.add(statements.lowerWatermarks, parameters)
        }
        if !changes.late.isEmpty {
            parameters.removeAll()
            parameters.append(int8s: changes.late.lazy.map(\.deviceKey))
            parameters.append(int8s: changes.late.lazy.map(\.count))
            for kind in ReadingKind.allCases {
                parameters.append(int8s: changes.late.lazy.map { $0.byMax[kind] })
            }
            try pipeline.add(statements.noteLateReadings, parameters)
        }
        if !changes.attributes.isEmpty {
            parameters.removeAll()
            parameters.append(int8s: changes.attributes.lazy.map(\.key.value))
            parameters.append(texts: changes.attributes.lazy.map(\.modelName))
            parameters.append(texts: changes.attributes.lazy.map(\.version))
            parameters.append(timestamptzs: changes.attributes.lazy.map { $0.attributesAt })
            try pipeline.add(statements.updateAttributes, parameters)
        }
        if !changes.quarantined.isEmpty {
            ClaimStatements.quarantineParameters(changes.quarantined, into: &parameters)
            try pipeline.add(ClaimStatements.quarantine, parameters)
        }
    }

    package func rollback() throws(PostgresError) { try connection.rollback() }
}

/// Units of work, through their kinds' statements.
extension PostgresSession {
    /// Prepares each kind's statement once per session; it stays prepared after a failure.
    package func record(
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
        let known = results.compactMap { $0 }
        guard known.count == count, rows.count == count else {
            throw PostgresError(
                .refused,
                message: "the statement of a kind of units gave \(rows.count) rows for \(count)")
        }
        return known
    }

    package func setAside(_ units: [ReceivedUnit], begins: Bool) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(texts: units.lazy.map(\.unit.kind.name))
        parameters.append(byteas: units.lazy.map { Array($0.unit.payload.utf8) })
        parameters.append(texts: units.lazy.map { $0.refusal?.sqlState })
        parameters.append(texts: units.lazy.map { $0.refusal?.reason })
        parameters.append(timestamptzs: units.lazy.map { $0.receivedAt.microseconds })
        try connection.together { pipeline throws(PostgresError) in
            if begins { try pipeline.add("BEGIN") }
            try pipeline.add(ClaimStatements.setAsideUnits, parameters)
        }
    }
}
