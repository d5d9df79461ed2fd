import Encodings
public import NIOCore

/// The origin of a connection, as far as a client can't change it at will: an IPv4 address, or the
/// network of an IPv6 address, its first 64 bits.
public struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Different for each address; for comparison, not for people.
    public var text: String { Hexadecimal.text(bytes) }

    /// The origin of a connection or stream.
    ///
    /// - Returns: nil if there is no address, as on a Unix socket.
    public init?(_ channel: any Channel) {
        // A stream has the address of its connection.
        self.init(channel.remoteAddress ?? channel.parent?.remoteAddress)
    }

    init?(_ address: SocketAddress?) {
        // In both structures the address follows family and port; in that of IPv6 a flow label
        // comes before it.
        switch address {
        case .v4: bytes = Self.bytes(4..<8, of: address)
        case .v6:
            let whole = Self.bytes(8..<24, of: address)
            // An IPv4 client of a socket that listens on `::` (RFC 4291, section 2.5.5.2).
            bytes = Array(whole.starts(with: Self.mappedPrefix) ? whole[12...] : whole[..<8])
        case .unixDomainSocket, nil: return nil
        }
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func bytes(_ range: Range<Int>, of address: SocketAddress?) -> [UInt8] {
        address?.withSockAddr { structure, size in
            Array(UnsafeRawBufferPointer(start: structure, count: size)[range])
        } ?? []
    }
}
