import Dispatch
import Synchronization

/// A slot for one connection of ``Database``: its queue, and the session if there is one.
///
/// `@unchecked Sendable`: `connection` is only used on `queue`.
final class PooledConnection: @unchecked Sendable {
    private let settings: ConnectionSettings
    private let connectMax: Duration
    private let queue: DispatchQueue
    private var connection: Connection?

    init(_ settings: ConnectionSettings, number: Int, connectMax: Duration) {
        self.settings = settings
        self.connectMax = connectMax
        queue = DispatchQueue(label: "sluice.database.\(number)")
    }

    func run<Value: Sendable>(
        useMax: Duration, until end: ContinuousClock.Instant?,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try self.use(useMax, end, body) })
            }
        }
    }

    func close() {
        queue.async {
            self.connection?.close()
            self.connection = nil
        }
    }

    private func use<Value>(
        _ useMax: Duration, _ end: ContinuousClock.Instant?, _ body: (Connection) throws -> Value
    ) throws -> Value {
        let connection = try ready(until: end)
        connection.deadline = min(.now + useMax, end ?? .now + useMax)
        defer {
            if connection.isOpen, !connection.isIdle {
                connection.deadline = .now + connectMax
                try? connection.rollback()
            }
            if !connection.isOpen { self.connection = nil }
        }
        return try body(connection)
    }

    /// The existing session if it is still open and not outdated, else a new one.
    private func ready(until end: ContinuousClock.Instant?) throws -> Connection {
        if let connection, !connection.isOutdated, connection.probe() { return connection }
        let connection = try Connection.open(
            settings, deadline: min(.now + connectMax, end ?? .now + connectMax))
        self.connection = connection
        return connection
    }
}
