import Glibc
import Logging
import NIOCore
import Synchronization

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
