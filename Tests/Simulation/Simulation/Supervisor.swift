import Ingest
import Instruments
import Logging
import Postgres
import SpoolLog
import SpoolLogSupport

/// Keeps one process running: starts it, stops it from time to time, and restarts it after a crash.
final class Supervisor {
    unowned(unsafe) private let run: Run
    private let slot: Int
    private var storage: ModelDisk
    private var number = 0
    private(set) var life: Life?
    private(set) var isDone = false
    private var livesAtEnd = 0
    /// `mayDoubt`: a write was torn, so half a header may be in the file. `isTampered`: a file was
    /// changed on purpose.
    private var mayDoubt = false
    private var isTampered = false
    private static let livesAtEndMax = 5

    init(_ run: Run, slot: Int) {
        self.run = run
        self.slot = slot
        storage = ModelDisk(
            seed: run.scheduler.dice.next(), capacityBytes: run.scenario.diskBytes)
    }

    func work() {
        while !run.scheduler.isOver {
            number += 1
            let life = Life(
                run, slot: slot, number: number, storage: storage, knowing: life?.book.known)
            self.life = life
            run.lives.append(life)
            if start(life) {
                watch(life)
                if run.isEnding, !life.isDead {
                    finish(life, in: .seconds(30))
                    livesAtEnd += 1
                    // What a clean stop spooled must be replayed by the next process.
                    if spooledAtStop == 0 || livesAtEnd == Self.livesAtEndMax { break }
                }
            } else {
                life.end()
            }
            life.end()
            mayDoubt = mayDoubt || life.toreWrite || life.tookMachine
            if life.tookMachine {
                storage = storage.crash()
            }
            let pause = [1, 100, 2000][run.scheduler.dice.below(3)] * 1_000_000
            run.scheduler.spend(Int64(run.scheduler.dice.below(pause)))
        }
        isDone = true
        run.scheduler.wakeAll()
    }

    /// From now on the disk has no faults.
    func heal() { setFaults(false) }

    /// Turns the disk's faults on or off.
    private func setFaults(_ areOn: Bool) {
        for disk in [storage, life?.storage ?? storage] {
            disk.rates = areOn && run.mayBreak ? run.scenario.diskRates : FaultRates()
            if !run.mayBreak { disk.capacityBytes = .max }
        }
    }

    /// Removes the directory of a spool that is in use; the next process makes a new one.
    private func removeDirectory(of life: Life) {
        guard life.storage === storage else { return }
        run.tell("the directory of \(slot).\(number) is removed")
        run.oracle.directoryIsRemoved(slot: slot)
        storage = storage.removeDirectory()
        setFaults(true)
    }

    /// Cuts a file of a spool that is not in use, or changes a bit of it.
    private func tamper() {
        let names = storage.fileNames.filter { !$0.hasPrefix("spare-") }
        guard run.mayBreak, run.scenario.tampers, !names.isEmpty else { return }
        let name = names[run.scheduler.dice.below(names.count)]
        let bytes = storage.content(of: name)?.count ?? 0
        guard bytes > 0 else { return }
        isTampered = true
        // Most of a file is empty, so aim at its beginning half of the time.
        let end = [bytes, 1000][run.scheduler.dice.below(2)]
        let offset = run.scheduler.dice.below(min(bytes, end))
        if run.scheduler.dice.below(2) == 0 {
            run.tell("\(name) of \(slot) is cut to \(offset)")
            storage.cut(name, to: offset)
        } else {
            run.tell("a bit of \(name) of \(slot) changes at \(offset)")
            let bit = UInt8(1) << run.scheduler.dice.below(8)
            storage.spoil(name, at: offset) { $0 ^ bit }
        }
    }

    private func start(_ life: Life) -> Bool {
        setFaults(true)
        guard let opened = open(life) else { return false }
        // Only the oracle has seen it, and the oracle keeps no reference to it.
        nonisolated(unsafe) let spool = opened
        life.unitKinds = unitKinds
        let core = IngestionCore(
            SimulatedWorld(run, life), spool: spool, unreplicated: life.unreplicated,
            unitKinds: life.unitKinds,
            shards: run.firstTable ?? run.shardTable, configuration: run.scenario.configuration,
            registry: life.registry, logger: run.logger)
        life.core = core
        life.isOpen = true
        run.tell("process \(slot).\(number) starts")
        run.oracle.processStarts(slot: slot)
        core.start {}
        if run.firstTable != nil {
            run.scheduler.spawn("learn shards", life: life) { self.learnShards(life) }
        }
        if run.scenario.standbys > 0 {
            run.scheduler.spawn("look at standbys", life: life) { life.watchStandbys() }
        }
        return true
    }

    /// Tells the process of a second node.
    private func learnShards(_ life: Life) {
        run.scheduler.spend(Int64(run.scheduler.dice.below(3_000_000_000)))
        guard let table = run.shardTable, !life.isDead, let core = life.core else { return }
        run.tell("process \(slot).\(number) learns of the second node")
        core.route(by: table) { _ in }
    }

    /// A process of an older version may know fewer kinds; at the end all processes are of the
    /// newest version.
    private var unitKinds: [UnitKind] {
        let forgets = run.scenario.forgetsKinds && run.scheduler.dice.below(2) == 0 && run.mayBreak
        return (forgets ? Array(Note.kindNames.prefix(2)) : Note.kindNames).map(Note.kind)
    }

    /// Units that it does not know stay in its spool, so it must be replaced by a process of the
    /// newest version.
    private func isOutdated(_ life: Life) -> Bool {
        !run.mayBreak && life.unitKinds.count < Note.kindNames.count
    }

