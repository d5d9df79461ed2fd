import Glibc
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

/// What can be asked of a listening TCP socket, and told, besides accepting.
///
/// Linux only; elsewhere nothing is known and nothing happens.
struct ListeningSocket: Sendable {
    private let options: (any SocketOptionProvider)?

    init(_ channel: any Channel) {
        options = channel as? any SocketOptionProvider
    }

    #if canImport(Glibc)
    /// A classic BPF program that drops a segment whose flags are SYN without ACK.
    ///
    /// One instruction a word: code (16 bits), where to go on if true and if false (8 bits each),
    /// operand (32 bits). The program sees a segment from its TCP header on.
    ///
    /// - Source: linux/filter.h, linux/bpf_common.h; RFC 9293, section 3.1 (flags are octet 13).
    static let withoutHandshakes: [UInt64] = [
        0x0000_000D_0000_0030,  // load the byte at 13
        0x0000_0012_0000_0054,  // keep SYN and ACK of it
        0x0000_0002_0100_0015,  // SYN alone: on; else skip one
        0x0000_0000_0000_0006,  // drop
        0xFFFF_FFFF_0000_0006,  // keep all of it
    ]

    /// `struct sock_fprog`.
    private struct Program: @unchecked Sendable {
        // Guard of `@unchecked`: the memory outlives the call that it is made for.
        let count: UInt16
        let instructions: UnsafePointer<UInt64>
    }

    /// From now on nobody's handshake begins; those that have begun go on. To a client it looks as
    /// if its first packet were lost: it sends it again after a second, and then nobody listens
    /// here, or somebody else does.
    ///
    /// - Throws: when the kernel does not know socket filters.
    func ignoreHandshakes() async throws {
        guard let options else { return }
        let memory = UnsafeMutablePointer<UInt64>.allocate(
            capacity: Self.withoutHandshakes.count)
        memory.initialize(from: Self.withoutHandshakes, count: Self.withoutHandshakes.count)
        defer { memory.deallocate() }
        try await options.unsafeSetSocketOption(
            level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_ATTACH_FILTER),
            value: Program(
                count: UInt16(Self.withoutHandshakes.count), instructions: UnsafePointer(memory))
        ).get()
    }

    /// Connections that the kernel has made and nobody has accepted; nil when it can't be known.
    func waitingConnections() async -> Int? {
        guard let options else { return nil }
        let information: tcp_info? = try? await options.unsafeGetSocketOption(
            level: SocketOptionLevel(IPPROTO_TCP), name: SocketOptionName(TCP_INFO)
        ).get()
        // Of a socket that listens the kernel gives the queue's length there.
        return information.map { Int($0.tcpi_unacked) }
    }
    #else
    func ignoreHandshakes() async throws {}
    func waitingConnections() async -> Int? { nil }
    #endif
}
