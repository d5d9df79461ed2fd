import Logging
import Postgres
import ServiceLifecycle

/// Compacts the rollups of days that are over, one day at a time.
struct RollupKeeper: Service {
    let database: Database
    let logger: Logger

    private static let interval: Duration = .seconds(1800)
    /// For one day; what is done by then stays done.
    private static let dayMax: Duration = .seconds(600)
    /// After a start there is other work to do.
    private static let delay: Duration = .seconds(90)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.delay)
            while !Task.isCancelled {
                _ = await value(of: Task { await compact() })
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func compact() async {
        do {
            let days = try await database.withConnection {
                try RollupUpkeep.daysToCompact(on: $0)
            }
            for day in days {
                try Task.checkCancellation()
                try await database.withConnection(useMax: Self.dayMax) {
                    try RollupUpkeep.compact(day: day, on: $0)
                }
                logger.info("rollups compacted", metadata: ["day": "\(day)"])
            }
        } catch is CancellationError {
        } catch {
            logger.warning(
                "rollups were not compacted; that is tried again", metadata: ["error": "\(error)"])
        }
    }
}
