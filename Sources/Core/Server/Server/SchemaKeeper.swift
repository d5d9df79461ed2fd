import Logging
import Postgres
import Repetition
import ServiceLifecycle
import Synchronization

/// Migrates the database's schema to this binary's version: at the start, later if the database was
/// unreachable then, and again if it is replaced by one that is not migrated, such as an older
/// backup. Until that is done, each lane rejects its own connection.
final class SchemaKeeper: Service {
    private let settings: ConnectionSettings
    private let logger: Logger
    /// The interval of checks whether the schema is still the one that was found.
    private let checkInterval: Duration
    private let isDone = Atomic(false)
    private let isAtWork = Atomic(false)

    private static let retryInterval: Duration = .seconds(2)

    init(
        settings: ConnectionSettings, logger: Logger, checkInterval: Duration = .seconds(30)
    ) {
        self.settings = settings
        self.logger = logger
        self.checkInterval = checkInterval
    }

    func run() async throws {
        await Repetition.run(nil, after: pause) { (logged: inout StartFailure?) in
            await self.check(&logged)
            return self.pause
        }
        // A service that returns ends the service group.
        try? await gracefulShutdown()
    }

    private var pause: Duration {
        isDone.load(ordering: .relaxed) ? checkInterval : Self.retryInterval
    }

    private func check(_ logged: inout StartFailure?) async {
        // The start's attempt may still be running.
        if Task.isCancelled || isAtWork.load(ordering: .relaxed) { return }
        if isDone.load(ordering: .relaxed) {
            guard await value(of: Task { await isOutdated() }) == true else { return }
        }
        guard case .failure(let error) = await value(of: Task { await attempt() }) else { return }
        if error != logged { log(error) }
        logged = error
    }

    private func log(_ error: StartFailure) {
        if error.isFinal {
            logger.critical(
                "the database's schema does not fit this version; batches go to the spool",
                metadata: ["error": "\(error)"])
        } else {
            let isAway =
                if case .database(let cause) = error { PostgresError.isAway(cause) } else { false }
            logger.log(
                level: isAway ? .debug : .warning,
                "the schema can't be migrated now; this is retried",
                metadata: ["error": "\(error)"])
        }
    }

    /// Whether the schema is known not to be this binary's; false if the database can't be asked.
    private func isOutdated() async -> Bool {
        let settings = settings
        return await blocking { () -> Bool in
            guard let connection = try? DatabaseAccess.connect(settings) else { return false }
            defer { connection.close() }
            do throws(PostgresError) {
                try Migrator.demandCurrent(on: connection)
                return false
            } catch {
                // The schema has another version, or there is no such table or schema.
                guard let state = error.sqlState else { return error.kind == .refused }
                return state == "42P01" || state == "3F000"
            }
        }
    }

    private func attempt() async -> Result<Void, StartFailure> {
        do throws(StartFailure) {
            return .success(try await migrate())
        } catch {
            return .failure(error)
        }
    }

    /// Runs the missing migrations. Takes as long as the database needs.
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
