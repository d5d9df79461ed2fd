import Auth
import Ingest
import Instruments
import Logging
import Postgres
import SpoolLogSupport

/// One process, from its start to its end.
final class Life: @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) let run: Run
    /// Its number among the processes that run side by side. They share only the database.
    let slot: Int
    let number: Int
    /// After this, nothing that it does has an effect.
    private(set) var isDead = false
    /// The machine crashed together with the process.
    private(set) var tookMachine = false
    /// It crashed in the middle of a write. Any part of that write may be in the file.
    var toreWrite = false
    let storage: ModelDisk
    private(set) lazy var disk = SimulatedDisk(run, self, storage)
    private(set) lazy var desk = Desk(run, self)
    let registry = Registry()
    /// The kinds that this process's version knows.
    var unitKinds: [UnitKind] = []
    var core: IngestionCore<SimulatedWorld>?
    /// Keeps the loops alive while their fibers run.
    var loops: [SimulatedLoop] = []
    /// Whether it accepts offers.
    var isOpen = false
    /// Whether it may crash at a step.
    var mayCrash = true
    /// The servers that it knows.
    let book: EpochFence
    /// The standbys that count since the last look; valid once `hasLooked` is true.
    var watched: Set<String> = []
    var hasLooked = false
    /// Its machine sleeps before each look at the primary, for longer than a missing standby
    /// counts.
    var slept: Duration = .zero
    private(set) lazy var unreplicated = UnreplicatedCommits(
        bytesMax: unreplicatedBytesMax,
        durability: run.sabotage == .answersBeforeStandbys ? .committed : answering,
        patience: run.scenario.configuration.patience)

    /// - Parameter known: what its predecessor knew of the database's history.
    init(_ run: Run, slot: Int, number: Int, storage: ModelDisk, knowing known: Epoch?) {
        self.run = run
        self.slot = slot
        self.number = number
        self.storage = storage
        book = EpochFence(knowing: known)
    }

    private var unreplicatedBytesMax: Int {
        guard run.scenario.standbys > 0 else { return 0 }
        return run.sabotage == .replaysAboveTheBranch ? 1 : 16 << 20
    }

    private var answering: Durability { run.scenario.configuration.durability }

    /// Whether it may crash now. Its unreplicated commits are lost with it, so it must not crash while only they
    /// hold what clients were told of.
    var canCrash: Bool {
        !isDead && mayCrash && run.mayBreak && run.crashesLeft > 0
            && (answering == .replicated || !hasToReturn)
    }

    /// Commits that a failover lost are not in the spool yet.
    var hasToReturn: Bool {
        run.scenario.standbys > 0
            && (!knowsPrimary || unreplicated.mark.history < book.generation
                || unreplicated.figures.returning > 0)
    }

    /// A point at which other fibers may run and the process may crash.
    func step() {
        run.scheduler.step()
        guard canCrash else { return }
        if run.scheduler.dice.below(1_000_000) < run.scenario.crashRate { crash() }
    }

    /// Crashes in the middle of its current work.
    func crash() {
        guard !isDead else { return }
        run.crashesLeft -= 1
        // It may have stored readings without having answered.
        run.oracle.isCountInexact = true
        if answering == .committed { run.database.cluster.catchUp() }
        tookMachine = run.scheduler.dice.happens(perThousand: run.scenario.machineRate)
        run.tell("process \(slot).\(number) crashes\(tookMachine ? " with its machine" : "")")
        end()
    }

    /// Ends the process, whether by a stop or a crash.
    func end() {
        guard !isDead else { return }
        isDead = true
        isOpen = false
        // It kept no commits for standbys that it never saw, so they owe all that it has committed
        // since its last look.
        if hasLooked { run.database.cluster.release(besides: watched) }
        run.database.clientIsGone(self)
        run.scheduler.wakeAll()
    }
}
