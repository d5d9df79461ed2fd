import Instruments
import Synchronization

/// How jobs are run on one node.
public struct JobConfiguration: Sendable {
    /// The number of concurrent runs.
    public var concurrency = 4
    /// How long a runner owns a job without renewing the lease; it renews after each third of this.
    /// After a crash the runner's jobs wait this long.
    public var lease: Duration = .seconds(30)
    /// The longest run. A longer one is cancelled and counts as failed; its lease is not renewed.
    public var runMax: Duration = .seconds(300)
    /// Attempts after which a job is dead.
    public var attemptsMax = 12
    /// The pause after the first failure; doubled each time. Each is shortened at random, by up to
    /// half.
    public var pauseMin: Duration = .seconds(2)
    /// The longest pause. The pauses between twelve attempts add up to 34 to 68 minutes.
    public var pauseMax: Duration = .seconds(3600)
    /// How often the table is polled when no notification arrives.
    public var pollInterval: Duration = .seconds(5)
    /// How long running jobs may take to end when the server stops; then they are cancelled and
    /// given back.
    public var stopMax: Duration = .seconds(10)

    /// The defaults.
    public init() {}
}

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
