import Instruments
import Postgres
import Repetition
import ServiceLifecycle

/// Counts the items that background passes can't process. The table has those of all nodes, so
/// every node reports the same numbers.
struct FailingItemsWatch: Service {
    private let database: Database
    private let counts: [FailingItems.Pass: Gauge]

    private static let interval: Duration = .seconds(30)

    init(database: Database, registry: Registry) {
        self.database = database
        counts = Dictionary(
            uniqueKeysWithValues: FailingItems.Pass.allCases.map { pass in
                let gauge = registry.gauge(
                    "sluice_failing_items",
                    help: "Items that a background pass could not process and tries again.",
                    labels: [MetricLabel("pass", pass.rawValue)])
                return (pass, gauge)
            })
    }

    func run() async throws {
        await Repetition.run(every: Self.interval) {
            // While the database is unreachable, the last numbers stand.
            if let now = try? await database.withConnection({ try FailingItems.counts(on: $0) }) {
                for (pass, gauge) in counts { gauge.set(now[pass] ?? 0) }
            }
        }
    }
}
