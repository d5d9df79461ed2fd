import NIOCore

/// The quick way for a head: recognised in the received bytes, without a header table.
extension IngestHead {
    enum Recognition {
        /// One that the HTTP decoder would understand in the same way; it takes `bytes`.
        case head(IngestHead, bytes: Int)
        /// Nothing wrong with it so far.
        case incomplete
        /// Anything that is not plainly a usual head: the HTTP decoder has to look at it.
        case unusual
    }

    /// Only this exact first line is usual.
    private static let firstLine: StaticString = "POST /ingest HTTP/1.1\r\n"

    /// - Parameters:
    ///   - bytes: what has come since the end of the request before.
    ///   - bytesMax: of a usual head.
    ///   - fieldsMax: of a usual head.
    ///
    /// What is recognised is a strict subset of RFC 9112: each line ends in CR LF, names are
    /// letters, digits and hyphens, values are visible ASCII with spaces between, exactly one
    /// `Content-Length` says how long the body is, and nothing says that the connection or the
    /// body is anything special. So there is nothing that two readers could understand differently.
    ///
    /// - Complexity: O(bytes of the head).
    static func recognise(_ bytes: RawSpan, bytesMax: Int, fieldsMax: Int) -> Recognition {
        let start = firstLine.utf8CodeUnitCount
        guard bytes.begins(with: firstLine) else { return .unusual }
        guard bytes.byteCount > start else { return .incomplete }
        var head = IngestHead(bodyOfBytes: 0)
        var hasLength = false
        var fields = 0
        var line = start
        while true {
            switch FieldLine(bytes, from: line, before: bytesMax) {
            case .unusual:
                return .unusual
            case .incomplete:
                return bytes.byteCount < bytesMax ? .incomplete : .unusual
            case .empty(let end):
                return hasLength ? .head(head, bytes: end) : .unusual
            case .field(let field):
                fields += 1
                guard fields <= fieldsMax, head.take(field, of: bytes, &hasLength) else {
                    return .unusual
                }
                line = field.end
            }
        }
    }

    /// - Returns: false if it makes the head an unusual one.
    private mutating func take(
        _ field: FieldLine.Field, of bytes: RawSpan, _ hasLength: inout Bool
    ) -> Bool {
        func isNamed(_ name: StaticString) -> Bool { bytes.isField(name, at: field.name) }
        func text() -> String { String(decoding: bytes, field.value) }
        switch field.name.count {
        case 6:
            return !isNamed("expect")
        case 7:
            return !isNamed("upgrade")
        case 9 where isNamed("x-api-key"):
            takeKey(text())
        case 10 where isNamed("connection"):
            return bytes.isField("keep-alive", at: field.value)
        case 12 where isNamed("content-type"):
            takeContentType(
                isJSON: bytes.isField("application/json", at: field.value) || Self.isJSON(text()))
        case 14 where isNamed("content-length"):
            guard !hasLength, let length = bytes.decimal(at: field.value) else { return false }
            hasLength = true
            framing.declaredBytes = length
        case 15 where isNamed("idempotency-key"):
            takeIdempotencyKey(bytes: field.value.count)
        case 16 where isNamed("content-encoding"):
            addEncodings(text())
        case 16:
            return !isNamed("proxy-connection")
        case 17:
            return !isNamed("transfer-encoding")
        default:
            break
        }
        return true
    }
}

/// What one line of a head is.
private enum FieldLine {
    struct Field {
        let name: Range<Int>
        /// Without the spaces in front.
        let value: Range<Int>
        /// Where the next line begins.
        let end: Int
    }

    case field(Field)
    /// The line that ends the head.
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
        // Whether spaces at the end belong to the value is for the decoder to say.
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

extension RawSpan {
    fileprivate subscript(_ place: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: place, as: UInt8.self)
    }

    /// As far as there are bytes.
    fileprivate func begins(with text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            for place in 0..<min(byteCount, text.count) where self[place] != text[place] {
                return false
            }
            return true
        }
    }

    /// Compares without regard to case; `lower` is lower-case letters, digits, `-` and `/`.
    fileprivate func isField(_ lower: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == lower.utf8CodeUnitCount else { return false }
        return lower.withUTF8Buffer { lower in
            for place in 0..<lower.count {
                let byte = self[range.lowerBound + place]
                let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                if folded != lower[place] { return false }
            }
            return true
        }
    }

    /// One to fifteen digits.
    fileprivate func decimal(at range: Range<Int>) -> Int? {
        guard (1...15).contains(range.count) else { return nil }
        var value = 0
        for place in range {
            let digit = self[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

extension String {
    /// A part of a span, known to be ASCII.
    fileprivate init(decoding bytes: RawSpan, _ range: Range<Int>) {
        self = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
