import Glibc
import Ingest
import SpoolLog
import SpoolLogSupport

/// The parameters of a run: quantities and fault rates. The seed decides all of them.
///
/// Each run gets some of the faults, not all, because one fault can hide another.
struct Scenario {
    var processes: Int
    var clients: Int
    var batchesPerClient: Int
    var readingsMax: Int
    /// The most batches that a client sends at once.
    var burst: Int
    var devices: Int
    /// Users that batches of one device name, counting the one of batches that name none.
    var usersMax = 1
    var hasSpool: Bool
    /// What an operator does to single devices and owners from time to time.
    var interventions: [Intervention] = []
    /// Nothing else goes wrong. Then others than those devices and owners must be answered with a
    /// 200, within this time in nanoseconds.
    var othersTimeMax: Int64?
    /// Asynchronous standbys. From time to time one of them is promoted.
    var standbys = 0
    /// Readings of a thousand that the scanner quarantines, and readings of a thousand that the
    /// database refuses.
    var invalidRate: Int
    var poisonRate: Int
    /// Batches of a thousand after which a client sends a unit, and units of a thousand that the
    /// database refuses.
    var noteRate: Int
    var badNoteRate: Int
    /// Some processes don't know one of the kinds of units that may be in their spool.
    var forgetsKinds: Bool
    /// Shards of a Citus cluster that the database is distributed over; 0: plain PostgreSQL.
    var shards = 0
    /// In the database, one device's key belongs to another device.
    var hasClash: Bool
    /// Two devices have the same key.
    var sharesKey: Bool
    /// Some metrics have names in place of codes.
    var namesMetrics = false

    /// Nanoseconds needed to make the partitions of a day.
    var dayTime: Int64
    /// Days over which a device's readings are spread. With many days, each batch needs new
    /// partitions.
    var daysMax: Int

    /// The first nanoseconds of the run, in which faults occur; none occur later.
    var faultTime: Int64
    var switchRate: Int
    /// The conditions that the database enters from time to time.
    var conditions: [DatabaseCondition]
    /// How many steps of a thousand fail in each way.
    var lossRate: Int
    var lostAnswerRate: Int
    var refusalRate: Int
    var slowRate: Int
    /// Calls of a million at which a process crashes.
    var crashRate: Int
    /// Answers of a thousand after which a process crashes.
    var crashBehindAnswerRate: Int
    /// Crashes of a thousand that also take down the machine.
    var machineRate: Int
    /// How many times of a thousand a process is stopped cleanly.
    var stopRate: Int
    /// Directories of running processes are removed; spool files are cut and corrupted between
    /// lives.
    var removesDirectory: Bool
    var tampers: Bool
    /// The wall clock is sometimes set back.
    var setsClockBack: Bool
    /// Microseconds by which the second process's clock is behind the first's.
    var clockSkew: Int64
    var diskRates: FaultRates
    var diskBytes: Int
    var configuration: IngestionConfiguration
    var spool: SpoolConfiguration
    var drainTime: Duration

