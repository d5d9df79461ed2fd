/// Reads strict JSON (RFC 8259) from a window, token by token.
///
/// Complete and strict where the fast path is neither. It distinguishes incomplete from wrong
/// input: a zero byte at the window's end means *more to come*, anywhere else it is wrong.
struct JSONCursor {
    let window: Window
    var position: Int

    /// Why a token could not be read.
    enum Stop: Error {
        /// The window ends inside the token.
        case needMore
        case unexpectedByte(at: Int)
        case invalidUTF8(at: Int)
        case nestedTooDeep(at: Int)
        case envelope(EnvelopeFault)
    }

    /// The contents of a string, without its quotes.
    struct Text {
        var range: Range<Int>
        var isEscaped: Bool
    }

    @inline(always)
    var byte: UInt8 { window[position] }

    /// The error for a byte that is not allowed at `index`: more to come, or wrong.
    @inline(never)
    func stop(at index: Int) -> Stop {
        index >= window.end ? .needMore : .unexpectedByte(at: index)
    }

    @inline(always)
    mutating func skipWhitespace() {
        while true {
            let byte = window[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position &+= 1
        }
    }

    @inline(always)
    mutating func expect(_ expected: UInt8) throws(Stop) {
        guard window[position] == expected else { throw stop(at: position) }
        position &+= 1
    }

    mutating func literal(_ name: StaticString) throws(Stop) {
        for index in 0..<name.utf8CodeUnitCount {
            guard window[position] == name.utf8Start[index] else { throw stop(at: position) }
            position &+= 1
        }
    }

    /// Reads a string from its opening quote to after its closing quote.
    ///
    /// Checks control characters, escapes and UTF-8. An unpaired surrogate escape passes, because
    /// it is valid JSON (``Unescaped`` finds it).
    @inline(always)
    mutating func string() throws(Stop) -> Text {
        try expect(0x22)
        let start = position
        position = window.plainTextEnd(from: position)
        if window[position] == 0x22 {
            position &+= 1
            return Text(range: start..<position &- 1, isEscaped: false)
        }
        return try longString(from: start)
    }

    @inline(never)
    private mutating func longString(from start: Int) throws(Stop) -> Text {
        var isEscaped = false
        while true {
            position = window.plainTextEnd(from: position)
            let byte = window[position]
            switch byte {
            case 0x22:
                position &+= 1
                return Text(range: start..<position &- 1, isEscaped: isEscaped)
            case 0x5C:
                isEscaped = true
                try escape()
            case 0x80...:
                try multiByteCharacter()
            default:
                throw stop(at: position)
            }
        }
    }

    private mutating func escape() throws(Stop) {
        switch window[position &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            position &+= 2
        case 0x75:
            for index in position &+ 2..<position &+ 6 {
                guard Window.hexValue(window[index]) != nil else { throw stop(at: index) }
            }
            position &+= 6
        default:
            throw stop(at: position &+ 1)
        }
    }

    /// One character of two to four bytes, by table 3-7 of the Unicode Standard.
    private mutating func multiByteCharacter() throws(Stop) {
        let lead = window[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw .invalidUTF8(at: position)
        }
        for offset in 1..<length {
            let byte = window[position &+ offset]
            guard (offset == 1 ? second : 0x80...0xBF).contains(byte) else {
                if position &+ offset >= window.end { throw .needMore }
                throw .invalidUTF8(at: position)
            }
        }
        position &+= length
    }

    /// Validates a whole value of any kind and skips it.
    ///
    /// - Parameters:
    ///   - outer: enclosing levels, which count towards the depth limit.
    ///   - takesNonFinite: `NaN`, `Infinity` and `-Infinity` are values.
    /// - Returns: how deep objects and arrays are nested, 0 for a scalar.
    mutating func skipValue(
        inside outer: Int, takesNonFinite: Bool = false
    ) throws(Stop) -> Int {
        var validator = StreamingValidator(
            outerLevels: outer, takesNonFinite: takesNonFinite)
        let verdict = validator.consume(window, from: &position)
        switch verdict {
        case .complete: return validator.depthReached
        case .needMore:
            // A number at the end may continue; inside a document something must follow it.
            throw .needMore
        case .stopped(let stop): throw stop
        }
    }
}

extension Window {
    /// The first index from `start` on whose byte is a control character, not ASCII, `"` or `\`.
    ///
    /// Reads eight bytes at a time.
    @inline(always)
    func plainTextEnd(from start: Int) -> Int {
        var index = start
        while true {
            let word = load64(index)
            let low = 0x0101_0101_0101_0101 as UInt64
            let high = 0x8080_8080_8080_8080 as UInt64
            // A byte's high bit is set if the test holds; bits above the first one may be wrong.
            let control = word &- low &* 0x20
            let quote = (word ^ low &* 0x22) &- low
            let backslash = (word ^ low &* 0x5C) &- low
            let found = (control | quote | backslash | word) & high
            if found != 0 {
                return index &+ found.littleEndian.trailingZeroBitCount &>> 3
            }
            index &+= 8
        }
    }

    /// Whether a string equals `name`.
    func `is`(_ text: JSONCursor.Text, _ name: StaticString) -> Bool {
        if !text.isEscaped {
            return text.range.count == name.utf8CodeUnitCount && self.text(text.range).matches(name)
        }
        return Unescaped(self.text(text.range)).bytes.withUnsafeBufferPointer {
            $0.count == name.utf8CodeUnitCount && $0.matches(name)
        }
    }

    @inline(always)
    static func hexValue(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte &- 0x30)
        case 0x41...0x46: UInt16(byte &- 0x41 &+ 10)
        case 0x61...0x66: UInt16(byte &- 0x61 &+ 10)
        default: nil
        }
    }
}

extension Window {
    /// Writes the unescaped text of a JSON string, which is never longer.
    ///
    /// - Parameters:
    ///   - range: a string's contents, already validated.
    ///   - start: has room for as many bytes.
    /// - Returns: the number of bytes; nil for text that PostgreSQL can't hold.
    func unescape(_ range: Range<Int>, to start: UnsafeMutableRawPointer) -> Int? {
        var place = start
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = self[index]
            guard byte == 0x5C else {
                place.storeBytes(of: byte, as: UInt8.self)
                place += 1
                index &+= 1
                continue
            }
            let next = self[index &+ 1]
            if next == 0x75 {
                guard let (scalar, taken) = character(at: index, before: range.upperBound),
                    scalar.value != 0
                else { return nil }
                for unit in UTF8.encode(scalar)! {
                    place.storeBytes(of: unit, as: UInt8.self)
                    place += 1
                }
                index &+= taken
            } else {
                place.storeBytes(of: Unescaped.single(next), as: UInt8.self)
                place += 1
                index &+= 2
            }
        }
        return place - start
    }

    /// The character of the `\u` escape, or pair of them, at `index`; nil for half a pair.
    private func character(
        at index: Int, before end: Int
    ) -> (scalar: Unicode.Scalar, taken: Int)? {
        func unit(_ start: Int) -> UInt32 {
            (start..<start + 4).reduce(0) { $0 << 4 | UInt32(Window.hexValue(self[$1]) ?? 0) }
        }
        let first = unit(index + 2)
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first).map { ($0, 6) } }
        guard index + 12 <= end, self[index + 6] == 0x5C, self[index + 7] == 0x75 else {
            return nil
        }
        let second = unit(index + 8)
        guard second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)).map { ($0, 12) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes equal `text`; the counts must be equal.
    @inline(always)
    func matches(_ text: StaticString) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
