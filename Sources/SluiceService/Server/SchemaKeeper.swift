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

    private static let retryInterval: Duration = .seconds(2)

    init(settings: ConnectionSettings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    /// Migrates what is missing.
    ///
    /// - Parameter mayBeAway: whether a database that can't be reached is no failure.
    /// - Returns: whether the schema is ready.
    func prepare(mayBeAway: Bool) async throws(StartFailure) -> Bool {
        do throws(StartFailure) {
            try await migrate()
            return true
        } catch {
            guard mayBeAway, error.isDatabaseAway else { throw error }
            logger.warning(
                "the database is away; batches go to the spool until it is back",
                metadata: ["error": "\(error)"])
            return false
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled, !self.isDone.load(ordering: .relaxed) {
                try? await Task.sleep(for: Self.retryInterval)
                if Task.isCancelled { return }
                do throws(StartFailure) {
                    try await self.migrate()
                } catch {
                    guard !error.isDatabaseAway else { continue }
                    self.logger.critical(
                        "the database is back, its schema can't be migrated; batches are spooled",
                        metadata: ["error": "\(error)"])
                }
            }
        }
        // A service that ends ends the group.
        try? await gracefulShutdown()
    }

    private func migrate() async throws(StartFailure) {
        let (settings, logger) = (settings, logger)
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

extension StartFailure {
    /// No connection came about, and another time it may.
    var isDatabaseAway: Bool {
        let failure: PostgresError
        switch self {
        case .database(let error), .migration(.database(let error)): failure = error
        default: return false
        }
        guard failure.isConnectionClosed else { return false }
        return failure.sqlState.map { FailureClass($0) == .retry } ?? true
    }
}
