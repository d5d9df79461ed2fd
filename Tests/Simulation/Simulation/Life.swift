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
    /// It ended in the middle of a write, of which any part is in the file.
    var toreWrite = false
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
    /// Of the newest server that it knows.
    private(set) var history: Int
    private(set) lazy var tail = Tail(
        bytesMax: run.scenario.hasStandby ? 1 << 20 : 0,
        durability: run.sabotage == .answersBeforeStandbys ? .committed : answering,
        patience: run.scenario.configuration.patience)

    init(_ run: Run, slot: Int, number: Int, storage: ModelDisk) {
        self.run = run
        self.slot = slot
        self.number = number
        self.storage = storage
        history = run.database.history
    }

    /// It has heard of a server.
    func learn(_ history: Int) { self.history = max(self.history, history) }

    private var answering: Durability { run.scenario.configuration.durability }

    /// A tail dies with its process: that does not happen while it is the only one to know something,
    /// unless nobody was told of that.
    var canCrash: Bool {
        !isDead && mayCrash && run.mayBreak && run.crashesLeft > 0
            && (answering == .replicated || !hasToReturn)
    }

    /// What a failover has lost is not in the spool yet.
    var hasToReturn: Bool {
        run.scenario.hasStandby
            && (tail.mark.history < run.database.history || tail.figures.returning > 0)
    }

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
        if answering == .committed { run.database.catchUp() }
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
