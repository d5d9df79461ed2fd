import Ingest
import Postgres
import Readings
import Scanner
import SpoolLogSupport

/// The statements of a group, as PostgreSQL executes them.
extension ModelSession {
    func heartbeat(node: String, lane: Int) throws(PostgresError) {
        try arrive()
        if run.sabotage == .blamesEverybody, run.operators.isIntervening { throw refused("55P03") }
        try demandWritable()
        try travel()
    }

    func missingDays(among days: Set<Int32>) throws(PostgresError) -> Set<Int32> {
        try arrive()
        try travel()
        return days.subtracting(database.days)
    }

    /// A name's code does not depend on who asked first.
    func codes(of names: [String: Set<String>]) throws(PostgresError) -> [String: Int16] {
        precondition(transaction == nil, "BUG: names get codes in a transaction")
        precondition(
            destination == (run.shardTable == nil ? .database : .coordinator),
            "BUG: names get codes from \(destination)")
        try arrive()
        try demandWritable()
        try travel()
        return names.values.reduce(into: [:]) { codes, names in
            for name in names { codes[name] = Workload.code(ofMetric: name) }
            if run.sabotages(.swapsCodes, once: 5), let name = names.min() { codes[name] = 7 }
        }
    }

    func begin(_ request: Claim.Request) throws(PostgresError) -> Claim.Found {
        demandOneShard(request.claims)
        try arrive(endsTransaction: true)
        if let transaction { database.rollBack(transaction) }
        transaction = database.begin(self)
        var rows = Claim.Found()
        if !request.registered.isEmpty {
            rows.families = try register(request.registered).filter { $0.count > 1 }
        }
        if !request.siblings.isEmpty {
            let keys = request.siblings.union(request.claims.lazy.map(\.key.value))
            rows.siblings = try lock(keys.sorted())
        }
        for family in request.families where try !makeFamily(of: family) {
            rows.unchanged.formUnion(family)
        }
        try claim(request.claims, into: &rows.previousWatermarks)
        try travel()
        return rows
    }

    private func lock(_ keys: [Int64]) throws(PostgresError) -> [Int64: ByKind<Int64>] {
        try goOn()
        guard let transaction else { throw lost() }
        try demandWritable()
        var watermarks: [Int64: ByKind<Int64>] = [:]
        for key in keys where (transaction.states[key] ?? database.states[key]) != nil {
            try lock(.state(key), transaction)
            watermarks[key] = (transaction.states[key] ?? database.states[key])?.watermarks
        }
        return watermarks
    }

    /// - Returns: whether all rows were changed.
    private func makeFamily(of keys: [Int64]) throws(PostgresError) -> Bool {
        try goOn()
        guard let transaction else { throw lost() }
        try demandWritable()
        var isWhole = true
        for key in keys {
            guard var state = transaction.states[key] ?? database.states[key] else { continue }
            try lock(.state(key), transaction)
            if database.keptStates.contains(key) {
                isWhole = false
                continue
            }
            state = transaction.states[key] ?? database.states[key] ?? state
            state.family = keys
            transaction.states[key] = state
        }
        return isWhole
    }

    /// On Citus all rows of a group belong to one shard, and the group is written on the node that
    /// has it.
    private func demandOneShard(_ claims: [Claim]) {
        guard let table = run.shardTable else {
            precondition(destination == .database, "BUG: \(destination) without shards")
            return
        }
        // Of readings that name no device.
        if claims.isEmpty { return }
        let places = Set(claims.map { table.place(of: $0.key.value) })
        guard case .shards(let owner, _) = destination, places.count == 1, let place = places.first
        else { preconditionFailure("BUG: a group of shards \(places) to \(destination)") }
        let owners = [table, run.firstTable].compactMap { $0?.shards[place].owner }
        precondition(
            owner.map(owners.contains) ?? true,
            "BUG: shard \(place) is written to \(destination)")
    }

    /// What `UPDATE … FROM` applies: of several source rows for one table row, it applies one
    /// arbitrary row without any notice.
    private func applied<Source>(
        _ sources: some Sequence<Source>, key: (Source) -> Int64
    ) -> [Source] {
        var places: [Int64: [Int]] = [:]
        let sources = Array(sources)
        for (place, source) in sources.enumerated() {
            places[key(source), default: []].append(place)
        }
        guard places.count < sources.count else { return sources }
        return sources.indices.compactMap { place in
            guard let rivals = places[key(sources[place])], rivals[0] == place else { return nil }
            return sources[rivals[run.scheduler.dice.below(rivals.count)]]
        }
    }

