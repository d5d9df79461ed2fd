import Instruments
import Logging
import Postgres
import ServiceLifecycle

/// Sums past hours in short steps that block neither the connection pool nor the disk for long.
///
/// Every node has one. Two may work at the same time: each skips devices that the other has locked.
struct RollupKeeper: Service {
    private let database: Database
    private let isOn: Bool
    private let logger: Logger
    private let hours: Gauge
    private let oldest: Gauge

    private static let interval: Duration = .seconds(60)
    /// Lets other work go first after a start.
    private static let delay: Duration = .seconds(30)
    /// The length of a step, and of the pause after it.
    private static let stepMax: Duration = .milliseconds(500)
    private static let useMax: Duration = .seconds(60)

    /// - Parameter isOn: if false, unsummed hours are only counted; the views read their rows.
    init(database: Database, isOn: Bool, registry: Registry, logger: Logger) {
        self.database = database
        self.isOn = isOn
        self.logger = logger
        hours = registry.gauge(
            "sluice_rollup_hours_due",
            help: "Past hours of devices that are not summed yet; the views read their rows.")
        oldest = registry.gauge(
            "sluice_rollup_oldest_due_seconds",
            help: "Seconds since the oldest unsummed hour began; 0: there is none.")
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.delay)
            while !Task.isCancelled {
                if isOn { await sum() }
                await measure()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func sum() async {
        var after: Int64? = Int64.min
        do {
            while let key = after, !Task.isCancelled {
                after = try await database.withConnection(useMax: Self.useMax) {
                    try RollupUpkeep.sum(after: key, for: Self.stepMax, on: $0)
                }
                if after != nil { try? await Task.sleep(for: Self.stepMax) }
            }
        } catch {
            logger.warning(
                "hours were not summed; this is retried", metadata: ["error": "\(error)"])
        }
    }

    private func measure() async {
        guard let due = try? await database.withConnection({ try RollupUpkeep.due(on: $0) })
        else { return }
        hours.set(due.hours)
        oldest.set(due.oldestSeconds)
    }
}
