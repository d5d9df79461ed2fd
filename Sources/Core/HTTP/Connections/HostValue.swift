import NIOHTTP1

/// Validates a `Host` field: a name or an address, and a port (RFC 9110, section 7.2).
enum HostValue {
    /// An empty value is valid: a target need not have an authority. White space and commas are
    /// not, because two parsers could find two different hosts.
    static func isValid(_ value: some Sequence<UInt8>) -> Bool {
        value.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: marks.contains(byte)
            }
        }
    }

    private static let marks = Array("-._~:[]%!$&'()*+;=".utf8)
}
