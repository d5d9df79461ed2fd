import Glibc
public import NIOCore

/// The proxies whose word about the client's request counts: by their addresses.
public struct TrustedProxies: Sendable, Equatable {
    private struct Network: Sendable, Equatable {
        let address: [UInt8]
        /// Bits that count.
        let length: Int

        func contains(_ other: [UInt8]) -> Bool {
            guard other.count == address.count else { return false }
            for bit in 0..<length {
                let mask = UInt8(0x80) >> (bit % 8)
                if address[bit / 8] & mask != other[bit / 8] & mask { return false }
            }
            return true
        }
    }

    private let networks: [Network]

    /// Nobody.
    public static let none = TrustedProxies(networks: [])

    private init(networks: [Network]) {
        self.networks = networks
    }

    /// - Parameter text: addresses and networks such as `10.0.0.0/8` or `::1`, separated by commas.
    /// - Returns: nil if one of them is neither.
    public init?(_ text: String) {
        var networks: [Network] = []
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "/", omittingEmptySubsequences: false)
            guard let address = Self.address(parts[0].filter { $0 != " " }), parts.count <= 2 else {
                return nil
            }
            var length = address.count * 8
            if parts.count == 2 {
                guard let given = Int(parts[1].filter { $0 != " " }), (0...length).contains(given)
                else { return nil }
                length = given
            }
            networks.append(Network(address: address, length: length))
        }
        self.networks = networks
    }

    /// Whether the other side of a connection, or of a stream's connection, is one of them.
    public func contains(_ channel: any Channel) -> Bool {
        guard !networks.isEmpty,
            let address = channel.remoteAddress ?? channel.parent?.remoteAddress,
            let text = address.ipAddress, let bytes = Self.address(text)
        else { return false }
        return networks.contains { $0.contains(bytes) }
    }

    /// An IPv4 address in IPv6 form counts as that IPv4 address (RFC 4291, section 2.5.5.2).
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes[..<4]) }
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        let isMapped = bytes[..<12].elementsEqual(Array(repeating: 0, count: 10) + [0xFF, 0xFF])
        return isMapped ? Array(bytes[12...]) : bytes
    }
}
