import SpoolLogSupport
import Ingest
import Postgres
import Readings

/// A model of the parts of PostgreSQL that groups need: READ COMMITTED, row locks, unique keys,
/// partitions, and the fate of transactions whose client is gone.
///
/// ``ModelSession`` has the statements; this class has what all sessions share.
final class ModelDatabase: @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) let run: Run
    /// The present condition; nil: the database works normally.
    private(set) var condition: DatabaseCondition?
    var sessions: [ModelSession] = []
    /// Collected from all sessions that were closed.
    var illness: ModelSession.Illness = []
    /// Changes when the server is killed; work of an older generation is lost.
    private(set) var generation = 0

    /// The primary and its standbys.
    private(set) lazy var cluster = ModelCluster(run)
    private var tables: ModelTables {
        get { cluster.primary.tables }
        _modify { yield &cluster.primary.tables }
    }
    /// Days that are out of the tables now, and days that ever were.
    private(set) var daysOut: (now: Set<Int32>, ever: Set<Int32>) = ([], [])
    private var locks: [LockKey: ModelTransaction] = [:]
    /// Rows of `device_state` that a trigger keeps as they are.
    var keptStates: Set<Int64> = []
    private var nextNumber = 0
    /// COMMITs whose client may not have received the answer.
    private(set) var commitsInDoubt = 0

    init(_ run: Run) {
        self.run = run
    }

    var states: [Int64: DeviceState] { tables.states }
    var devices: [Int64: DeviceRow] { tables.devices }
    var days: Set<Int32> { tables.days }
    var keys: [String: [Int64]] { tables.keys }
    var rows: Set<Reading> { tables.rows }
    var contents: Set<Content> { tables.contents }
    var quarantine: Set<Quarantined> { tables.quarantine }
    var notes: [String: NoteRow] { tables.notes }
    var notesSetAside: Set<Note> { tables.notesSetAside }
    var sayings: Oracle.Sayings { tables.sayings }
    var history: Int { cluster.history }

    /// Whether it accepts new connections.
    var isReachable: Bool {
        switch condition {
        case .down, .frozen, .unreachable: false
        default: true
        }
    }

    // MARK: Conditions

    func enter(_ condition: DatabaseCondition) {
        run.tell("database: \(condition)")
        switch condition {
        case .down:
            killAll()
            self.condition = .down
        case .restarting: killAll()
        case .failover: failOver()
        case .terminating: terminateOne()
        case .withoutDays: dropDays()
        case .daysOut: takeDaysOut()
        default: self.condition = condition
        }
        run.scheduler.wakeAll()
    }

    func recover() {
        if condition != nil { run.tell("database: well") }
        condition = nil
        // Those with rows come back with them.
        tables.days.formUnion(daysOut.now.intersection(usedDays))
        daysOut.now = []
        run.scheduler.wakeAll()
    }

    /// Everything that is not committed is lost.
    private func killAll() {
        generation += 1
        cluster.oldIsGone()
        for session in sessions { session.cut() }
        sessions.removeAll()
        locks.removeAll()
    }

    /// Promotes a standby and loses the commits that it lacks. The old primary dies, or continues
    /// for clients that have a session there. Their later commits reach no other server.
    private func failOver() {
        guard let next = cluster.candidate() else { return }
        let goesOn = cluster.mayGoOn && run.scheduler.dice.below(2) == 0
        if !goesOn { killAll() }
        cluster.promote(next, oldGoesOn: goesOn)
        commitsInDoubt += 1
    }

    private func terminateOne() {
        guard !sessions.isEmpty else { return }
        let session = sessions[run.scheduler.dice.below(sessions.count)]
        sessions.removeAll { $0 === session }
        let transaction = session.cut()
        if let transaction { rollBack(transaction) }
    }

    private var usedDays: Set<Int32> { Set(rows.map { Timestamp(microseconds: $0.time).day }) }

    private func dropDays() { tables.days.formIntersection(usedDays) }

    /// Takes the days without rows out of the tables, or the oldest ones with their rows. Those are
    /// in the archive then, and not lost.
    private func takeDaysOut() {
        daysOut.now =
            run.scheduler.dice.below(2) == 0
            ? days.subtracting(usedDays)
            : Set(days.sorted().prefix(run.scheduler.dice.below(days.count)))
        tables.days.subtract(daysOut.now)
        // A batch that is searched for a refused reading may be stored in part before its day goes.
        // When the day is back, the batch is written again, and the part is a duplicate.
        run.oracle.isCountInexact = true
        daysOut.ever.formUnion(daysOut.now)
    }

    func makeDays(_ days: ClosedRange<Int32>) { tables.days.formUnion(days) }

    // MARK: Transactions

    func begin(_ session: ModelSession) -> ModelTransaction {
        nextNumber += 1
        return ModelTransaction(number: nextNumber, history: session.history)
    }

    func beginByOperator() -> ModelTransaction {
        nextNumber += 1
        return ModelTransaction(number: nextNumber, history: history)
    }

    func holder(of key: LockKey) -> ModelTransaction? { locks[key] }

    func lock(_ key: LockKey, for transaction: ModelTransaction) {
        if run.sabotage == .claimsWithoutLock, case .state = key { return }
        if run.sabotage == .registersApart, case .keys = key { return }
        locks[key] = transaction
    }

    func isDeadlocked(_ transaction: ModelTransaction) -> Bool {
        var other = transaction.waitsFor
        var hops = 0
        while let next = other, hops < 100 {
            if next === transaction { return true }
            other = next.waitsFor
            hops += 1
        }
        return false
    }

    func rollBack(_ transaction: ModelTransaction) {
        guard !transaction.isOver else { return }
        transaction.isOver = true
        if transaction.history < history { return release(transaction) }
        if run.sabotages(.keepsRolledBackRows, once: 10) { store(transaction) }
        release(transaction)
    }

    private func release(_ transaction: ModelTransaction) {
        transaction.waitsFor = nil
        locks = locks.filter { $0.value !== transaction }
        run.scheduler.wakeAll()
    }

    /// Why the rows of a transaction can't be stored; nil when they can.
    func objection(to transaction: ModelTransaction) -> PostgresError? {
        for reading in transaction.readings {
            if !days.contains(Timestamp(microseconds: reading.time).day) {
                return PostgresError(
                    .refused, sqlState: .checkViolation, isPartitionMissing: true)
            }
            if reading.isPoison { return PostgresError(.refused, sqlState: "23514") }
        }
        return nil
    }

    /// Executes COMMIT. The caller has checked ``objection(to:)``.
    func commit(_ transaction: ModelTransaction) {
        guard !transaction.isOver else { return }
        transaction.isOver = true
        if transaction.history < history {
            cluster.oldCommits(transaction.history)
            return release(transaction)
        }
        if run.sabotages(.losesRow, once: 10) { _ = transaction.readings.popLast() }
        if run.sabotages(.answersWithoutCommit, once: 20) { return release(transaction) }
        store(transaction)
        release(transaction)
    }

    /// Executes the statement with the attributes that the transaction was sent.
    func updateAttributes(_ transaction: ModelTransaction) {
        for claim in transaction.attributes {
            let key = claim.key.value
            guard var row = transaction.devices[key] ?? devices[key],
                claim.attributesAt >= row.attributesAt
            else { continue }
            let before = row
            row.modelName = claim.modelName ?? row.modelName
            row.version = claim.version ?? row.version
            guard row != before else { continue }
            row.attributesAt = claim.attributesAt
            transaction.devices[key] = row
        }
        transaction.attributes = []
    }

    private func store(_ transaction: ModelTransaction) {
        for (key, row) in transaction.devices { tables.devices[key] = row }
        for (id, keys) in transaction.keys { tables.keys[id] = keys }
        for (key, state) in transaction.states.sorted(by: { $0.key < $1.key }) {
            var state = state
            if let old = states[key], run.sabotages(.forgetsWatermark, once: 10) {
                state.watermarks = old.watermarks
            }
            tables.states[key] = state
        }
        for reading in transaction.readings {
            let content = devices[reading.deviceKey].map { Content(reading, of: $0.deviceID) }
            run.oracle.willStore(
                reading,
                isThere: rows.contains(reading) || content.map(contents.contains) == true)
            tables.rows.insert(reading)
            if let content { tables.contents.insert(content) }
            tables.rowsByDevice[Int(reading.kind.rawValue)][reading.deviceKey, default: []].append(
                reading)
        }
        for reading in transaction.quarantined {
            run.oracle.willQuarantine(reading)
            tables.quarantine.insert(reading)
        }
        for write in transaction.notes {
            if run.sabotages(.losesUnit, once: 10) { continue }
            run.oracle.willRecord(write)
            if let row = write.row { tables.notes[write.note.key] = row }
        }
        for note in transaction.notesSetAside {
            run.oracle.willSetAside(note)
            tables.notesSetAside.insert(note)
        }
        for saying in transaction.sayings { tables.sayings.hear(saying) }
        for key in transaction.states.keys.sorted() { run.oracle.check(device: key) }
        tables.position += 1
        cluster.committed()
        run.scheduler.trace.note(transaction.readings.count, Int64(rows.count))
    }

    func readings(_ kind: ReadingKind, of device: Int64) -> [Reading] {
        tables.rowsByDevice[Int(kind.rawValue)][device] ?? []
    }

    static let occupied = "occupied"

    /// Stores a row before any client arrives: a device id whose key is the same as another's.
    func occupy(_ key: DeviceKey) {
        tables.states[key.value] = DeviceState(keyCheck: ~key.check)
        tables.devices[key.value] = DeviceRow(
            deviceID: Self.occupied, userID: Self.occupied, attributesAt: .min)
        cluster.catchUp()
    }

    // MARK: Clients that are gone

    /// A process has died. Chance decides how the transactions of its sessions end.
    func clientIsGone(_ life: Life) {
        for session in sessions where session.life === life { clientIsGone(session) }
    }

    /// The server notices after a while; until then the transaction holds its locks. A COMMIT that
    /// was sent may still be executed.
    func clientIsGone(_ session: ModelSession) {
        sessions.removeAll { $0 === session }
        guard let transaction = session.cut(), !transaction.isOver else { return }
        let commits = transaction.isCommitSent && run.scheduler.dice.below(2) == 0
        if transaction.isCommitSent { commitsInDoubt += 1 }
        let delay = [0, 1, 20, 3000][run.scheduler.dice.below(4)] * 1_000_000
        if run.sabotage == .commitsWithoutLocks { release(transaction) }
        let born = generation
        run.scheduler.spawn("backend \(transaction.number)") { [self] in
            run.scheduler.spend(Int64(run.scheduler.dice.below(delay + 1)))
            while condition == .frozen || condition == .locked, !run.scheduler.isOver {
                run.scheduler.wait(until: nil)
            }
            guard generation == born, !transaction.isOver else { return }
            // A row with attributes that another holds: the wait for it would be too long.
            let isHindered = transaction.attributes.contains {
                holder(of: .device($0.key.value)).map { $0 !== transaction } ?? false
            }
            guard commits, objection(to: transaction) == nil, !isReadOnly, !isHindered else {
                return rollBack(transaction)
            }
            updateAttributes(transaction)
            run.tell("transaction \(transaction.number) commits without its client")
            commit(transaction)
            if run.sabotage == .commitsTwice {
                transaction.isOver = false
                commit(transaction)
            }
        }
    }

    func noteCommitInDoubt() { commitsInDoubt += 1 }

    private var isReadOnly: Bool { condition == .readOnly || condition == .diskFull }
}
