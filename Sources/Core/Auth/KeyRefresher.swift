public import Logging
public import Postgres
import Repetition
public import ServiceLifecycle
import Synchronization

/// Keeps a ``KeyRing`` in step with the table: reads the table every interval, replaces the issued
/// keys, and writes back when keys were used.
///
/// While the database is unreachable the ring does not change.
public final class KeyRefresher: Service {
    /// How often uses are written: once per use would be a commit per request.
    static let usesInterval: Duration = .seconds(10)
    /// The limit for one read or write; a longer one counts as a failure.
    private static let statementMax: Duration = .seconds(5)

    private let ring: KeyRing
    private let database: Database
    private let interval: Duration
    private let logger: Logger
    private let remember: @Sendable ([IssuedKey]) async throws -> Void
    private let remembered = Mutex<[IssuedKey]?>(nil)

    /// Starts nothing. Call ``refresh()`` first, then ``run()``.
    ///
    /// - Parameters:
    ///   - interval: how long a revoked key may go on working.
    ///   - remember: called with the keys when they are read first, and when they have changed.
    public init(
        ring: KeyRing, database: Database, interval: Duration, logger: Logger,
        remember: @escaping @Sendable ([IssuedKey]) async throws -> Void = { _ in }
    ) {
        self.remember = remember
        self.ring = ring
        self.database = database
        self.interval = interval
        self.logger = logger
    }

    /// Reads the table once.
    ///
    /// - Throws: what ``Database/withConnection(useMax:_:)`` throws; the ring is then unchanged.
    public func refresh() async throws {
        let (keys, departed) = try await database.withConnection(useMax: Self.statementMax) {
            (try KeyStore.inForce(on: $0), try KeyStore.departed(on: $0))
        }
        ring.replaceIssued(with: keys, departed: departed)
        guard remembered.withLock({ $0 }) != keys else { return }
        do {
            try await remember(keys)
            remembered.withLock { $0 = keys }
        } catch {
            logger.warning(
                "API keys can't be kept for a start without the database",
                metadata: ["error": "\(error)"])
        }
    }

    /// Refreshes until the group shuts down or the task is cancelled; then writes the last uses.
    public func run() async throws {
        let interval = interval
        await Repetition.run(State()) { state in
            await self.step(&state)
            return interval
        }
        try? await writeUses()
    }

    private struct State {
        var isAway = false
        var lastWrite = ContinuousClock.now
    }

    private func step(_ state: inout State) async {
        do {
            try await refresh()
            if state.isAway { logger.notice("API keys are read from the database again") }
            state.isAway = false
            if ContinuousClock.now - state.lastWrite >= Self.usesInterval {
                state.lastWrite = .now
                try await writeUses()
            }
        } catch {
            logger.log(
                level: PostgresError.isAway(error) ? .debug : .warning,
                "API keys can't be read; those known stay in force",
                metadata: ["error": "\(error)"])
            state.isAway = true
        }
    }

    /// Uses that can't be written are lost: they are seconds old, and the key's next use brings a
    /// newer time.
    private func writeUses() async throws {
        let uses = ring.takeUses()
        guard !uses.isEmpty else { return }
        try await database.withConnection(useMax: Self.statementMax) { connection in
            try KeyStore.noteUses(uses, on: connection)
        }
    }
}
