import Analysts
import Instruments
import Logging
import Postgres
import Repetition
import ServiceLifecycle

/// Keeps analysts of the private cluster within their limits: restores rights and settings that
/// they can change, and ends transactions that take too long; see `Analysts.guardAll`.
struct AnalystKeeper: Service {
    let database: Database
    let logger: Logger

    private static let interval: Duration = .seconds(10)
    private static let useMax: Duration = .seconds(10)

    func run() async throws {
        await Repetition.run(every: Self.interval) { await look() }
    }

    private func look() async {
        do {
            let report = try await database.withConnection(useMax: Self.useMax) {
                try Analysts.guardAll(on: $0)
            }
            if !report.restored.isEmpty {
                logger.notice(
                    "rights and settings of analysts were restored",
                    metadata: ["statements": "\(report.restored.count)"])
            }
            for name in report.ended {
                logger.warning(
                    "a session of an analyst was ended: its transaction took too long",
                    metadata: ["role": "\(name)", "limit": "\(Analysts.transactionMax)"])
            }
        } catch {
            // Lanes report a database that is unreachable.
            logger.log(
                level: PostgresError.isAway(error) ? .debug : .warning,
                "analysts could not be checked", metadata: ["error": "\(error)"])
        }
    }
}
