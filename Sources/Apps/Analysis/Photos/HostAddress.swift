import Dispatch
import Glibc

/// A numeric address, and whether it is on the public internet.
struct HostAddress: Sendable, Equatable {
    /// Four decimal numbers with dots, or eight hexadecimal groups with colons.
    let text: String
    /// False for this machine, private networks, multicast and other special-purpose addresses.
    let isPublic: Bool

    /// The first 32 addresses of a name. Blocks a thread of Dispatch, not one of Swift's.
    static func look(up host: String) async -> [HostAddress] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: lookUp(host))
            }
        }
    }

    private static func lookUp(_ host: String) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [HostAddress] = []
        var next = list
        while let entry = next, found.count < 32 {
            next = entry.pointee.ai_next
            guard let address = entry.pointee.ai_addr else { continue }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
                }
                found.append(HostAddress(version4: bytes))
            case AF_INET6:
                let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
                }
                found.append(HostAddress(version6: bytes))
            default: break
            }
        }
        return found
    }

    /// - Parameter bytes: four, in network order.
    init(version4 bytes: [UInt8]) {
        precondition(bytes.count == 4, "BUG: bytes=\(bytes.count)")
        text = bytes.map(String.init).joined(separator: ".")
        isPublic = Self.isPublic4(bytes)
    }

    /// - Parameter bytes: sixteen, in network order.
    init(version6 bytes: [UInt8]) {
        precondition(bytes.count == 16, "BUG: bytes=\(bytes.count)")
        text = stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
        isPublic = Self.isPublic6(bytes)
    }

    /// - Source: IANA's registry of special-purpose IPv4 addresses, RFC 6890.
    private static func isPublic4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (192, 168, _): false
        case (100, 64...127, _), (172, 16...31, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        case (224..., _, _): false
        default: true
        }
    }

    /// Global unicast is 2000::/3. Of it, addresses for documentation and special protocols are
    /// excluded, and an embedded IPv4 address decides for 6to4. NAT64 (64:ff9b::/96) is decided by
    /// its IPv4 address too.
    ///
    /// - Source: IANA's registry of special-purpose IPv6 addresses, RFC 6890.
    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        let isTranslated = bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isTranslated { return isPublic4(Array(bytes[12...])) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x01, 0x0D, 0xB8): return false
        case (0x20, 0x02, _, _): return isPublic4(Array(bytes[2..<6]))
        case (0x3F, 0xFF, _, _): return false
        default: return true
        }
    }
}
