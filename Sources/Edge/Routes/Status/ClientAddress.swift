import NIOCore

/// Where a connection comes from, as far as one party can't change it at will: an IPv4 address, or
/// the network of an IPv6 address, its first 64 bits.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Returns: nil for what has no address, a Unix socket.
    init?(_ channel: any Channel) {
        // A stream's address is its connection's.
        self.init(channel.remoteAddress ?? channel.parent?.remoteAddress)
    }

    init?(_ address: SocketAddress?) {
        // In both structures of the system behind family and port; in that of IPv6 a flow label
        // comes first.
        switch address {
        case .v4: bytes = Self.bytes(4..<8, of: address)
        case .v6: bytes = Self.bytes(8..<16, of: address)
        case .unixDomainSocket, nil: return nil
        }
    }

    private static func bytes(_ range: Range<Int>, of address: SocketAddress?) -> [UInt8] {
        address?.withSockAddr { structure, size in
            Array(UnsafeRawBufferPointer(start: structure, count: size)[range])
        } ?? []
    }
}
