import Glibc

/// An HTTP URL and the address it stands for.
package struct Target: Sendable {
    package enum Fault: Error, Equatable {
        case notHTTP(String)
        case noAddress(host: String)
    }

    package let host: String
    package let port: UInt16
    package let path: String
    let address: sockaddr_storage
    let addressLength: socklen_t
    /// Whether packets for it stay on this machine.
    package let isLoopback: Bool

    /// - Parameter url: `http://HOST[:PORT][/PATH]`; without a path, `/ingest`.
    package init(url: String) throws(Fault) {
        guard url.hasPrefix("http://") else { throw .notHTTP(url) }
        let rest = url.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let tail = rest.dropFirst(authority.count)
        path = tail.isEmpty || tail == "/" ? "/ingest" : String(tail)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            let after = authority[authority.index(after: end)...]
            port = after.isEmpty ? 80 : UInt16(after.dropFirst()) ?? 0
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1)
            guard let first = parts.first else { throw .notHTTP(url) }
            host = String(first)
            port = parts.count == 2 ? UInt16(parts[1]) ?? 0 : 80
        }
        guard port > 0 else { throw .notHTTP(url) }

        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found,
            let resolved = first.pointee.ai_addr
        else { throw .noAddress(host: host) }
        defer { freeaddrinfo(found) }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(
                from: UnsafeRawBufferPointer(start: resolved, count: Int(first.pointee.ai_addrlen)))
        }
        address = storage
        addressLength = first.pointee.ai_addrlen
        isLoopback = Self.isLoopback(storage)
    }

    private static func isLoopback(_ storage: sockaddr_storage) -> Bool {
        withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET: bytes[4] == 127
            case AF_INET6: bytes[8..<23].allSatisfy { $0 == 0 } && bytes[23] == 1
            default: false
            }
        }
    }
}
