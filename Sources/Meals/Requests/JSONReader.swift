/// Reads a whole text as JSON (RFC 8259), strictly but for `NaN`, `Infinity` and `-Infinity` where a
/// number may stand. Linear; nested at most `depthMax` deep.
struct JSONReader {
    /// Objects and arrays inside each other.
    static let depthMax = 16

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// - Parameter bytes: on loan for the call.
    /// - Throws: `MealFault.notJSON` with the offset of the fault.
    static func value(_ bytes: UnsafeRawBufferPointer) throws(MealFault) -> JSONValue {
        let bytes = bytes.bindMemory(to: UInt8.self)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw .notJSON(offset: error.byteOffsets.lowerBound)
        }
        var reader = Self(bytes)
        guard let value = reader.readValue(depth: 1), reader.isAtEnd() else {
            throw .notJSON(offset: reader.index)
        }
        return value
    }

    // MARK: Grammar; nil: a fault at `index`

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == bytes.count
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func peek() -> UInt8? {
        skipSpace()
        return index < bytes.count ? bytes[index] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    private mutating func readValue(depth: Int) -> JSONValue? {
        guard let byte = peek(), depth <= Self.depthMax + 1 else { return nil }
        switch byte {
        case UInt8(ascii: "{"): return readObject(depth: depth)
        case UInt8(ascii: "["): return readArray(depth: depth)
        case UInt8(ascii: "\""): return readString()
        case UInt8(ascii: "t"): return read("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return read("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return read("null") ? .null : nil
        case UInt8(ascii: "N"): return read("NaN") ? .number(.nan) : nil
        case UInt8(ascii: "I"): return read("Infinity") ? .number(.infinity) : nil
        default: return readNumber()
        }
    }

    private mutating func readObject(depth: Int) -> JSONValue? {
        guard depth <= Self.depthMax else { return nil }
        index += 1
        var members: [JSONObject.Member] = []
        if take(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
        while true {
            guard peek() == UInt8(ascii: "\""), let key = readString() else { return nil }
            guard take(UInt8(ascii: ":")), let value = readValue(depth: depth + 1) else {
                return nil
            }
            // A key that is no text is none of ours.
            if case .string(let name) = key { members.append((name, value)) }
            if take(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func readArray(depth: Int) -> JSONValue? {
        guard depth <= Self.depthMax else { return nil }
        index += 1
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let value = readValue(depth: depth + 1) else { return nil }
            elements.append(value)
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func read(_ word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard index < bytes.count, bytes[index] == word.utf8Start[offset] else { return false }
            index += 1
        }
        return true
    }

    private mutating func readNumber() -> JSONValue? {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if index < bytes.count, bytes[index] == UInt8(ascii: "I") {
            return read("Infinity") ? .number(-.infinity) : nil
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else if !readDigits() {
            return nil
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            if !readDigits() { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[index]) {
                index += 1
            }
            if !readDigits() { return nil }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        // Nil only for what no double holds.
        return .number(Double(text) ?? .infinity)
    }

    private mutating func readDigits() -> Bool {
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 <= 9 { index += 1 }
        return index > start
    }

    private mutating func readString() -> JSONValue? {
        index += 1
        var text: [UInt8] = []
        var isText = true
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return isText ? .string(String(decoding: text, as: UTF8.self)) : .noText
            case UInt8(ascii: "\\"):
                guard let scalar = readEscape() else { return nil }
                switch scalar {
                case .some(let scalar) where scalar != "\0":
                    text.append(contentsOf: String(Character(scalar)).utf8)
                default: isText = false
                }
            case 0..<0x20:
                index -= 1
                return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// - Returns: nil: no escape; `.some(nil)`: half of a surrogate pair.
    private mutating func readEscape() -> Unicode.Scalar?? {
        guard index < bytes.count else { return nil }
        let letter = bytes[index]
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return .some(Unicode.Scalar(letter))
        case UInt8(ascii: "b"): return .some("\u{8}")
        case UInt8(ascii: "f"): return .some("\u{C}")
        case UInt8(ascii: "n"): return .some("\n")
        case UInt8(ascii: "r"): return .some("\r")
        case UInt8(ascii: "t"): return .some("\t")
        case UInt8(ascii: "u"): break
        default:
            index -= 1
            return nil
        }
        guard let unit = readCodeUnit() else { return nil }
        guard UTF16.isSurrogate(unit) else { return .some(Unicode.Scalar(unit)) }
        let behind = index
        guard UTF16.isLeadSurrogate(unit), index + 1 < bytes.count,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { return .some(nil) }
        index += 2
        guard let trail = readCodeUnit() else { return nil }
        guard UTF16.isTrailSurrogate(trail) else {
            index = behind
            return .some(nil)
        }
        return .some(UTF16.decode(UTF16.EncodedScalar([unit, trail])))
    }

    private mutating func readCodeUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard index < bytes.count,
                let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue,
                bytes[index] < 0x80
            else { return nil }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
