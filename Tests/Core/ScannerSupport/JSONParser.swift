import Scanner

/// Recursive descent over RFC 8259, strict, with the offset of the first fault.
struct JSONParser {
    let bytes: [UInt8]
    var offset = 0
    /// Whether `NaN`, `Infinity` and `-Infinity` are values.
    var takesNonFinite = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var next: UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    /// The fault of the byte at `offset`.
    var fault: ScanError {
        if let next { .unexpectedByte(next, offset: offset) } else { .truncated(offset: offset) }
    }

    /// Whether the byte at `offset` begins a JSON value of any type.
    var startsValue: Bool {
        guard let next else { return false }
        return isDigit(next) || "{[\"-tfn".utf8.contains(next)
    }

    mutating func skipSpace() {
        while next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { offset += 1 }
    }

    /// Consumes `byte` if it is next.
    mutating func take(_ byte: Character) -> Bool {
        guard next == byte.asciiValue else { return false }
        offset += 1
        return true
    }

    mutating func expect(_ byte: Character) throws(ScanError) {
        guard take(byte) else { throw fault }
    }

    /// - Parameter level: the depth of an object or array that begins here, counted from 1.
    mutating func value(level: Int = 1) throws(ScanError) -> JSONNode {
        let start = offset
        switch next {
        case UInt8(ascii: "{"): return try object(level: level)
        case UInt8(ascii: "["): return try array(level: level)
        case UInt8(ascii: "\""):
            let text = try text()
            return JSONNode(content: .string(text), range: start..<offset, depth: 0)
        case UInt8(ascii: "t"):
            try literal("true")
            return JSONNode(content: .boolean, range: start..<offset, depth: 0)
        case UInt8(ascii: "f"):
            try literal("false")
            return JSONNode(content: .boolean, range: start..<offset, depth: 0)
        case UInt8(ascii: "n"):
            try literal("null")
            return JSONNode(content: .null, range: start..<offset, depth: 0)
        default:
            if takesNonFinite, try nonFinite() {
                return JSONNode(content: .nonFinite, range: start..<offset, depth: 0)
            }
            try number()
            return JSONNode(content: .number, range: start..<offset, depth: 0)
        }
    }

    private mutating func object(level: Int) throws(ScanError) -> JSONNode {
        let start = offset
        guard level <= Choices.depthMax else { throw .nestedTooDeep(offset: offset) }
        try expect("{")
        var members: [JSONNode.Member] = []
        skipSpace()
        if !take("}") {
            while true {
                let keyStart = offset
                let key = try text()
                let keyBytes = offset - keyStart - 2
                skipSpace()
                try expect(":")
                skipSpace()
                members.append(
                    .init(key: key, keyBytes: keyBytes, value: try value(level: level + 1)))
                skipSpace()
                if take("}") { break }
                try expect(",")
                skipSpace()
            }
        }
        let depth = 1 + (members.map(\.value.depth).max() ?? 0)
        return JSONNode(content: .object(members), range: start..<offset, depth: depth)
    }

    private mutating func array(level: Int) throws(ScanError) -> JSONNode {
        let start = offset
        guard level <= Choices.depthMax else { throw .nestedTooDeep(offset: offset) }
        try expect("[")
        var elements: [JSONNode] = []
        skipSpace()
        if !take("]") {
            while true {
                elements.append(try value(level: level + 1))
                skipSpace()
                if take("]") { break }
                try expect(",")
                skipSpace()
            }
        }
        let depth = 1 + (elements.map(\.depth).max() ?? 0)
        return JSONNode(content: .array(elements), range: start..<offset, depth: depth)
    }

    /// - Returns: false if no such word begins here.
    private mutating func nonFinite() throws(ScanError) -> Bool {
        let afterSign = next == UInt8(ascii: "-") ? offset + 1 : offset
        guard afterSign < bytes.count else { return false }
        switch bytes[afterSign] {
        case UInt8(ascii: "N") where afterSign == offset: try literal("NaN")
        case UInt8(ascii: "I"):
            offset = afterSign
            try literal("Infinity")
        default: return false
        }
        return true
    }

    private mutating func literal(_ name: String) throws(ScanError) {
        for byte in name { try expect(byte) }
    }

    /// Parses one number; the caller checks the following byte.
    mutating func number() throws(ScanError) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(ScanError) {
        guard let first = next, isDigit(first) else { throw fault }
        while let digit = next, isDigit(digit) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
