/// The first line of a request that posts, in the received bytes: a strict subset of RFC 9112.
///
/// The target is a path and perhaps a query, of characters that no two parsers read differently.
enum TargetLine {
    /// A whole line, and the start of the next one.
    case post(target: String, end: Int)
    case incomplete
    case unusual

    private static let method: StaticString = "POST "
    private static let version: StaticString = " HTTP/1.1\r\n"

    init(_ bytes: RawSpan, before end: Int) {
        self = .unusual
        guard bytes.continues(at: 0, with: Self.method) else { return }
        let end = min(end, bytes.byteCount)
        let start = Self.method.utf8CodeUnitCount
        var place = start
        while place < end, Self.isUsual(bytes[place]) { place += 1 }
        guard bytes.continues(at: min(place, end), with: Self.version) else { return }
        let next = place + Self.version.utf8CodeUnitCount
        guard next <= end else {
            self = .incomplete
            return
        }
        guard place > start, bytes[start] == UInt8(ascii: "/") else { return }
        self = .post(target: String(decoding: bytes, start..<place), end: next)
    }

    private static func isUsual(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            // From the point to the colon: the slash and the digits are between them.
            UInt8(ascii: ".")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "&"),
            UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: ","):
            true
        default: false
        }
    }
}