    init(_ dice: inout Dice) {
        func pick<Value>(_ choices: Value...) -> Value { choices[dice.below(choices.count)] }
        func sometimes(_ perThousand: Int) -> Bool { dice.happens(perThousand: perThousand) }

        processes = pick(1, 1, 2)
        clients = pick(1, 2, 3, 4)
        batchesPerClient = pick(2, 4, 6)
        readingsMax = pick(2, 5, 8)
        burst = pick(1, 1, 4, 8)
        devices = pick(1, 2, 3, 5)
        hasSpool = sometimes(900)
        invalidRate = pick(0, 50, 200)
        poisonRate = pick(0, 0, 0, 100)
        noteRate = pick(0, 500, 1000)
        badNoteRate = pick(0, 0, 100)
        forgetsKinds = sometimes(100)
        hasClash = sometimes(60)
        sharesKey = sometimes(60)
        if sharesKey { devices = max(devices, 2) }
        switchRate = pick(50, 300, 1000)
        dayTime = pick(5, 25, 200) * 1_000_000
        daysMax = pick(1, 1, 9, 60)

        let isCalm = sometimes(60)
        faultTime = isCalm ? 0 : pick(2, 4, 8) * 1_000_000_000
        conditions = isCalm ? [] : DatabaseCondition.ofOneServer.filter { _ in sometimes(300) }
        lossRate = isCalm ? 0 : pick(0, 0, 10, 50)
        lostAnswerRate = isCalm ? 0 : pick(0, 20, 200)
        refusalRate = isCalm ? 0 : pick(0, 0, 10, 100)
        slowRate = pick(0, 10, 100)
        crashRate = isCalm ? 0 : pick(0, 500, 3000)
        crashBehindAnswerRate = isCalm ? 0 : pick(0, 0, 20)
        machineRate = pick(0, 500, 1000)
        stopRate = isCalm ? 0 : pick(0, 300)
        removesDirectory = !isCalm && sometimes(100)
        tampers = !isCalm && sometimes(150)
        setsClockBack = sometimes(200)
        clockSkew = pick(0, 0, 300_000, -2_000_000, 10_000_000)
        diskRates = FaultRates()
        if !isCalm, sometimes(350) { diskRates = Self.diskRates(&dice) }
        spool = Self.spool(&dice)
        diskBytes = sometimes(850) || isCalm ? .max : spool.segmentBytesMax * (2 + dice.below(4))
        configuration = Self.configuration(&dice)
        drainTime = [.milliseconds(0), .milliseconds(200), .seconds(3)][dice.below(3)]
        if !isCalm, sometimes(250) {
            // A disk whose reads fail and then succeed. What is unread when a process starts is
            // not compared with what was promised, so no file is changed meanwhile.
            tampers = false
            diskRates.perThousand[.read] = pick(30, 200, 500)
            diskRates.errno[.read] = [EIO, ESTALE, ENOMEM]
            diskRates.perThousand[.open] = pick(0, 30, 200)
            diskRates.errno[.open] = [EMFILE, EIO]
        }
    }

    /// Adds standbys, of which one is promoted from time to time. The spool gets room for a whole
    /// tail.
    ///
    /// - Parameter answersWait: answers wait for the standbys. Then a process crash loses nothing
    ///   either.
    mutating func addStandbys(_ count: Int, answersWait: Bool) {
        if answersWait { configuration.durability = .replicated }
        (standbys, hasSpool, removesDirectory, tampers) = (count, true, false, false)
        conditions += [.failover, .failover]
        faultTime = max(faultTime, 2_000_000_000)
        diskRates = FaultRates()
        diskBytes = .max
        spool.segmentBytesMax = 64 << 10
        spool.recordBytesMax = spool.segmentBytesMax / 2
        spool.bytesMax = spool.segmentBytesMax * 256
    }

    /// Adds an operator to the other faults.
    mutating func addOperator() {
        interventions = Intervention.allCases
        faultTime = max(faultTime, 4_000_000_000)
        devices = max(devices, 3)
    }

    /// An operator who does one sort of things, and no other faults.
    mutating func addOperatorAlone(_ number: UInt64) {
        addOperator()
        let all = Intervention.allCases
        interventions = [all[Int(number % UInt64(all.count))]]
        othersTimeMax = interventions[0].othersTimeMax
        conditions = []
        (processes, clients, batchesPerClient, hasSpool) = (1, 4, 20, true)
        (hasClash, sharesKey, forgetsKinds) = (false, false, false)
        (lossRate, lostAnswerRate, refusalRate, slowRate) = (0, 0, 0, 0)
        (crashRate, crashBehindAnswerRate, stopRate) = (0, 0, 0)
        (removesDirectory, tampers, poisonRate) = (false, false, 0)
        (dayTime, daysMax) = (5_000_000, 1)
        diskRates = FaultRates()
        diskBytes = .max
        spool.segmentBytesMax = 64 << 10
        spool.recordBytesMax = spool.segmentBytesMax / 2
        spool.bytesMax = spool.segmentBytesMax * 256
        let usual = IngestionConfiguration()
        // A batch of two devices can be turned away for lack of room.
        configuration.laneBytesMax = 1 << 20
        configuration.spoolIntakeBytesMax = 1 << 20
        configuration.attemptMax = usual.attemptMax
        configuration.patience = usual.patience
        configuration.stallMax = usual.stallMax
        configuration.lockWaitMax = usual.lockWaitMax
        configuration.heartbeatMax = usual.heartbeatMax
        configuration.dayStepMax = usual.dayStepMax
    }

