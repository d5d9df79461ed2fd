import Dispatch
import Synchronization

/// A small connection pool for the control plane: keys, the command line, partitions, health.
///
/// Each connection has its own Dispatch queue and blocks on it, so that no thread of Swift's pool
/// ever waits for the database. The wait for a free connection, connecting, and each use are all
/// bounded. The hot path has its own connections instead.
public final class Database: Sendable {
    /// The number of connections and the time limits.
    public struct Limits: Sendable {
        /// Connections are opened when they are needed.
        public var connectionsMax = 3
        /// Limit of the wait for a free connection; then it fails with `.poolExhausted`.
        public var waitMax: Duration = .seconds(5)
        /// Limit for opening a connection.
        public var connectMax: Duration = .seconds(5)
        /// Limit for one use, unless the caller gives another.
        public var useMax: Duration = .seconds(30)

        /// The defaults.
        public init() {}
    }

    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<PooledConnection, any Error>
    }

    private struct State {
        var idle: [PooledConnection]
        var waiters: [Waiter] = []
        var nextWaiterID: UInt64 = 0
        var isClosed = false
    }

    private let limits: Limits
    private let state: Mutex<State>

    /// Does not connect yet.
    public init(_ settings: ConnectionSettings, limits: Limits = Limits()) {
        precondition(limits.connectionsMax > 0, "BUG: a pool without connections")
        self.limits = limits
        state = Mutex(
            State(
                idle: (0..<limits.connectionsMax).map {
                    PooledConnection(settings, number: $0, connectMax: limits.connectMax)
                }))
    }

    /// Runs `body` with a connection, on that connection's queue. Connects first if necessary;
    /// rolls back a transaction that `body` leaves open.
    ///
    /// - Parameters:
    ///   - useMax: limit for `body`; the connection's deadline is set to it.
    ///   - within: limit for all of it, including waiting for a connection and connecting.
    /// - Throws: what `body` throws, `PostgresError` of kind `.poolExhausted`, and the errors of
    ///   opening a connection. `body` is run at most once; the caller decides about a retry.
    public func withConnection<Value: Sendable>(
        useMax: Duration? = nil, within: Duration? = nil,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let end = within.map { ContinuousClock.now + $0 }
        let connection = try await acquire(waitMax: min(limits.waitMax, within ?? limits.waitMax))
        defer { release(connection) }
        return try await connection.run(useMax: useMax ?? limits.useMax, until: end, body)
    }

    /// Closes idle connections now and others when they are returned; callers that wait for one
    /// fail.
    public func close() {
        let (idle, waiters) = state.withLock { state in
            defer { (state.idle, state.waiters) = ([], []) }
            state.isClosed = true
            return (state.idle, state.waiters)
        }
        for connection in idle { connection.close() }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
    }

    private static let closed = PostgresError(.connectionLost, message: "the pool is closed")

    private func acquire(waitMax: Duration) async throws -> PooledConnection {
        try await withCheckedThrowingContinuation { continuation in
            let outcome: Result<PooledConnection, any Error>? = state.withLock { state in
                if state.isClosed { return .failure(Self.closed) }
                if let connection = state.idle.popLast() { return .success(connection) }
                let id = state.nextWaiterID
                state.nextWaiterID += 1
                state.waiters.append(Waiter(id: id, continuation: continuation))
                expire(id, after: waitMax)
                return nil
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    private func expire(_ id: UInt64, after waitMax: Duration) {
        let wait = DispatchTimeInterval.milliseconds(Int(waitMax / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [weak self] in
            let waiter = self?.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: PostgresError(.poolExhausted))
        }
    }

    private func release(_ connection: PooledConnection) {
        let (waiter, isClosed): (Waiter?, Bool) = state.withLock { state in
            if state.isClosed { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), false) }
            state.idle.append(connection)
            return (nil, false)
        }
        if isClosed { connection.close() }
        waiter?.continuation.resume(returning: connection)
    }
}
