import Instruments
import Synchronization

/// The metrics of one node's jobs.
final class JobInstruments: Sendable {
    enum Ending: String, CaseIterable {
        case done
        case again
        case failed
        case dead
        case lost
        case givenBack = "given_back"
    }

    let running: Gauge
    private let endings: [JobKind: [Ending: Counter]]
    private let times: [JobKind: Histogram]
    private let counts: Counts

    /// The jobs in the table when it was last counted.
    private final class Counts: Sendable {
        let byState = Mutex<[JobRecord.State: Int]>([:])
    }

    /// - Parameter countsTable: whether this runner reports the number of jobs in the table.
    init(_ kinds: [JobKind], _ registry: Registry, runner: String, countsTable: Bool) {
        var endings: [JobKind: [Ending: Counter]] = [:]
        var times: [JobKind: Histogram] = [:]
        for kind in kinds {
            let label = MetricLabel("kind", kind.name)
            for ending in Ending.allCases {
                endings[kind, default: [:]][ending] = registry.counter(
                    "sluice_job_runs_total", help: "Runs of jobs, by how they ended.",
                    labels: [label, MetricLabel("ending", ending.rawValue)])
            }
            times[kind] = registry.histogram(
                "sluice_job_run_seconds", help: "Time from claim to commit.", labels: [label],
                unit: .seconds, bounds: Histogram.latencyBounds)
        }
        let counts = Counts()
        self.counts = counts
        self.endings = endings
        self.times = times
        running = registry.gauge(
            "sluice_jobs_running", help: "Jobs that this node runs.",
            labels: [MetricLabel("runner", runner)])
        guard countsTable else { return }
        for state in [JobRecord.State.waiting, .dead] {
            registry.gauge(
                "sluice_jobs", help: "Jobs in the table, as last counted.",
                labels: [MetricLabel("state", state.rawValue)]
            ) {
                Double(counts.byState.withLock { $0[state] ?? 0 })
            }
        }
    }

    func ended(_ kind: JobKind, _ ending: Ending, after time: Duration) {
        endings[kind]?[ending]?.increment()
        times[kind]?.record(time)
    }

    func counted(_ counts: [JobRecord.State: Int]) {
        self.counts.byState.withLock { $0 = counts }
    }
}
