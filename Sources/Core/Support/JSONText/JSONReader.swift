/// Reads one JSON text strictly (RFC 8259): as a tree, or as the positions of an object's members.
///
/// Positions need no copies: a value is a range of the bytes, and a string is decoded on request.
/// The insides of values are checked as strictly as the rest. Linear, one pass. A key may appear
/// twice; the caller has to check for that where it matters.
public struct JSONReader {
    /// A key or value, with its quotes, braces or brackets.
    public struct Value: Equatable {
        /// The offset of its first byte.
        public let start: Int
        /// The offset after its last byte.
        public let end: Int
        /// Whether it is a string with a backslash in it.
        public let hasEscapes: Bool
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    /// Levels of nested objects and arrays, unless the caller has another limit.
    public static let usualDepthMax = 64

    /// Of objects and arrays that are being read: each takes its own at its end, so that it needs
    /// one allocation.
    private var members: [JSONMember] = []
    private var elements: [JSONValue] = []
    private let depthMax: Int
    private let takesNonFinite: Bool
    /// The offset at which reading stopped: that of the fault, if there was one.
    public private(set) var index = 0

    /// - Parameters:
    ///   - bytes: not copied; must outlive the reader.
    ///   - depthMax: levels of nested objects and arrays, including the outermost.
    ///   - takesNonFinite: accepts `NaN`, `Infinity` and `-Infinity` as numbers, so that the
    ///     caller's error can name the field.
    public init(
        _ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int = usualDepthMax,
        takesNonFinite: Bool = false
    ) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.takesNonFinite = takesNonFinite
    }

    /// Reads the whole text.
    ///
    /// - Parameter member: called for each member of the outermost object, in order.
    /// - Returns: false when the text is JSON but not an object.
    public mutating func readObject(
        _ member: (_ key: Value, _ value: Value) -> Void
    ) throws(JSONFault) -> Bool {
        try checkUTF8()
        let isObject = try peek() == UInt8(ascii: "{")
        if isObject {
            try readMembers(depth: 1) { reader, key throws(JSONFault) in
                member(key, try reader.readValue(depth: 1))
            }
        } else {
            _ = try readValue(depth: 0)
        }
        try checkEnd()
        return isObject
    }

    /// Reads the whole text.
    public mutating func readTree() throws(JSONFault) -> JSONValue {
        try checkUTF8()
        let value = try readTree(depth: 0)
        try checkEnd()
        return value
    }

