import Ingestion
import Postgres
import Readings
import Scanning
import SpoolingSupport

/// The statements of a group, as PostgreSQL executes them.
extension ModelSession {
    func beat(node: String, lane: Int) throws(PostgresError) {
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

    func begin(
        claiming claims: [Claim], into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        try begin()
        try claim(claims, into: &holdings)
    }

    func begin(
        registering missing: [Claim], claiming claims: [Claim],
        into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        try begin()
        try register(missing)
        try claim(claims, into: &holdings)
    }

    private func begin() throws(PostgresError) {
        precondition(transaction == nil, "BUG: BEGIN in a transaction")
        guard isOpen else { throw lost() }
        transaction = database.begin(self)
    }

    /// On Citus all rows of a group belong to one shard, and the group is written on the node that
    /// has it.
    private func demandOneShard(_ claims: [Claim]) {
        guard let table = run.shardTable else {
            precondition(destination == .database, "BUG: \(destination) without shards")
            return
        }
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
        _ claims: [Claim], into holdings: inout [Int64: Holding]
    ) throws(PostgresError) {
        demandOneShard(claims)
        try arrive()
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
            var saysNew = isLatest && claim.said != state.said
            if run.sabotages(.hearsNothingNew, once: 5) { saysNew = false }
            holdings[key] = Holding(
                keyCheck: state.keyCheck, watermarks: state.watermarks, saysNew: saysNew,
                summedUntil: .min)
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
        try travel()
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

    func locked(among keys: [Int64]) throws(PostgresError) -> Set<Int64> {
        precondition(transaction == nil, "BUG: asked for locks in a transaction")
        try arrive()
        try demandWritable()
        if run.sabotage == .blamesEverybody { return [] }
        let locked = keys.filter {
            database.states[$0] != nil && database.holder(of: .state($0)) != nil
        }
        try travel()
        return Set(locked)
    }

    private func register(_ claims: [Claim]) throws(PostgresError) {
        try arrive()
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
                deviceID: claim.deviceID, userID: claim.userID ?? claim.deviceID,
                modelName: claim.modelName, version: claim.version,
                attributesAt: claim.attributesAt)
        }
        try travel()
        for claim in applied(claims, key: { $0.key.value }) {
            let key = claim.key.value
            try wait(for: .state(key), transaction)
            guard database.states[key] == nil else { continue }
            database.lock(.state(key), for: transaction)
            transaction.states[key] = DeviceState(keyCheck: claim.key.check)
        }
        try travel()
    }

    func read(
        _ kind: ReadingKind, in spans: [Sifting.Span], into set: inout TupleSet
    ) throws(PostgresError) {
        try arrive()
        for span in spans {
            for reading in database.readings(kind, of: span.deviceKey)
            where reading.time >= span.first && reading.time <= span.last {
                var tuple = reading.tuple
                if run.sabotages(.readsWrongRows, once: 10) { tuple[tuple.count - 1] ^= 1 }
                tuple.withUnsafeBytes { _ = set.insert($0) }
            }
        }
        try travel()
    }

    func subtract(_ corrections: [CountCorrection]) throws(PostgresError) {
        try arrive()
        guard let transaction else { throw lost() }
        try demandWritable()
        for correction in applied(corrections, key: { $0.deviceKey }) {
            guard transaction.states[correction.deviceKey] != nil else {
                preconditionFailure("BUG: a count is corrected that was not claimed")
            }
            transaction.states[correction.deviceKey]?.readings -= correction.readings
        }
        try travel()
    }

    /// The model does not store them.
    func note(_ lateReadings: [LateReadings]) throws(PostgresError) {
        try arrive()
        guard let transaction else { throw lost() }
        try demandWritable()
        for late in lateReadings {
            guard transaction.states[late.deviceKey] != nil else {
                preconditionFailure("BUG: late readings of a device that was not claimed")
            }
        }
        try travel()
    }

    func updateAttributes(_ claims: [Claim]) throws(PostgresError) {
        try arrive()
        guard let transaction else { throw lost() }
        try demandWritable()
        for claim in applied(claims, key: { $0.key.value }) {
            let key = claim.key.value
            try lock(.device(key), transaction)
            guard var row = transaction.devices[key] ?? database.devices[key],
                claim.attributesAt >= row.attributesAt
            else { continue }
            let before = row
            row.userID = claim.userID ?? row.userID
            row.modelName = claim.modelName ?? row.modelName
            row.version = claim.version ?? row.version
            guard row != before else { continue }
            row.attributesAt = claim.attributesAt
            transaction.devices[key] = row
        }
        try travel()
    }

    func quarantine(_ readings: [GroupQuarantined]) throws(PostgresError) {
        try arrive()
        guard let transaction else { throw lost() }
        try demandWritable()
        for reading in readings {
            transaction.quarantined.append(
                Quarantined(deviceKey: reading.deviceKey, body: reading.reading.body))
        }
        try travel()
    }

    func copyAndCommit(_ copies: [GroupCopy], _ due: DueHours) throws(PostgresError) {
        guard let transaction else { throw lost() }
        if transaction.hasFailed { throw refused(.inFailedTransaction) }
        for copy in copies {
            try copy.forEachRun { run throws(PostgresError) in
                var start = 0
                while start < run.count {
                    let end = TupleBuffer.tupleEnd(in: run, at: start)
                    transaction.readings.append(
                        Reading(kind: copy.kind, tuple: [UInt8](run[start..<end])))
                    start = end
                }
            }
        }
        life.step()
        if !life.isDead { transaction.isCommitSent = true }
        try arrive()
        if !copies.isEmpty { try demandWritable(copies: true) }
        if let objection = database.objection(to: transaction) {
            transaction.hasFailed = true
            transaction.isCommitSent = false
            throw objection
        }
        database.commit(transaction)
        self.transaction = nil
        try bringAnswer()
    }

    func rollback() throws(PostgresError) {
        try arrive(endsTransaction: true)
        if let transaction { database.rollBack(transaction) }
        transaction = nil
        try travel()
    }
}
