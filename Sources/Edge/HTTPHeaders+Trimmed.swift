import NIOHTTP1

extension HTTPHeaders {
    /// Without the white space behind values, which is no part of them (RFC 9112, section 5); nil:
    /// there is none. The HTTP decoder leaves it where it is.
    var trimmed: HTTPHeaders? {
        guard contains(where: { Self.isWhiteSpace($0.value.utf8.last) }) else { return nil }
        return HTTPHeaders(
            map { name, value in
                var text = value[...]
                while Self.isWhiteSpace(text.utf8.last) { text.removeLast() }
                return (name, String(text))
            })
    }

    private static func isWhiteSpace(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
