import NIOHTTP1

/// One line of the head of a request, in the received bytes: a strict subset of RFC 9112.
///
/// A line ends in CR LF. Its name consists of letters, digits and hyphens, its value of visible
/// ASCII and spaces. So no two parsers can read it differently.
enum FieldLine {
    struct Field {
        let name: Range<Int>
        /// Without leading spaces.
        let value: Range<Int>
        /// Start of the next line.
        let end: Int
    }

    case field(Field)
    /// The empty line that ends the head.
    case empty(end: Int)
    case incomplete
    case unusual

    init(_ bytes: RawSpan, from start: Int, before end: Int) {
        let end = min(end, bytes.byteCount)
        var place = start
        while place < end, Self.isNameByte(bytes[place]) { place += 1 }
        guard place < end else {
            self = .incomplete
            return
        }
        let name = start..<place
        if name.isEmpty {
            self = Self.lineEnd(bytes, at: place, before: end) { .empty(end: $0) }
            return
        }
        guard bytes[place] == UInt8(ascii: ":") else {
            self = .unusual
            return
        }
        place += 1
        while place < end, bytes[place] == UInt8(ascii: " ") { place += 1 }
        let value = place
        while place < end, Self.isValueByte(bytes[place]) { place += 1 }
        guard place < end else {
            self = .incomplete
            return
        }
        // The decoder decides whether trailing spaces belong to the value.
        if place > value, bytes[place - 1] == UInt8(ascii: " ") {
            self = .unusual
            return
        }
        self = Self.lineEnd(bytes, at: place, before: end) {
            .field(Field(name: name, value: value..<place, end: $0))
        }
    }

    private static func lineEnd(
        _ bytes: RawSpan, at place: Int, before end: Int, _ make: (Int) -> FieldLine
    ) -> FieldLine {
        guard bytes[place] == UInt8(ascii: "\r") else { return .unusual }
        guard place + 1 < end else { return .incomplete }
        return bytes[place + 1] == UInt8(ascii: "\n") ? make(place + 2) : .unusual
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
            || byte == UInt8(ascii: "-")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F
    }
}

extension HTTPHeaders {
    /// The fields without trailing white space, which is not part of their values (RFC 9112,
    /// section 5); nil if there is none. The HTTP decoder does not remove it.
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
