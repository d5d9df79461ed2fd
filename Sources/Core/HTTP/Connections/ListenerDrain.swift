import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Accepts all pending connections before the listening socket is closed.
///
/// Closing a listening socket resets the connections that the kernel has made and that are not
/// accepted yet, though their clients may have sent whole requests. So this service is the first to
/// stop, and ends only when no connection is pending. First it makes the kernel ignore new
/// handshakes, so that the queue empties under any load. Then it waits until all pending
/// connections are accepted and handshakes in progress have had the time of a round trip.
///
/// It gives up after ``waitMax``: no connection is accepted while the limit of open connections is
/// reached.
final class ListenerDrain: Service {
    /// With no pending connection for this long, no more are expected.
    static let quietMin: Duration = .milliseconds(100)
    static let waitMax: Duration = .seconds(2)
    private static let lookInterval: Duration = .milliseconds(10)

    private let socket = Mutex<ListeningSocket?>(nil)
    private let loops: ConnectionLoops
    private let logger: Logger

    init(loops: ConnectionLoops, logger: Logger) {
        self.loops = loops
        self.logger = logger
    }

    func listens(on channel: any Channel) {
        socket.withLock { $0 = ListeningSocket(channel) }
    }

    /// Returns when the listener may be closed; at once if the task is cancelled.
    func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            return
        }
        // From here on every answer announces the end of its connection.
        loops.drain()
        guard let socket = socket.withLock({ $0 }) else { return }
        do {
            try await socket.ignoreHandshakes()
        } catch {
            logger.debug("new handshakes can't be ignored", metadata: ["error": "\(error)"])
        }
        await drain(socket)
    }

    private func drain(_ socket: ListeningSocket) async {
        let began = ContinuousClock.now
        var quietSince = began
        while true {
            let waiting = await socket.waitingConnections() ?? 0
            let now = ContinuousClock.now
            if waiting > 0 { quietSince = now }
            if now - quietSince >= Self.quietMin { return }
            guard now - began < Self.waitMax else {
                logger.warning(
                    "connections that were not accepted in time are reset",
                    metadata: ["connections": "\(waiting)"])
                return
            }
            do {
                try await Task.sleep(for: Self.lookInterval)
            } catch {
                return
            }
        }
    }
}
