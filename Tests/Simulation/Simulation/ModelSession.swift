import SpoolLogSupport
import Ingest
import Postgres
import Readings
import Scanner

/// One connection to the ``ModelDatabase``. Every call takes time and may fail.
final class ModelSession: GroupSession {
    let database: ModelDatabase
    unowned(unsafe) let run: Run
    unowned(unsafe) let life: Life
    let destination: Destination
    private let lockTimeout: Int64
    /// What the client believes.
    private(set) var isOpen = false
    /// The server has ended its side.
    private(set) var isCut = false
    /// The history of the server that it is connected to.
    private(set) var history = 0
    /// The generation of that history in its process's ``EpochFence``.
    private var generation = 0
    var deadline = ContinuousClock.now
    var transaction: ModelTransaction?
    private var illness: Illness = []

    /// Faults that last until the session ends.
    struct Illness: OptionSet {
        let rawValue: Int
        /// It began while the database was read-only; the role's setting stays until the session
        /// ends.
        static let readOnly = Illness(rawValue: 1)
        /// Its prepared statements are gone, as when a pooler assigns another backend.
        static let forgetful = Illness(rawValue: 2)
    }

    init(
        _ database: ModelDatabase, _ life: Life, to destination: Destination, lockTimeout: Int64
    ) {
        self.destination = destination
        self.database = database
        self.run = database.run
        self.life = life
        self.lockTimeout = lockTimeout
    }

    var name: String { "model" }

    var isOutdated: Bool { generation != life.book.generation }

    var deadlineAt: Int64 { SimulatedWorld.nanoseconds(deadline) }

    /// Ends the server's side. The caller gets the open transaction.
    @discardableResult
    func cut() -> ModelTransaction? {
        isCut = true
        defer { transaction = nil }
        return transaction
    }

    // MARK: The connection

    func connect() throws(PostgresError) {
        let failure = PostgresError(.connectionFailed, message: "model")
        life.step()
        run.scheduler.spend(Int64(run.scheduler.dice.below(2_000_000)))
        while database.condition == .frozen || database.condition == .unreachable {
            if life.isDead || run.scheduler.isOver || run.scheduler.now >= deadlineAt {
                throw failure
            }
            run.scheduler.wait(until: deadlineAt)
        }
        if life.isDead || database.condition == .down || happens(run.scenario.lossRate) {
            throw failure
        }
        let asked = life.book.known
        history = database.cluster.historyThatIsFound(by: life)
        generation = try life.admit(history, knownWhenAsked: asked)
        isOpen = true
        if database.condition == .readOnly { illness.insert(.readOnly) }
        if run.sabotage == .keepsSickSessions { illness.formUnion(database.illness) }
        database.sessions.append(self)
    }

    func probe() -> Bool { isOpen && !isCut && !life.isDead }

    /// The client closes its socket.
    func close() {
        isOpen = false
        database.illness.formUnion(illness)
        if !isCut { database.clientIsGone(self) }
    }

    /// The client learns that the connection is lost.
    func lost() -> PostgresError {
        close()
        return PostgresError(.connectionLost, message: "model")
    }

    /// The client's deadline has passed.
    func late() -> PostgresError {
        close()
        return PostgresError(.deadlineExceeded, message: "model")
    }

    /// The server refuses a statement.
    func refused(_ state: SQLState) -> PostgresError {
        transaction?.hasFailed = true
        transaction?.isCommitSent = false
        return PostgresError(.refused, sqlState: state)
    }

    private func happens(_ perThousand: Int) -> Bool {
        run.mayBreak && run.scheduler.dice.happens(perThousand: perThousand)
    }

    // MARK: A statement's way

    /// Checks the session; to be called after everything that takes time.
    func demandAlive() throws(PostgresError) {
        guard isOpen, !isCut, !life.isDead, !run.scheduler.isOver else { throw lost() }
        if run.scheduler.now >= deadlineAt { throw late() }
    }

    /// One trip over the network, with all its faults.
    func travel() throws(PostgresError) {
        life.step()
        let slow = happens(run.scenario.slowRate) ? 400_000_000 : 300_000
        run.scheduler.spend(Int64(run.scheduler.dice.below(slow)))
        try demandAlive()
    }

