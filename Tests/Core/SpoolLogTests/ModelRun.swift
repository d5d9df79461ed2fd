import Glibc
import SpoolLog
import SpoolLogSupport

/// A spool on a ``ModelDisk`` beside a ``Reference``; the dice decide the operations.
struct ModelRun {
    struct Wrong: Error { let what: String }

    let configuration = SpoolConfiguration.small
    private(set) var disk: ModelDisk
    private var spool: Spool<ModelDisk>
    private(set) var reference = Reference()
    private var dice: Dice
    private let hasFaults: Bool
    /// Reads of a thousand that fail, and succeed when they are tried again.
    private let readRate: Int
    /// Power was lost at least once.
    private var hasTorn = false
    /// How often things happened, to show that the test covers them.
    private(set) var crashes = 0
    private(set) var fulls = 0
    private(set) var failures = 0

    init(seed: UInt64) throws {
        dice = Dice(seed: seed)
        hasFaults = dice.below(2) == 0
        readRate = [0, 25, 200, 350][Int(seed % 4)]
        let capacity = dice.below(3) == 0 ? 4 * 16 * 1024 : Int.max
        disk = ModelDisk(seed: dice.next(), capacityBytes: capacity)
        spool = try Spool(disk, configuration: configuration)
        breakThings()
    }

    private func breakThings() {
        guard hasFaults else { return }
        for operation: DiskError.Operation in [
            .write, .sync, .create, .rename, .remove, .syncNames, .freeBytes, .open, .list,
            .truncate, .byteCount,
        ] {
            disk.rates.perThousand[operation] = 25
        }
        disk.rates.perThousand[.read] = readRate
        disk.rates.errno = [
            .write: [EIO, ENOSPC], .create: [EIO, ENOSPC, EDQUOT], .rename: [EIO, ENOSPC],
            .open: [EMFILE, EIO, EACCES], .read: [EIO, ESTALE, ENOMEM, ETIMEDOUT],
        ]
    }

    private func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Wrong(what: what()) }
    }

    mutating func run(actions: Int) throws {
        for _ in 0..<actions { try act() }
        try restart(power: true)
        try drain()
    }

    private mutating func act() throws {
        switch dice.below(100) {
        case 0..<48: try append()
        case 48..<70: try sync()
        case 70..<86: try releaseOldest(dice.below(12))
        case 86..<90: try releaseAny()
        case 90..<93: try compare()
        case 93..<96: try restart(power: true)
        case 96..<98: try restart(power: false)
        default: try drain()
        }
    }

    private mutating func append() throws {
        let bytes = dice.below(4) == 0 ? dice.below(4096) : dice.below(200)
        let payload = reference.nextPayload(bytes: bytes, &dice)
        let units = dice.below(1000)
        let time = Int64(truncatingIfNeeded: dice.next())
        do {
            switch try spool.append(payload, units: units, time: time) {
            case .appended(let id): reference.appended(payload, units: units, time: time, id)
            case .full: fulls += 1
            }
        } catch is SpoolError {
            failures += 1
            try require(hasFaults, "an append failed on a sound disk")
        }
        try require(
            disk.bytesTaken <= spool.figures.bytesOnDisk
                && disk.bytesTaken <= configuration.bytesMax,
            "\(disk.bytesTaken) bytes taken, \(spool.figures)")
    }

    private mutating func sync() throws {
        do {
            try spool.sync()
            reference.synced()
        } catch {
            failures += 1
            try require(hasFaults, "a sync failed on a sound disk")
            reference.syncFailed()
        }
        let figures = spool.figures
        try require(
            figures.records == reference.durable.count
                && figures.units == reference.durable.reduce(0) { $0 + $1.units }
                && figures.recordsUnreadable == 0,
            "\(figures), but \(reference.durable.count) records")
    }

    /// Retries a failed open.
    private func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 0..<100 {
            if let value = try? body() { return value }
        }
        return try body()
    }

    /// All records, once all passing read errors have passed.
    private func all() throws -> [SpooledRecord] {
        try patiently {
            guard let records = try spool.allInTheEnd() else {
                throw Wrong(what: "unread for ever")
            }
            return records
        }
    }

    private mutating func releaseOldest(_ count: Int) throws {
        for _ in 0..<count {
            guard var record = try patiently({ try spool.next(after: nil) }) else {
                if spool.unreadSegments.isEmpty { return }
                _ = try all()
                continue
            }
            if record.id != reference.durable.first?.id, let first = try all().first {
                record = first
            }
            try require(
                record.id == reference.durable.first?.id, "\(record.id) is not the oldest")
            try spool.release(record.id)
            reference.released(record.id)
        }
    }

    private mutating func releaseAny() throws {
        guard !reference.durable.isEmpty else { return }
        let id = reference.durable[dice.below(reference.durable.count)].id
        try spool.release(id)
        try spool.release(id)
        reference.released(id)
    }

    private func compare() throws {
        let records = try all()
        if let difference = reference.differs(from: records) { throw Wrong(what: difference) }
        let oldest = records.first?.time
        if !hasFaults {
            try require(spool.figures.oldestTime == oldest, "\(spool.figures.oldestTime as Any)")
        }
    }

    /// With a power loss, unsynced data is lost. Without one, only this process's memory is.
    private mutating func restart(power isLost: Bool) throws {
        crashes += 1
        spool.close()
        disk = isLost ? disk.crash() : disk.endOfProcess()
        hasTorn = hasTorn || isLost
        // An operator has dealt with them.
        for name in disk.fileNames where name.hasPrefix("bad-") { disk.removeFile(name) }
        breakThings()
        spool = try patiently { try Spool(disk, configuration: configuration) }
        try require(
            spool.recovery.isSound(mayDoubt: hasFaults || hasTorn), "\(spool.recovery.setAside)")
        let wasUnread = spool.figures.unread > 0
        let records = try all()
        if let fault = reference.recovered(records, afterPowerLoss: isLost) {
            throw Wrong(what: fault)
        }
        try require(
            (wasUnread || spool.recovery.records == records.count)
                && spool.figures.records == records.count,
            "\(records.count) records, \(spool.recovery)")
        try compare()
    }

    private mutating func drain() throws {
        for record in try all() {
            try spool.release(record.id)
            reference.released(record.id)
        }
        try require(reference.durable.isEmpty, "\(reference.durable.count) records left")
        try require(try all().isEmpty, "a record after all are released")
    }
}