    private static func diskRates(_ dice: inout Dice) -> FaultRates {
        var rates = FaultRates()
        let rate = [5, 30, 150][dice.below(3)]
        let faults: [(DiskError.Operation, [Int32])] = [
            (.create, [EIO, ENOSPC]), (.rename, [EIO]), (.remove, [EIO]), (.syncNames, [EIO]),
            (.freeBytes, [EIO]), (.write, [EIO, ENOSPC]), (.sync, [EIO]), (.list, [EIO]),
            (.open, [EMFILE]), (.truncate, [EIO]),
        ]
        for (operation, errnos) in faults where dice.happens(perThousand: 400) {
            rates.perThousand[operation] = rate
            rates.errno[operation] = errnos
        }
        return rates
    }

    private static func spool(_ dice: inout Dice) -> SpoolConfiguration {
        var spool = SpoolConfiguration()
        spool.segmentBytesMax = [4 << 10, 4 << 10, 16 << 10, 64 << 10][dice.below(4)]
        spool.recordBytesMax = spool.segmentBytesMax / 2
        spool.bytesMax = spool.segmentBytesMax * [4, 16, 256][dice.below(3)]
        spool.freeBytesMin = 0
        spool.spareSegmentsMax = dice.below(3)
        spool.bufferBytesMax = [1 << 10, 64 << 10][dice.below(2)]
        return spool
    }

    private static func configuration(_ dice: inout Dice) -> IngestionConfiguration {
        func pick<Value>(_ choices: Value...) -> Value { choices[dice.below(choices.count)] }
        var configuration = IngestionConfiguration()
        configuration.node = "simulated"
        configuration.lanes = 1 + dice.below(3)
        configuration.laneBytesMax = pick(8 << 10, 64 << 10)
        configuration.groupBytesMax = pick(1, 500, 64 << 10)
        configuration.attemptMax = pick(.milliseconds(500), .seconds(5))
        configuration.patience = pick(.milliseconds(100), .seconds(1))
        configuration.stallMax = pick(.milliseconds(300), .seconds(3))
        configuration.connectMax = pick(.milliseconds(500), .seconds(5))
        configuration.lockWaitMax = pick(.milliseconds(300), .seconds(3))
        configuration.heartbeatMax = pick(.milliseconds(300), .seconds(2))
        configuration.backoffMax = pick(.milliseconds(200), .seconds(2))
        configuration.spoolIntakeBytesMax = pick(2 << 10, 1 << 20)
        configuration.spoolRecordBytesMax = pick(1, 2 << 10, 4 << 10)
        configuration.replayBytesMax = pick(1, 2 << 10, 1 << 20)
        configuration.replayGroupBytesMax = pick(1, 500, 64 << 10)
        configuration.replayRetry = pick(.milliseconds(100), .seconds(1))
        configuration.replayRetryMax = pick(.milliseconds(200), .seconds(4))
        configuration.daysPerMinuteMax = pick(20, 240)
        configuration.dayStepMax = pick(.milliseconds(300), .seconds(30))
        return configuration
    }

    /// The longest time, in nanoseconds, that an answer may take while its process lives: a wait
    /// for the lane, an attempt at its end and one more after it, the questions whom it concerns,
    /// the search for that, and the spool.
    var answerTimeMax: Int64 {
        let times = [
            configuration.stallMax, configuration.lookInterval, configuration.patience,
            configuration.backoffMax, configuration.connectMax, configuration.attemptMax,
            configuration.lockWaitMax, configuration.heartbeatMax * 3, configuration.stallMax,
        ]
        // A lane that has taken batches of several shards writes them shard by shard, and units
        // last.
        let groups = Int64(shards > 0 ? shards + 1 : 1)
        return times.reduce(0) { $0 + $1.nanoseconds } * groups + 2_000_000_000
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
