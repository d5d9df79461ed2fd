import Logging
import Postgres
import ServiceLifecycle
import Synchronization

/// Brings the database's schema to what this binary needs: at the start, or later when the database
/// was away then. Until that is done the lanes' connections are refused by themselves.
final class SchemaKeeper: Service {
    private let settings: ConnectionSettings
    private let logger: Logger
    private let isDone = Atomic(false)
    private let isAtWork = Atomic(false)

    private static let retryInterval: Duration = .seconds(2)

    init(settings: ConnectionSettings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var told: StartFailure?
            while !Task.isCancelled, !self.isDone.load(ordering: .relaxed) {
                try? await Task.sleep(for: Self.retryInterval)
                // The attempt of the start may be under way still.
                if Task.isCancelled || self.isAtWork.load(ordering: .relaxed) { continue }
                guard case .failure(let error) = await value(of: Task { await self.attempt() })
                else { continue }
                if error != told { self.tell(error) }
                told = error
            }
        }
        // A service that ends ends the group.
        try? await gracefulShutdown()
    }

    private func tell(_ error: StartFailure) {
        if error.isFinal {
            logger.critical(
                "the schema of the database is not for this version; batches are spooled",
                metadata: ["error": "\(error)"])
        } else {
            let isAway =
                if case .database(let cause) = error { PostgresError.isAway(cause) } else { false }
            logger.log(
                level: isAway ? .debug : .warning,
                "the schema can't be looked after now; that is tried again",
                metadata: ["error": "\(error)"])
        }
    }

    private func attempt() async -> Result<Void, StartFailure> {
        do throws(StartFailure) {
            return .success(try await migrate())
        } catch {
            return .failure(error)
        }
    }

    /// Migrates what is missing. Takes as long as the database does.
    func migrate() async throws(StartFailure) {
        let (settings, logger) = (settings, logger)
        isAtWork.store(true, ordering: .relaxed)
        defer { isAtWork.store(false, ordering: .relaxed) }
        let report = try await blocking { () throws(StartFailure) in
            try DatabaseAccess.migrate(DatabaseAccess.connect(settings)) { progress in
                if case .runs = progress {
                    logger.info("\(progress)")
                } else {
                    logger.warning("\(progress)")
                }
            }
        }
        isDone.store(true, ordering: .relaxed)
        for notice in report.notices { logger.warning("\(notice)") }
        if !report.applied.isEmpty {
            logger.info(
                "database migrated",
                metadata: [
                    "steps": "\(report.applied.joined(separator: " "))",
                    "version": "\(report.version)",
                ])
        }
    }
}
