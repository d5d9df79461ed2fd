import Access
import Ingestion
import Instruments
import Logging
import Postgres
import SpoolingSupport

/// One process from its start to its end.
final class Life: @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) let run: Run
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
    /// Which servers it knows.
    let book: EraBook
    /// Standbys that it has seen, once it has looked.
    var watched: Set<String> = []
    var hasLooked = false
    /// Its machine sleeps before each look at the primary, for longer than a standby counts that is gone.
    var slept: Duration = .zero
    private(set) lazy var tail = Tail(
        bytesMax: tailBytesMax,
        durability: run.sabotage == .answersBeforeStandbys ? .committed : answering,
        patience: run.scenario.configuration.patience)

    /// - Parameter known: what its predecessor knew of the database's history.
    init(_ run: Run, slot: Int, number: Int, storage: ModelDisk, knowing known: Era?) {
        self.run = run
        self.slot = slot
        self.number = number
        self.storage = storage
        book = EraBook(knowing: known)
    }

    private var tailBytesMax: Int {
        guard run.scenario.standbys > 0 else { return 0 }
        return run.sabotage == .replaysAboveTheBranch ? 1 : 16 << 20
    }

    private var answering: Durability { run.scenario.configuration.durability }

    /// A tail dies with its process: that does not happen while it is the only one to know something,
    /// unless nobody was told of that.
    var canCrash: Bool {
        !isDead && mayCrash && run.mayBreak && run.crashesLeft > 0
            && (answering == .replicated || !hasToReturn)
    }

    /// What a failover has lost is not in the spool yet.
    var hasToReturn: Bool {
        run.scenario.standbys > 0
            && (!knowsPrimary || tail.mark.history < book.generation || tail.figures.returning > 0)
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
        if answering == .committed { run.database.cluster.catchUp() }
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
