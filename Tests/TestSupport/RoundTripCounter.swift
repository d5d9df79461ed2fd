import Glibc
public import Postgres
import Synchronization

/// A proxy between clients and a server that counts how often a client waits for an answer.
///
/// libpq waits for one after each query, which the server ends with ReadyForQuery, and before the
/// data of each COPY, for CopyInResponse. In pipeline mode there is one ReadyForQuery for all
/// statements of the pipeline. So these two messages are counted.
///
/// - Source: PostgreSQL manual, "Message Formats".
public final class RoundTripCounter: Sendable {
    private let relay: UnixRelay
    private let count: Count

    /// The way to the server through it.
    public var settings: ConnectionSettings { relay.settings }

    /// - Parameters:
    ///   - name: only sessions are counted that name their application so.
    ///   - delay: see ``set(delay:)``.
    public init(
        to server: ConnectionSettings, of name: String = "", delay: UInt32 = 0
    ) throws {
        let count = Count()
        self.count = count
        relay = try UnixRelay(to: server) { Watcher(count, name) }
        set(delay: delay)
    }

    /// Of everything that the server sends from now on, in microseconds.
    public func set(delay: UInt32) { count.delay.store(delay, ordering: .relaxed) }

    /// - Returns: the round trips during `body`.
    public func trips(_ body: () async throws -> Void) async rethrows -> Int {
        let before = all
        try await body()
        return all - before
    }

    /// The round trips during `body`.
    public func trips(_ body: () throws -> Void) rethrows -> Int {
        let before = all
        try body()
        return all - before
    }

    private var all: Int { count.value.load(ordering: .relaxed) }

    /// Accepts no more connections.
    public func stop() { relay.stop() }

    private final class Count: Sendable {
        let value = Atomic(0)
        let delay = Atomic(UInt32(0))
    }

    private final class Watcher: UnixRelay.Watcher {
        private struct State {
            var isCounted: Bool?
            /// The beginning of a message whose length is not complete.
            var head: [UInt8] = []
            /// Bytes of a message that are to come.
            var rest = 0
        }

        private let count: Count
        private let state = Mutex(State())

        private let name: String

        init(_ count: Count, _ name: String) { (self.count, self.name) = (count, name) }

        func willForward(toServer bytes: ArraySlice<UInt8>) {
            state.withLock { state in
                // The first message has the application's name.
                state.isCounted =
                    state.isCounted
                    ?? (name.isEmpty || bytes.firstRange(of: Array(name.utf8)) != nil)
            }
        }

        func willForward(toClient bytes: ArraySlice<UInt8>) -> Bool {
            let delay = count.delay.load(ordering: .relaxed)
            if delay > 0 { usleep(delay) }
            state.withLock { state in
                var bytes = bytes
                while !bytes.isEmpty {
                    if state.rest > 0 {
                        let count = min(state.rest, bytes.count)
                        bytes = bytes.dropFirst(count)
                        state.rest -= count
                        continue
                    }
                    state.head.append(bytes.removeFirst())
                    guard state.head.count == 5 else { continue }
                    state.rest = state.head[1...].reduce(0) { $0 << 8 | Int($1) } - 4
                    let type = UnicodeScalar(state.head[0])
                    if state.isCounted == true, type == "Z" || type == "G" {
                        count.value.add(1, ordering: .relaxed)
                    }
                    state.head = []
                }
            }
            return true
        }
    }
}
