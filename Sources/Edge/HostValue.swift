/// What may stand in a `Host` field: a name or an address, and a port (RFC 9110, section 7.2).
enum HostValue {
    /// An empty one may: a target can be without an authority. Neither white space nor a comma: with
    /// those, two readers could find two different hosts.
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
