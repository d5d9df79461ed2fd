import Logging
import Postgres
import ServiceLifecycle

/// Makes the partitions of the coming days ahead of time, so that no batch waits for one at midnight.
///
/// Days further off, before and after, are made by the lanes when a reading needs them.
struct DayKeeper: Service {
    let database: Database
    let logger: Logger

    /// A week, so that nobody notices a database that is away for some days.
    static let daysAhead = 7
    private static let interval: Duration = .seconds(3600)

    /// Makes what is missing from yesterday on.
    func makeDays() async throws {
        let made = try await database.withConnection { connection in
            let rows = try connection.query(
                """
                select sluice.ensure_days(current_date - 1, current_date + \(Self.daysAhead))
                """)
            return Int(rows.int32(0, 0))
        }
        if made > 0 { logger.info("partitions made ahead", metadata: ["count": "\(made)"]) }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if Task.isCancelled { return }
                do {
                    try await makeDays()
                } catch {
                    logger.warning(
                        "partitions were not made ahead", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