    private mutating func checkUTF8() throws(JSONFault) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            index = error.byteOffsets.lowerBound
            throw .invalidUTF8
        }
    }

    private mutating func checkEnd() throws(JSONFault) {
        skipSpace()
        guard index == bytes.count else { throw .unexpectedByte }
    }

    // MARK: Trees

    private mutating func readTree(depth: Int) throws(JSONFault) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"):
            let start = members.count
            try readMembers(depth: depth + 1) { reader, key throws(JSONFault) in
                let value = try reader.readTree(depth: depth + 1)
                // No caller looks up a key that is not valid text.
                guard let name = key.text(in: reader.bytes) else { return }
                reader.members.append(JSONMember(key: name, value: value))
            }
            return .object(Self.take(from: start, of: &members))
        case UInt8(ascii: "["):
            let start = elements.count
            try readElements(depth: depth + 1) { reader throws(JSONFault) in
                reader.elements.append(try reader.readTree(depth: depth + 1))
            }
            return .array(Self.take(from: start, of: &elements))
        case UInt8(ascii: "\""):
            return try readString().text(in: bytes).map { .string($0) } ?? .noText
        case UInt8(ascii: "t"):
            try readWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try readWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try readWord("null")
            return .null
        default:
            let start = index
            try readNumber()
            // `Double` returns an infinity for a number out of its range, and reads `Infinity`
            // too.
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            return .number(text == "NaN" ? .nan : Double(text) ?? .infinity)
        }
    }

    private static func take<Part>(from start: Int, of parts: inout [Part]) -> [Part] {
        // A long list is not there twice.
        if start == 0, parts.count > 1000 {
            defer { parts = [] }
            return parts
        }
        defer { parts.removeLast(parts.count - start) }
        return Array(parts[start...])
    }

    // MARK: Grammar

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// The next byte that is not space, without consuming it.
    private mutating func peek() throws(JSONFault) -> UInt8 {
        skipSpace()
        guard index < bytes.count else { throw .truncated }
        return bytes[index]
    }

    private mutating func expect(_ byte: UInt8) throws(JSONFault) {
        guard try peek() == byte else { throw .unexpectedByte }
        index += 1
    }

    /// - Parameter value: reads the value of the key.
    private mutating func readMembers(
        depth: Int, _ value: (inout Self, _ key: Value) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard depth <= depthMax else { throw .nestedTooDeep }
        index += 1
        if try peek() == UInt8(ascii: "}") {
            index += 1
            return
        }
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw .unexpectedByte }
            let key = try readString()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            try value(&self, key)
            if try peek() == UInt8(ascii: "}") { break }
            try expect(UInt8(ascii: ","))
        }
        index += 1
    }

    private mutating func readElements(
        depth: Int, _ element: (inout Self) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard depth <= depthMax else { throw .nestedTooDeep }
        index += 1
        if try peek() == UInt8(ascii: "]") {
            index += 1
            return
        }
        while true {
            try element(&self)
            if try peek() == UInt8(ascii: "]") { break }
            try expect(UInt8(ascii: ","))
        }
        index += 1
    }

    /// - Parameter depth: the depth of the enclosing object or array.
    private mutating func readValue(depth: Int) throws(JSONFault) -> Value {
        let byte = try peek()
        let start = index
        switch byte {
        case UInt8(ascii: "\""): return try readString()
        case UInt8(ascii: "{"):
            try readMembers(depth: depth + 1) { reader, _ throws(JSONFault) in
                _ = try reader.readValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try readElements(depth: depth + 1) { reader throws(JSONFault) in
                _ = try reader.readValue(depth: depth + 1)
            }
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        default: try readNumber()
        }
        return Value(start: start, end: index, hasEscapes: false)
    }

    private mutating func readWord(_ word: StaticString) throws(JSONFault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard index < bytes.count else { throw .truncated }
            guard bytes[index] == word.utf8Start[offset] else { throw .unexpectedByte }
            index += 1
        }
    }

    private mutating func readNumber() throws(JSONFault) {
        if takesNonFinite, bytes[index] == UInt8(ascii: "N") { return try readWord("NaN") }
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if takesNonFinite, index < bytes.count, bytes[index] == UInt8(ascii: "I") {
            return try readWord("Infinity")
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            try readDigits()
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try readDigits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count,
                bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
            {
                index += 1
            }
            try readDigits()
        }
    }

    private mutating func readDigits() throws(JSONFault) {
        guard index < bytes.count else { throw .truncated }
        guard bytes[index] &- 0x30 <= 9 else { throw .unexpectedByte }
        while index < bytes.count, bytes[index] &- 0x30 <= 9 { index += 1 }
    }

    private mutating func readString() throws(JSONFault) -> Value {
        let start = index
        var hasEscapes = false
        index += 1
        while index < bytes.count {
            skipPlainText()
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return Value(start: start, end: index, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try readEscape()
            case 0..<0x20: throw .unexpectedByte
            default: index += 1
            }
        }
        throw .truncated
    }

    /// Skips to the first quote, backslash or control character, or to the last few bytes: it looks
    /// at eight bytes at a time.
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while index + 8 <= bytes.count {
            let word = UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(
                    fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // Each term sets the top bit of the bytes that it looks for. A borrow may set wrong
            // bits above the first such byte, which does not matter: only the first is used.
            let stops =
                (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
                | (word &- ones &* 0x20) & ~word
            let marks = stops & (ones &* 0x80)
            index += marks == 0 ? 8 : marks.trailingZeroBitCount / 8
            if marks != 0 { return }
        }
    }

    private mutating func readEscape() throws(JSONFault) {
        index += 1
        guard index < bytes.count else { throw .truncated }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            for _ in 0..<4 {
                guard index < bytes.count else { throw .truncated }
                guard Self.hexDigit(bytes[index]) != nil else { throw .unexpectedByte }
                index += 1
            }
        default: throw .unexpectedByte
        }
    }
}