    /// Claims row by row, in the order given. If another transaction has locked a row, it waits and
    /// then reads the row's new version. It does not wait for a row that belongs to another device
    /// with the same key.
    private func claim(
        _ claims: [Claim], into previousWatermarks: inout [Int64: Claim.Previous]
    ) throws(PostgresError) {
        try goOn()
        guard let transaction else { throw lost() }
        try demandPrepared()
        if run.sabotage == .locksNeighbours, run.operators.isHolding {
            try waitForOperator()
        }
        let isBackwards = run.sabotages(.claimsBackwards, once: 2)
        let sources = applied(claims.filter { owns($0, transaction) }) { $0.key.value }
        for claim in isBackwards ? sources.reversed() : sources {
            if isBackwards { run.scheduler.spend(5_000_000) }
            let key = claim.key.value
            try lock(.state(key), transaction)
            guard owns(claim, transaction), !database.keptStates.contains(key),
                var state = transaction.states[key] ?? database.states[key]
            else { continue }
            let isLatest = claim.attributesAt >= state.saidAt
            var hasNewAttributes = isLatest && claim.said != state.said
            if run.sabotages(.hearsNothingNew, once: 5) { hasNewAttributes = false }
            previousWatermarks[key] = Claim.Previous(
                keyCheck: state.keyCheck, watermarks: state.watermarks,
                hasNewAttributes: hasNewAttributes,
                summedUntil: .min,
                family: run.sabotages(.forgetsUsers, once: 2) ? [] : state.family)
            if isLatest { state.said = claim.said }
            state.saidAt = max(state.saidAt, claim.attributesAt)
            if let version = claim.version {
                transaction.sayings.append(
                    Saying(deviceKey: key, at: claim.attributesAt, version: version))
            }
            for kind in ReadingKind.allCases {
                state.watermarks[kind] = max(state.watermarks[kind], claim.newest[kind] ?? .min)
            }
            state.readings += claim.rowCount
            transaction.states[key] = state
        }
    }

    private func waitForOperator() throws(PostgresError) {
        let end = run.scheduler.now + run.lockTimeout
        while run.operators.isHolding {
            if run.scheduler.now >= end { throw refused("55P03") }
            run.scheduler.wait(until: min(deadlineAt, end))
            try demandAlive()
        }
    }

    /// Whether the row with the claim's key belongs to the claim's device.
    private func owns(_ claim: Claim, _ transaction: ModelTransaction) -> Bool {
        let state = transaction.states[claim.key.value] ?? database.states[claim.key.value]
        guard let state else { return false }
        return run.sabotage == .claimsByKeyAlone || state.keyCheck == claim.key.check
    }

    func owners(of keys: [Int64]) throws(PostgresError) -> [Int64: Int64] {
        try arrive()
        guard let transaction else { throw lost() }
        var checks: [Int64: Int64] = [:]
        for key in keys {
            checks[key] = (transaction.states[key] ?? database.states[key])?.keyCheck
        }
        try travel()
        return checks
    }

    func locked(among deviceBatches: [DeviceBatch]) throws(PostgresError) -> Set<Int64> {
        precondition(transaction == nil, "BUG: asked for locks in a transaction")
        try arrive()
        try demandWritable()
        if run.sabotage == .blamesEverybody { return [] }
        let locked = deviceBatches.filter { deviceBatch in
            ((database.keys[deviceBatch.deviceID] ?? []) + [deviceBatch.key.value]).contains {
                database.states[$0] != nil
                    && (database.holder(of: .state($0)) ?? database.holder(of: .device($0))) != nil
            }
        }
        try travel()
        return Set(locked.map(\.key.value))
    }

    /// - Returns: all keys of each of their device ids.
    private func register(_ claims: [Claim]) throws(PostgresError) -> [[Int64]] {
        try goOn()
        guard let transaction else { throw lost() }
        try demandWritable()
        // INSERT ... ON CONFLICT DO NOTHING: it waits for a transaction that is inserting or has
        // changed the same row, and does not lock a row that exists. ORDER BY key does not say
        // which of two rows with one key comes first.
        for claim in applied(claims, key: { $0.key.value }) {
            let key = claim.key.value
            try wait(for: .device(key), transaction)
            guard database.devices[key] == nil else { continue }
            database.lock(.device(key), for: transaction)
            transaction.devices[key] = DeviceRow(
                deviceID: claim.deviceID, userID: claim.userID,
                modelName: claim.modelName, version: claim.version,
                attributesAt: claim.attributesAt)
        }
        let keys = try registerKeys(of: claims)
        try goOn()
        for claim in applied(claims, key: { $0.key.value }) {
            let key = claim.key.value
            try wait(for: .state(key), transaction)
            guard database.states[key] == nil else { continue }
            database.lock(.state(key), for: transaction)
            transaction.states[key] = DeviceState(keyCheck: claim.key.check)
        }
        return keys
    }

