import Ingestion

/// The whole of ingestion in one process, in a world of its own, from a seed.
///
/// Lanes, watermark, spool, replay and acknowledgement are the real ones. What is outside of them is a
/// model: PostgreSQL (``ModelDatabase``), the disk (`ModelDisk`), clocks and threads
/// (``Scheduler``). Units of work are notes; of an id the version counts that was acknowledged last. Clients send overlapping, repeated and faulty batches through the real scanner, one
/// or two processes take them, and at every call out of the core something may break or the
/// process may end. ``Oracle`` follows each reading from its first offer on.
///
/// **A seed is a run.** Nothing is asked but the seed's dice: no clock, no thread's luck (one fiber
/// runs at a time), no order of a `Set` or `Dictionary`, which differs from process to process.
/// Two runs of a seed have the same ``SimulationReport/hash``.
///
/// **A run** has faults for some seconds of its own time; then everything is well, clients come to
/// their end, spools empty themselves, processes stop. Each of that must happen within a bound.
///
/// **What breaks promises:** files of a spool that are cut or spoilt between two processes must be
/// told of by the next; a spool whose directory is removed must promise nothing from then on.
///
/// **What is not modelled:** bytes that rot under a running process; a second transaction isolation;
/// anything of HTTP.
package struct Simulation {
    private let threads = FiberThreads()

    package init() {}

    /// Plays out one seed.
    ///
    /// - Parameters:
    ///   - sabotage: what the model is to do wrong.
    ///   - shards: how many the database is spread over, as on Citus; 0: it is plain PostgreSQL. A
    ///     group that mixes shards ends the process then.
    ///   - isTold: whether the report says what happened, line by line.
    package func run(
        seed: UInt64, sabotage: Sabotage? = nil, shards: Int = 0, isTold: Bool = false
    ) -> SimulationReport {
        let run = Run(
            seed: seed, sabotage: sabotage, shards: shards, isTold: isTold, threads: threads)
        run.play()
        return SimulationReport(
            seed: seed, violations: run.oracle.violations, hash: run.scheduler.trace.hash,
            story: run.scheduler.trace.lines, steps: run.scheduler.steps,
            seconds: Double(run.scheduler.now) / 1e9, readings: run.database.rows.count,
            units: run.database.notes.count + run.database.notesSetAside.count,
            answers: run.oracle.answers, spooledAnswers: run.oracle.spooledAnswers,
            crashes: 4 - run.crashesLeft)
    }
}
