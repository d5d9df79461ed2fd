import Access
import Ingestion
import Instruments
import Logging
import SpoolingSupport

/// One process from its start to its end.
final class Life: @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) private let run: Run
    /// Which of the processes that run side by side; they share nothing but the database.
    let slot: Int
    let number: Int
    /// Nothing it does has any effect from here on.
    private(set) var isDead = false
    /// In the end the machine went down with it.
    private(set) var tookMachine = false
    let storage: ModelDisk
    private(set) lazy var disk = SimulatedDisk(run, self, storage)
    private(set) lazy var desk = Desk(run, self)
    let registry = Registry()
    /// Those that its version knows.
    var unitKinds: [UnitKind] = []
    var core: IngestionCore<SimulatedWorld>?
    /// Keeps what its fibers run.
    var loops: [SimulatedLoop] = []
    /// Whether it takes offers.
    var isOpen = false
    /// It may end at any step.
    var mayCrash = true

    init(_ run: Run, slot: Int, number: Int, storage: ModelDisk) {
        self.run = run
        self.slot = slot
        self.number = number
        self.storage = storage
    }

    var canCrash: Bool { !isDead && mayCrash && run.mayBreak && run.crashesLeft > 0 }

    /// Something of it happens here: others may go first, and it may end.
    func step() {
        run.scheduler.step()
        guard canCrash else { return }
        if run.scheduler.dice.below(1_000_000) < run.scenario.crashRate { crash() }
    }

    /// Ends in the middle of whatever it does.
    func crash() {
        guard !isDead else { return }
        run.crashesLeft -= 1
        // What it had stored and not told.
        run.oracle.isCountInexact = true
        tookMachine = run.scheduler.dice.happens(perThousand: run.scenario.machineRate)
        run.tell("process \(slot).\(number) crashes\(tookMachine ? " with its machine" : "")")
        end()
    }

    /// It is no more; in good order or not.
    func end() {
        guard !isDead else { return }
        isDead = true
        isOpen = false
        run.database.clientIsGone(self)
        run.scheduler.wakeAll()
    }
}
