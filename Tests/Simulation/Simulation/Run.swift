import Ingest
import Logging
import Postgres
import Readings
import SpoolLogSupport

/// The run of one seed.
final class Run: @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    let scheduler: Scheduler
    let scenario: Scenario
    /// nil: plain PostgreSQL.
    let shardTable: ShardTable?
    /// What a process knows at first; nil: ``shardTable``.
    let firstTable: ShardTable?
    let sabotage: Sabotage?
    private(set) lazy var database = ModelDatabase(self)
    private(set) lazy var oracle = Oracle(self, slots: scenario.processes)
    private(set) lazy var workload = Workload(scenario, &scheduler.dice)
    private(set) lazy var operators = Operator(self)
    let logger: Logger
    private let log: OracleLog
    private var supervisors: [Supervisor] = []
    private var clients: [Client] = []
    var lives: [Life] = []
    /// Whether faults may still occur.
    private(set) var mayBreak = true
    /// Everything has been sent and replayed: processes are to stop.
    private(set) var isEnding = false
    var crashesLeft = 4
    private var clockSteps: Int64 = 0

    /// - Parameter isCalm: nothing goes wrong; see ``playCalmly()``.
    init(
        seed: UInt64, sabotage: Sabotage?, shards: Int, namesMetrics: Bool = false, isTold: Bool,
        isCalm: Bool = false, threads: FiberThreads
    ) {
        var dice = Dice(seed: seed)
        var scenario = Scenario(&dice)
        scenario.shards = shards
        scenario.usersMax = [1, 2, 1, 3][Int(seed / 8 % 4)]
        if isCalm {
            scenario.calm()
            mayBreak = false
        }
        if seed % 4 == 1, !isCalm {
            scenario.addStandbys(1 + dice.below(3), answersWait: seed % 8 == 5)
        }
        if seed % 4 == 2, !isCalm { scenario.addOperator() }
        if seed % 8 == 3, !isCalm { scenario.addOperatorAlone(seed / 8) }
        scenario.namesMetrics = namesMetrics || (seed % 5 == 0 && !isCalm)
        let learns = shards > 0 && seed % 2 == 0
        // As many as the nodes need.
        if learns { scenario.configuration.lanes = 0 }
        self.scenario = scenario
        shardTable = shards > 0 ? Self.cut(shards, nodes: 2) : nil
        firstTable = learns ? Self.cut(shards, nodes: 1) : nil
        self.sabotage = sabotage
        log = OracleLog()
        logger = Logger(label: "simulation") { [log] _ in log }
        scheduler = Scheduler(dice: dice, trace: Trace(isTold: isTold), threads: threads)
        scheduler.switchRate = scenario.switchRate
        log.run = self
        // Created here because its readings must be the dice's first decisions.
        _ = workload
        tell("\(scenario)")
    }

    /// Equal hash ranges, assigned to the nodes in turn.
    private static func cut(_ count: Int, nodes: Int) -> ShardTable {
        let step = (1 << 32) / Int64(count)
        let placements = (0..<count).map { index in
            let low = Int64(Int32.min) + Int64(index) * step
            let high = index == count - 1 ? Int64(Int32.max) : low + step - 1
            return ShardTable.Placement(
                shard: Int64(index), low: String(low), high: String(high),
                owner: .worker(host: "node\(index % nodes)", port: 5432))
        }
        do throws(ShardTableFault) {
            return try ShardTable(placements)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    func tell(_ line: @autoclosure () -> String) {
        scheduler.trace.tell(scheduler.now, line)
    }

    func sabotages(_ sabotage: Sabotage, once times: Int) -> Bool {
        self.sabotage == sabotage && scheduler.dice.below(times) == 0
    }

    var lockTimeout: Int64 { scenario.configuration.rowWait.nanoseconds }

    var wallClock: Timestamp {
        Timestamp(
            microseconds: Workload.start.microseconds + scheduler.now / 1000 - clockSteps)
    }

    /// The clock of one of the processes that run side by side.
    func wallClock(ofSlot slot: Int) -> Timestamp {
        Timestamp(microseconds: wallClock.microseconds - Int64(slot) * scenario.clockSkew)
    }

    /// The largest difference between the clocks of any two lives, in nanoseconds; 0 if there was
    /// only one life.
    var clockDisagreement: Int64 {
        guard lives.count > 1 else { return 0 }
        return (abs(scenario.clockSkew) * Int64(scenario.processes - 1) + clockSteps + 1000) * 1000
    }

    /// A life that is stopping still commits what it had accepted.
    var livesThatWrite: [Life] { lives.filter { !$0.isDead } }

    var openLives: [Life] { supervisors.compactMap(\.life).filter { $0.isOpen && !$0.isDead } }

    // MARK: Phases

    func play() {
        occupyKeys()
        for slot in 0..<scenario.processes { supervisors.append(Supervisor(self, slot: slot)) }
        for number in 0..<scenario.clients { clients.append(Client(self, number: number)) }
        for (slot, supervisor) in supervisors.enumerated() {
            scheduler.spawn("supervisor \(slot)") { supervisor.work() }
        }
        for (number, client) in clients.enumerated() {
            scheduler.spawn("client \(number)") { client.work() }
        }
        if scenario.standbys > 0 {
            scheduler.spawn("standbys") { self.database.cluster.work() }
        }
        if !scenario.interventions.isEmpty {
            scheduler.spawn("operator") { [self] in operators.work() }
        }
        scheduler.spawn("director") { [self] in direct() }
        scheduler.run()
        if let stuck = scheduler.stuck, oracle.violations.isEmpty { oracle.violation(stuck) }
        release()
    }

    /// Devices that share a key, with one that is there already or with each other.
    func occupyKeys() {
        if scenario.hasClash {
            let key = key(of: 0)
            database.occupy(key)
            oracle.clashing.insert(key.value)
        }
        if scenario.sharesKey { oracle.clashing.insert(key(of: 0).value) }
    }

    func release() {
        for life in lives {
            life.core = nil
            life.loops = []
        }
        lives = []
    }

    /// Processes are to stop.
    func endRun() {
        isEnding = true
        scheduler.wakeAll()
    }

    /// The key of a device's rows for its first user.
    func key(of device: Int) -> DeviceKey {
        DeviceKey(
            of: workload.deviceID(device).lowercased(), user: workload.user(0, ofDevice: device))
    }

    /// The keys of a device's rows for all users that batches name.
    func keys(of device: Int) -> Set<Int64> {
        Set(
            workload.users.map {
                DeviceKey(of: workload.deviceID(device).lowercased(), user: $0).value
            })
    }

    private func direct() {
        breakThings()
        mayBreak = false
        for supervisor in supervisors { supervisor.heal() }
        database.recover()
        database.cluster.heal()
        let allowance = 60_000_000_000 + 4 * scenario.answerTimeMax
        waitUntil("clients go on for ever", for: allowance) { self.clients.allSatisfy(\.isDone) }
        // Records may be replayed one by one, each of which waits for a look at the standbys.
        waitUntil("a spool is never emptied", for: 3 * allowance) {
            self.supervisors.allSatisfy { $0.isAtRest && $0.life?.isOpen == true }
        }
        endRun()
        waitUntil("processes do not stop", for: 3 * allowance) {
            self.supervisors.allSatisfy(\.isDone)
        }
        guard !scheduler.isOver else { return }
        for supervisor in supervisors { supervisor.checkSpool() }
        oracle.checkAtEnd()
    }

    private func waitUntil(
        _ reproach: String, for time: Int64, _ condition: () -> Bool
    ) {
        let end = scheduler.now + time
        while !condition(), !scheduler.isOver {
            if scheduler.now >= end { return oracle.violation(reproach) }
            scheduler.spend(100_000_000)
        }
    }

    private func breakThings() {
        let end = scenario.faultTime
        while scheduler.now < end, !scheduler.isOver {
            scheduler.spend(Int64(1 + scheduler.dice.below(1_500_000_000)))
            if scenario.setsClockBack { clockSteps += Int64(scheduler.dice.below(3_000_000)) }
            guard scheduler.now < end, !scenario.conditions.isEmpty else { continue }
            let conditions = scenario.conditions
            database.enter(conditions[scheduler.dice.below(conditions.count)])
            let most = [5, 500, 6000][scheduler.dice.below(3)] * 1_000_000
            scheduler.spend(Int64(scheduler.dice.below(most)))
            database.recover()
        }
    }
}
