import Instruments
import Logging
import Postgres
import Repetition
import ServiceLifecycle

/// Upkeep of the tables that analysts read: sums past hours, in short steps that block neither the
/// connection pool nor the disk for long, and refreshes the planner's statistics.
///
/// Every node has one. Two may work at the same time: each skips devices that the other has locked,
/// and tables that the other analyses.
struct RollupKeeper: Service {
    private let database: Database
    private let isOn: Bool
    private let logger: Logger
    private let hours: Gauge
    private let oldest: Gauge
    private let failing: Gauge

    private let delay: Duration

    private static let interval: Duration = .seconds(60)
    /// The length of a step, and of the pause after it.
    private static let stepMax: Duration = .milliseconds(500)
    private static let useMax: Duration = .seconds(60)

    /// - Parameters:
    ///   - isOn: if false, unsummed hours are only counted; the views read their rows.
    ///   - delay: lets other work go first after a start.
    init(
        database: Database, isOn: Bool, registry: Registry, logger: Logger,
        delay: Duration = .seconds(30)
    ) {
        self.database = database
        self.isOn = isOn
        self.delay = delay
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
        await Repetition.run((failing: 0, passed: 0), after: delay) { before in
            if isOn { before.passed = await sum(passedBefore: before.passed) }
            before.failing = await measure(
                failingBefore: before.failing, passed: before.passed)
            await analyze()
            return Self.interval
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

    private func analyze() async {
        do {
            let tables = try await database.withConnection(useMax: Self.useMax) {
                try PlannerStatistics.refresh(on: $0)
            }
            guard !tables.isEmpty else { return }
            logger.info(
                "tables were analysed", metadata: ["tables": "\(tables.joined(separator: " "))"])
        } catch {
            logger.log(
                level: PostgresError.isAway(error) ? .debug : .warning,
                "tables were not analysed; this is retried", metadata: ["error": "\(error)"])
        }
    }
}
