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
    private let loops: EdgeLoops
    private let logger: Logger

    init(loops: EdgeLoops, logger: Logger) {
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

/// Socket options of a listening TCP socket.
///
/// Linux only. Elsewhere nothing is known and nothing happens.
struct ListeningSocket: Sendable {
    private let options: (any SocketOptionProvider)?

    init(_ channel: any Channel) {
        options = channel as? any SocketOptionProvider
    }

    #if canImport(Glibc)
    /// A classic BPF program that drops a segment whose flags are SYN without ACK.
    ///
    /// Each word is one instruction: code (16 bits), jump if true and if false (8 bits each),
    /// operand (32 bits). The program sees a segment from its TCP header on.
    ///
    /// - Source: linux/filter.h, linux/bpf_common.h; RFC 9293, section 3.1 (flags are octet 13).
    static let withoutHandshakes: [UInt64] = [
        0x0000_000D_0000_0030,  // load the byte at 13
        0x0000_0012_0000_0054,  // keep its SYN and ACK bits
        0x0000_0002_0100_0015,  // SYN alone: next; else skip one
        0x0000_0000_0000_0006,  // drop
        0xFFFF_FFFF_0000_0006,  // keep the whole segment
    ]

    /// `struct sock_fprog`.
    private struct Program: @unchecked Sendable {
        // Guard of `@unchecked`: the memory outlives the call that uses it.
        let count: UInt16
        let instructions: UnsafePointer<UInt64>
    }

    /// Drops new handshakes from now on; handshakes in progress continue. To a client its first
    /// packet seems lost. It sends the packet again after a second, when nobody listens here, or
    /// another process does.
    ///
    /// - Throws: if the kernel does not support socket filters.
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

    /// Connections that the kernel has made and that are not accepted yet; nil if unknown.
    func waitingConnections() async -> Int? {
        guard let options else { return nil }
        let information: tcp_info? = try? await options.unsafeGetSocketOption(
            level: SocketOptionLevel(IPPROTO_TCP), name: SocketOptionName(TCP_INFO)
        ).get()
        // For a listening socket the kernel reports the queue's length in this field.
        return information.map { Int($0.tcpi_unacked) }
    }
    #else
    func ignoreHandshakes() async throws {}
    func waitingConnections() async -> Int? { nil }
    #endif
}
