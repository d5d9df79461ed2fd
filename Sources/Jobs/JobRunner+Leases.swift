import Postgres
import Synchronization

/// Keeps what runs ours, and ends what runs too long.
extension JobRunner {
    /// Until the task is cancelled, also while the server stops.
    func keepLeases() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.lease / 3)
            interruptLongRuns()
            await renewLeases()
        }
    }

    private func interruptLongRuns() {
        let tasks = state.withLock { state in
            state.running.filter { _, run in
                run.interruption == nil && .now - run.began > configuration.runMax
            }.map { lease, run in
                state.running[lease]?.interruption = .tooLong
                return run.task
            }
        }
        for task in tasks { task?.cancel() }
    }

    private func renewLeases() async {
        let jobs = state.withLock { state in
            state.running.values.filter { $0.interruption == nil }.map(\.job)
        }
        guard !jobs.isEmpty else { return }
        let table = table
        // While the database is away leases run out or not; the finish finds out.
        let ours = try? await database.withConnection(useMax: Self.statementMax) {
            try table.renew(jobs, on: $0)
        }
        guard let ours else { return }
        let tasks = state.withLock { state in
            jobs.filter { !ours.contains($0.lease) }.compactMap { job in
                state.running[job.lease]?.interruption = .leaseLost
                return state.running[job.lease]?.task
            }
        }
        for task in tasks { task.cancel() }
    }
}
