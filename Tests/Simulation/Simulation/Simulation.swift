import Ingest

/// Runs all of ingestion in one process, in a world of its own, from a seed.
///
/// Lanes, watermark, spool, replay and acknowledgement are the real code. The surroundings are
/// models: PostgreSQL (``ModelDatabase``), the disk (`ModelDisk`), clocks and threads
/// (``Scheduler``). Units of work are notes; of the versions of an id, the last one acknowledged
/// counts. Clients send overlapping, repeated and faulty batches through the real scanner. One or
/// two processes accept them. At every call out of the core a fault may occur, or the process may
/// crash. ``Oracle`` follows each reading from its first offer.
///
/// **A seed is a run.** Only the seed's dice decide. A run uses no real clock, no thread scheduling
/// (one fiber runs at a time), and no order of a `Set` or `Dictionary`, which differs between
/// processes. Two runs of a seed have the same ``SimulationReport/hash``.
///
/// **A run** has faults for some seconds of its own time. Then faults end, clients finish, spools
/// drain, and processes stop. Each step must end within a bound.
///
/// **What breaks promises:** if spool files are cut or corrupted between two processes, the second
/// process must report it. After a spool's directory is removed, the process must promise nothing.
///
/// **Not modelled:** bytes that change on disk under a running process; a second transaction
/// isolation level; HTTP, sockets and formats, which end before the core; sealed days, which only a
/// session to PostgreSQL knows.
package struct Simulation {
    private let threads = FiberThreads()

    package init() {}

    /// Runs one seed.
    ///
    /// - Parameters:
    ///   - sabotage: the fault of the model itself.
    ///   - shards: the number of shards that the database is distributed over, as on Citus; 0:
    ///     plain PostgreSQL. A group that mixes shards traps.
    ///   - namesMetrics: whether some metrics have names in place of codes whatever the seed.
    ///   - isTold: whether the report has a story of the run, line by line.
    package func run(
        seed: UInt64, sabotage: Sabotage? = nil, shards: Int = 0, namesMetrics: Bool = false,
        isTold: Bool = false
    ) -> SimulationReport {
        let run = Run(
            seed: seed, sabotage: sabotage, shards: shards, namesMetrics: namesMetrics,
            isTold: isTold, threads: threads)
        run.play()
        return SimulationReport(
            seed: seed, violations: run.oracle.violations, hash: run.scheduler.trace.hash,
            story: run.scheduler.trace.lines, steps: run.scheduler.steps,
            seconds: Double(run.scheduler.now) / 1e9, readings: run.database.rows.count,
            units: run.database.notes.count + run.database.notesSetAside.count,
            answers: run.oracle.answers, spooledAnswers: run.oracle.spooledAnswers,
            crashes: 4 - run.crashesLeft)
    }

    /// Runs a seed's clients and readings without anything that goes wrong.
    package func calmRun(seed: UInt64) -> CalmRun {
        Run(
            seed: seed, sabotage: nil, shards: 0, isTold: false, isCalm: true, threads: threads
        ).playCalmly()
    }
}
