import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Lets everybody in who is at the door before it is closed.
///
/// Closing a listening socket resets the connections that the kernel has made and nobody has
/// accepted yet; their clients have perhaps sent whole requests by then. So this service, which is
/// the first to stop, ends only when nobody waits: first it makes the kernel ignore new handshakes,
/// so that the end is in sight whatever the load, then it watches until all who were there have been
/// accepted and those in the middle of a handshake have had the time of a round trip.
///
/// It stops waiting after ``waitMax``: with as many connections open as there may be, nobody accepts.
final class ListenerDrain: Service {
    /// No connection has waited for this long: none is coming any more.
    static let quietMin: Duration = .milliseconds(100)
    static let waitMax: Duration = .seconds(2)
    private static let lookInterval: Duration = .milliseconds(10)

    private let socket = Mutex<ListeningSocket?>(nil)
    private let loops: EdgeLoops
    private let logger: Logger

    init(loops: EdgeLoops, logger: Logger) {
        self.loops = loops
        self.logger = logger
    }

    func listens(on channel: any Channel) {
        socket.withLock { $0 = ListeningSocket(channel) }
    }

    /// Ends when the listener may be closed, at once if it is cancelled.
    func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            return
        }
        // From here on every answer says that it is its connection's last.
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
                    "connections that nobody accepted in time are reset",
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
