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
    private let failing: Gauge

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
        failing = registry.gauge(
            "sluice_rollup_failing_devices",
            help: "Devices with hours that could not be summed and are retried after a pause.")
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.delay)
            var failing = 0
            var passed = 0
            while !Task.isCancelled {
                if isOn { passed = await sum(passedBefore: passed) }
                failing = await measure(failingBefore: failing, passed: passed)
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// - Returns: how many devices were passed by, because their failures could not be noted.
    private func sum(passedBefore: Int) async -> Int {
        var after: Int64? = Int64.min
        var passed = 0
        do {
            while let key = after, !Task.isCancelled {
                let step = try await database.withConnection(useMax: Self.useMax) { connection in
                    var errors: [PostgresError] = []
                    let after = try RollupUpkeep.sum(
                        after: key, for: Self.stepMax, on: connection,
                        passedBy: { errors.append($0) })
                    return (after: after, errors: errors)
                }
                after = step.after
                if let error = step.errors.first, passed == 0, passedBefore == 0 {
                    logger.warning(
                        "hours of a device were not summed; this is retried",
                        metadata: ["error": "\(error)"])
                }
                passed += step.errors.count
                if after != nil { try? await Task.sleep(for: Self.stepMax) }
            }
        } catch {
            logger.warning(
                "hours were not summed; this is retried", metadata: ["error": "\(error)"])
        }
        return passed
    }

    /// - Returns: how many devices have hours that fail. A change of that is logged.
    private func measure(failingBefore: Int, passed: Int) async -> Int {
        let found = try? await database.withConnection {
            (try RollupUpkeep.due(on: $0), try RollupUpkeep.failures(limit: 1, on: $0).first)
        }
        guard let (due, failure) = found else { return failingBefore }
        hours.set(due.hours)
        oldest.set(due.oldestSeconds)
        failing.set(due.failingDevices + passed)
        if let failure, due.failingDevices != failingBefore {
            logger.warning(
                "hours could not be summed; they are retried after a pause",
                metadata: [
                    "devices": "\(due.failingDevices)", "device": "\(failure.deviceID)",
                    "hours": "\(failure.hours)", "sqlstate": "\(failure.sqlState)",
                ])
        }
        return due.failingDevices
    }
}
