import Glibc

/// An HTTP URL and its resolved address.
public struct Target: Sendable {
    /// Why a text is not a target.
    public enum Fault: Error, Equatable {
        /// Not `http://HOST:PORT/PATH` or `https://…`.
        case notHTTP(String)
        /// The host can't be resolved.
        case noAddress(host: String)
    }

    /// Without the brackets of an IPv6 address.
    public let host: String
    /// The scheme's default port if the URL has none.
    public let port: UInt16
    /// Begins with a slash.
    public let path: String
    /// Whether it is `https`.
    public let isSecure: Bool
    let address: sockaddr_storage
    let addressLength: socklen_t
    /// Whether its packets stay on this machine.
    public let isLoopback: Bool

    /// The value of the `Host` field.
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    /// The complete URL, with defaults.
    public var url: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }

    /// - Parameters:
    ///   - url: `http://HOST[:PORT][/PATH]` or `https://…`.
    ///   - path: of a URL without one.
    public init(url: String, path pathOfNone: String = "/ingest") throws(Fault) {
        isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { throw .notHTTP(url) }
        // Other characters would end up in the head of the request.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notHTTP(url) }
        let portOfScheme: UInt16 = isSecure ? 443 : 80
        let rest = url.dropFirst(isSecure ? "https://".count : "http://".count)
        let authority = rest.prefix { $0 != "/" }
        let tail = rest.dropFirst(authority.count)
        path = tail.isEmpty || tail == "/" ? pathOfNone : String(tail)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            let after = authority[authority.index(after: end)...]
            port = after.isEmpty ? portOfScheme : UInt16(after.dropFirst()) ?? 0
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1)
            guard let first = parts.first else { throw .notHTTP(url) }
            host = String(first)
            port = parts.count == 2 ? UInt16(parts[1]) ?? 0 : portOfScheme
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