    private func registerKeys(of claims: [Claim]) throws(PostgresError) -> [[Int64]] {
        try goOn()
        guard let transaction else { throw lost() }
        try demandWritable()
        let devices = Dictionary(grouping: claims, by: \.deviceID).values.sorted {
            ($0[0].idKey.value, $0[0].deviceID) < ($1[0].idKey.value, $1[0].deviceID)
        }
        var all: [[Int64]] = []
        for claims in devices {
            let id = claims[0].deviceID
            try lock(.keys(id), transaction)
            let keys = Set((database.keys[id] ?? []) + claims.map(\.key.value)).sorted()
            transaction.keys[id] = keys
            all.append(keys)
        }
        return all
    }

    func read(
        _ spans: ByKind<[Deduplication.Span]>, into sets: inout ByKind<TupleSet>
    ) throws(PostgresError) {
        try arrive()
        for kind in ReadingKind.allCases {
            for span in spans[kind] {
                for reading in database.readings(kind, of: span.deviceKey)
                where reading.time >= span.first && reading.time <= span.last {
                    var tuple = reading.tuple
                    if run.sabotages(.readsWrongRows, once: 10) { tuple[tuple.count - 1] ^= 1 }
                    tuple.withUnsafeBytes {
                        _ = sets[kind].insert($0, withKey: span.comparedKey)
                    }
                }
            }
        }
        try travel()
    }

    // MARK: Changes

    /// By chance everything is sent together with the COMMIT, as with few rows, or the rows and the
    /// COMMIT follow in a message of their own, as with COPY. If the client is lost after the
    /// COMMIT was sent, the server may still execute all that it has received.
    func commit(_ changes: GroupChanges) throws(PostgresError) {
        guard let transaction else { throw lost() }
        if transaction.hasFailed { throw refused(.inFailedTransaction) }
        let isTogether = run.scheduler.dice.below(2) == 0
        if !isTogether, !changes.isEmptyButForRows {
            try arrive()
            try demandWritable()
            apply(changes, to: transaction)
            try updateAttributes(transaction)
            try travel()
        }
        if isTogether { apply(changes, to: transaction) }
        append(changes.rows, to: transaction)
        life.step()
        if !life.isDead { transaction.isCommitSent = true }
        try arrive()
        if isTogether, !changes.isEmptyButForRows { try updateAttributes(transaction) }
        if !changes.rows.isEmpty { try demandWritable(copies: true) }
        if let objection = database.objection(to: transaction) {
            transaction.hasFailed = true
            transaction.isCommitSent = false
            throw objection
        }
        database.commit(transaction)
        self.transaction = nil
        try bringAnswer()
    }

    /// The rows that these change are locked already, but for those with the attributes. The model
    /// does not store late readings.
    private func apply(_ changes: GroupChanges, to transaction: ModelTransaction) {
        for correction in applied(changes.corrections, key: { $0.deviceKey }) {
            guard transaction.states[correction.deviceKey] != nil else {
                preconditionFailure("BUG: a count is corrected that was not claimed")
            }
            transaction.states[correction.deviceKey]?.readings -= correction.readings
        }
        for own in changes.lowered {
            guard transaction.states[own.deviceKey] != nil else {
                preconditionFailure("BUG: watermarks are lowered that were not claimed")
            }
            transaction.states[own.deviceKey]?.watermarks = own.newest
        }
        for late in changes.late {
            guard transaction.states[late.deviceKey] != nil else {
                preconditionFailure("BUG: late readings of a device that was not claimed")
            }
        }
        for reading in changes.quarantined {
            transaction.quarantined.append(
                Quarantined(deviceKey: reading.deviceKey, body: reading.reading.body))
        }
        transaction.attributes = applied(changes.attributes, key: { $0.key.value })
    }

    private func append(_ rows: [GroupChanges.Rows], to transaction: ModelTransaction) {
        for rows in rows {
            rows.forEachRun { run in
                var start = 0
                while start < run.count {
                    let end = TupleBuffer.tupleEnd(in: run, at: start)
                    transaction.readings.append(
                        Reading(kind: rows.kind, tuple: [UInt8](run[start..<end])))
                    start = end
                }
            }
        }
    }

    private func updateAttributes(_ transaction: ModelTransaction) throws(PostgresError) {
        try demandWritable()
        for claim in transaction.attributes {
            try lock(.device(claim.key.value), transaction)
        }
        database.updateAttributes(transaction)
    }

    func rollback() throws(PostgresError) {
        try arrive(endsTransaction: true)
        if let transaction { database.rollBack(transaction) }
        transaction = nil
        try travel()
    }
}