    /// From the client's call until the server begins to execute the first statement.
    ///
    /// - Parameter endsTransaction: the statement needs no tables and is allowed in a failed
    ///   transaction.
    func arrive(endsTransaction: Bool = false) throws(PostgresError) {
        guard isOpen else { throw lost() }
        try travel()
        if happens(run.scenario.lossRate) { throw lost() }
        try start(endsTransaction: endsTransaction)
    }

    /// The server begins to execute a statement that has arrived.
    func start(endsTransaction: Bool = false) throws(PostgresError) {
        let lockEnd = run.scheduler.now + lockTimeout
        while database.condition == .frozen || (!endsTransaction && database.condition == .locked) {
            let isLocked = database.condition == .locked
            if isLocked, run.scheduler.now >= lockEnd { throw refused("55P03") }
            run.scheduler.wait(until: isLocked ? min(deadlineAt, lockEnd) : deadlineAt)
            try demandAlive()
        }
        if !endsTransaction, transaction?.hasFailed == true { throw refused(.inFailedTransaction) }
    }

    /// The server goes on to the next of several statements that arrived together. Meanwhile,
    /// others may execute theirs.
    func goOn() throws(PostgresError) {
        run.scheduler.spend(Int64(run.scheduler.dice.below(100_000)))
        try demandAlive()
        try start()
    }

    /// Throws when the server would refuse to execute a writing statement.
    func demandWritable(copies: Bool = false) throws(PostgresError) {
        if illness.contains(.readOnly) { throw refused("25006") }
        switch database.condition {
        case .readOnly: throw refused("25006")
        case .forbidden: throw refused("42501")
        case .diskFull where copies || run.scheduler.dice.below(2) == 0: throw refused("53100")
        default: break
        }
        if happens(run.scenario.refusalRate) {
            let states: [SQLState] = ["40P01", "40001", "57014", "53200", "55P03", "26000"]
            let state = states[run.scheduler.dice.below(states.count)]
            if state == "26000" { illness.insert(.forgetful) }
            throw refused(state)
        }
    }

    /// The same check for a prepared statement.
    func demandPrepared() throws(PostgresError) {
        if illness.contains(.forgetful) { throw refused("26000") }
        try demandWritable()
    }

    /// Waits until no other transaction holds `key`, then locks it.
    func lock(_ key: LockKey, _ transaction: ModelTransaction) throws(PostgresError) {
        try wait(for: key, transaction)
        database.lock(key, for: transaction)
    }

    /// Waits until no other transaction holds `key`. Transactions of the core must never deadlock.
    func wait(for key: LockKey, _ transaction: ModelTransaction) throws(PostgresError) {
        let start = run.scheduler.now
        while let holder = database.holder(of: key), holder !== transaction {
            transaction.waitsFor = holder
            let now = run.scheduler.now
            if database.isDeadlocked(transaction) {
                run.oracle.violation("writers wait for each other, the last for \(key)")
            }
            if now >= start + Self.deadlockTime, database.isDeadlocked(transaction) {
                transaction.waitsFor = nil
                throw refused("40P01")
            }
            if now >= start + lockTimeout {
                transaction.waitsFor = nil
                throw refused("55P03")
            }
            let look = now < start + Self.deadlockTime ? start + Self.deadlockTime : .max
            run.scheduler.wait(until: min(deadlineAt, start + lockTimeout, look))
            transaction.waitsFor = nil
            try demandAlive()
        }
    }

    private static let deadlockTime: Int64 = 1_000_000_000

    /// Brings back the answer to COMMIT. If it is lost, the client does not know whether the COMMIT
    /// happened.
    func bringAnswer() throws(PostgresError) {
        if happens(run.scenario.lostAnswerRate) {
            database.noteCommitInDoubt()
            run.tell("an answer to COMMIT is lost")
            throw lost()
        }
        do throws(PostgresError) {
            try travel()
        } catch {
            database.noteCommitInDoubt()
            throw error
        }
    }
}
