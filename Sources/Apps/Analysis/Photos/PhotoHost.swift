/// A host that photos may be fetched from, with its port.
public struct PhotoHost: Sendable, Hashable {
    /// The host's name in lower case.
    public let host: String
    /// The port; 443 by default, or 80 without TLS.
    public let port: Int
    /// Whether TLS is off. Only for entries with `http://`, for example an object store in the same
    /// network.
    public let isPlain: Bool

    /// - Parameter entry: `photos.example.com`, `photos.example.com:8443` or
    ///   `http://store.internal:9000`. The result is nil for anything else. There are no wildcards.
    public init?(_ entry: String) {
        var rest = Substring(entry.lowercased())
        isPlain = rest.hasPrefix("http://")
        if isPlain {
            rest = rest.dropFirst(7)
        } else if rest.hasPrefix("https://") {
            rest = rest.dropFirst(8)
        }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2,
            name.utf8.allSatisfy(Self.isHostByte)
        else { return nil }
        host = String(name)
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0 else { return nil }
            port = Int(number)
        } else {
            port = isPlain ? 80 : 443
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 46
    }
}