    /// nil: no process. `.some(nil)`: a process without a spool.
    private func open(_ life: Life) -> Spool<SimulatedDisk>?? {
        guard run.scenario.hasSpool else { return .some(nil) }
        tamper()
        mayDoubt = mayDoubt || !run.scenario.diskRates.perThousand.isEmpty
        do throws(SpoolError) {
            let spool = try Spool(life.disk, configuration: run.scenario.spool)
            guard !life.isDead else { return nil }
            // The oracle's own reads must not disturb the run.
            setFaults(false)
            life.mayCrash = false
            // What can't be read yet may hold promises; the end of the run looks for them.
            let contents = spool.unreadSegments.isEmpty ? try SpoolContents(spool) : nil
            life.mayCrash = true
            let setAside = spool.recovery.setAside
            // A process that died during its start may have renamed it without a report.
            let isAside = storage.fileNames.contains { $0.hasPrefix("bad-") }
            if let contents {
                run.oracle.check(
                    slot: slot, spool: contents,
                    mayLack: isTampered && (isAside || !setAside.isEmpty))
            } else if isTampered {
                // What somebody has damaged in there shows later, when nobody looks.
                run.oracle.excuse(slot: slot)
            }
            for bad in setAside where !isTampered {
                if case .doubtful = bad.reason, mayDoubt { continue }
                run.oracle.violation("damage was seen where none was: \(bad)")
            }
            setFaults(true)
            return spool
        } catch {
            run.tell("process \(slot).\(number) can't open its spool: \(error)")
            return nil
        }
    }

    /// Records that the process left when it was stopped.
    private var spooledAtStop: Int {
        run.scenario.hasSpool ? life?.core?.spoolFigures?.records ?? 0 : 0
    }

    /// Watches the process until it is dead or the run ends; stops it cleanly from time to time.
    private func watch(_ life: Life) {
        // At the end, a process that was started to replay its predecessor's records does only
        // that.
        let end = run.scheduler.now + 180_000_000_000
        while run.isEnding, !isAtRest, !life.isDead, !run.scheduler.isOver {
            if run.scheduler.now >= end {
                return run.oracle.violation("a spool is never emptied by its last process")
            }
            run.scheduler.spend(100_000_000)
        }
        while !life.isDead, !run.isEnding, !run.scheduler.isOver {
            run.scheduler.spend(Int64(200_000_000 + run.scheduler.dice.below(1_000_000_000)))
            if life.isDead { return }
            setFaults(true)
            life.desk.checkWaiting()
            if isOutdated(life) { return finish(life, in: .seconds(30)) }
            if run.mayBreak, run.scenario.removesDirectory,
                run.scheduler.dice.happens(perThousand: 200)
            {
                removeDirectory(of: life)
            }
            if run.mayBreak, run.scheduler.dice.happens(perThousand: run.scenario.stopRate) {
                return finish(life, in: run.scenario.drainTime)
            }
        }
    }

    private func finish(_ life: Life, in time: Duration) {
        guard let core = life.core else { return }
        run.tell("process \(slot).\(number) is stopped")
        let end = run.scheduler.now + time.nanoseconds
        var isFinished = false
        let me = run.scheduler.current
        let finished: () -> Void = {
            isFinished = true
            self.run.scheduler.wake(me)
        }
        nonisolated(unsafe) let done = finished
        core.finish(by: SimulatedWorld.instant(end)) { done() }
        let limit = end + run.scenario.answerTimeMax
        while !isFinished, !life.isDead, !run.scheduler.isOver {
            if run.scheduler.now >= limit {
                return run.oracle.violation("a stop takes for ever")
            }
            run.scheduler.wait(until: limit)
        }
        guard isFinished, !life.isDead else { return }
        let unanswered = life.desk.pending.filter(\.value.isTaken).keys.sorted()
        if !unanswered.isEmpty {
            run.oracle.violation("stopped with offers \(unanswered) unanswered")
        }
        life.isOpen = false
        readLedger(life)
        life.end()
    }

    /// Reads the spool's accounts from the metrics.
    private func readLedger(_ life: Life) {
        for line in life.registry.render().split(separator: "\n") {
            if line.hasPrefix("sluice_spool_replayed_readings_total{outcome=\"stored\"} ") {
                run.oracle.spoolStored(Int(line.split(separator: " ")[1]) ?? 0)
            }
        }
    }

    /// Pending records of the running process, and files that it has yet to read.
    private var waiting: Int {
        life?.core?.spoolFigures.map { $0.records + $0.unread } ?? 0
    }

    /// Whether its spool and its unreplicated commits are empty.
    var isAtRest: Bool {
        guard let life, waiting == 0, !life.hasToReturn else { return false }
        return life.unreplicated.figures.bytes == 0
    }

    /// After the end of the run: nothing must be left.
    func checkSpool() {
        guard run.scenario.hasSpool else { return }
        let life = Life(run, slot: slot, number: number + 1, storage: storage, knowing: nil)
        life.mayCrash = false
        run.lives.append(life)
        guard let spool = try? Spool(life.disk, configuration: run.scenario.spool),
            let contents = try? SpoolContents(spool)
        else { return run.oracle.violation("the spool can't be opened at the end") }
        // If a file could not be removed, its stored records may appear again.
        if contents.records > 0, run.scenario.diskRates.perThousand.isEmpty {
            run.oracle.violation("\(contents.records) records are left in a spool")
        }
        run.oracle.checkLeft(contents)
    }
}
