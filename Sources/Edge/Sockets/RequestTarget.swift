/// Path and query of a request target (RFC 9112, section 3.2).
struct RequestTarget: Equatable {
    /// Parts between the slashes, percent-decoded. Empty ones at the ends are left out.
    let path: [String]
    let query: String?

    /// - Parameter target: in origin or absolute form. What can't be decoded has no parts.
    init(_ target: String) {
        var rest = target[...]
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        rest = rest.prefix { $0 != "#" }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.first == "" { parts.removeFirst() }
        if parts.last == "" { parts.removeLast() }
        let decoded = parts.map(Self.percentDecoded)
        path = decoded.contains(nil) ? [] : decoded.compactMap { $0 }
    }

    /// - Returns: nil for a `%` without two digits, and for bytes that are not UTF-8.
    private static func percentDecoded(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
