/// Validates one JSON value byte by byte and keeps its state between chunks. For values that are
/// skipped and may be larger than the buffer: those of unknown keys, and oversized readings and
/// metadata.
///
/// As strict as `JSONCursor`, but for a reading's words that are no numbers. The state is a few
/// words: one bit per open object or array.
struct StreamingValidator {
    /// The deepest nesting of objects and arrays that is followed.
    static let depthMax = 1024

    enum Verdict {
        case complete
        case needMore
        case stopped(JSONCursor.Stop)
    }

    private enum State: UInt8 {
        case value  // a value must come
        case valueOrEnd  // …or `]`
        case keyOrEnd, key, colon
        case commaOrEnd
        case string, keyString
        case escape, hex1, hex2, hex3, hex4
        case utf8Second, utf8Third, utf8Fourth
        case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
        case literal
        case done
    }

    private var state = State.value
    private let outerLevels: Int
    private let takesNonFinite: Bool
    private var depth = 0
    private(set) var depthReached = 0
    /// Bit set: that level is an object.
    private var levels = InlineArray<16, UInt64>(repeating: 0)
    private var isKey = false
    /// The range of the next continuation byte, and its distance from the lead byte.
    private var continuation: ClosedRange<UInt8> = 0x80...0xBF
    private var afterLead = 0
    private var charactersLeft = 0
    private var literalRest: (name: StaticString, index: Int) = ("null", 0)

    /// - Parameters:
    ///   - outerLevels: enclosing levels, which count towards ``depthMax``.
    ///   - takesNonFinite: `NaN`, `Infinity` and `-Infinity` are values.
    init(outerLevels: Int = 0, takesNonFinite: Bool = false) {
        self.outerLevels = outerLevels
        self.takesNonFinite = takesNonFinite
    }

    /// Continues from `position`, and moves it behind the value or to the byte where it stopped.
    ///
    /// The offset of a bad UTF-8 sequence is negative, relative to this window, when its lead byte
    /// was in an earlier chunk.
    mutating func consume(_ window: Window, from position: inout Int) -> Verdict {
        while position < window.end {
            let byte = window[position]
            switch state {
            case .string, .keyString:
                position = window.plainTextEnd(from: position)
                if position >= window.end { return .needMore }
                if let stop = stringByte(window[position], at: position) { return .stopped(stop) }
                position += 1
                if state == .done { return .complete }
            case .zero, .integer, .fraction, .exponentDigits:
                // A number ends at the first byte that can't continue it.
                if !numberByte(byte) {
                    endValue()
                    if state == .done { return .complete }
                    continue
                }
                position += 1
            default:
                if let stop = step(byte, at: position) { return .stopped(stop) }
                position += 1
                if state == .done { return .complete }
            }
        }
        return .needMore
    }

    private mutating func endValue() {
        state = depth == 0 ? .done : .commaOrEnd
    }

    private var isInObject: Bool {
        levels[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0
    }

    private mutating func open(object: Bool, at position: Int) -> JSONCursor.Stop? {
        guard depth + outerLevels < Self.depthMax else { return .nestedTooDeep(at: position) }
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if object { levels[depth >> 6] |= bit } else { levels[depth >> 6] &= ~bit }
        depth += 1
        depthReached = max(depthReached, depth)
        state = object ? .keyOrEnd : .valueOrEnd
        return nil
    }

    private mutating func stringByte(_ byte: UInt8, at position: Int) -> JSONCursor.Stop? {
        isKey = state == .keyString
        switch byte {
        case 0x22:
            if isKey { state = .colon } else { endValue() }
        case 0x5C: state = .escape
        case 0xC2...0xDF: lead(1, 0x80...0xBF)
        case 0xE0: lead(2, 0xA0...0xBF)
        case 0xED: lead(2, 0x80...0x9F)
        case 0xE1...0xEF: lead(2, 0x80...0xBF)
        case 0xF0: lead(3, 0x90...0xBF)
        case 0xF1...0xF3: lead(3, 0x80...0xBF)
        case 0xF4: lead(3, 0x80...0x8F)
        case 0x80...: return .invalidUTF8(at: position)
        default: return .unexpectedByte(at: position)
        }
        return nil
    }

    private mutating func lead(_ count: Int, _ second: ClosedRange<UInt8>) {
        charactersLeft = count
        continuation = second
        afterLead = 1
        state = .utf8Second
    }

    private mutating func numberByte(_ byte: UInt8) -> Bool {
        let isDigit = byte &- 0x30 <= 9
        switch (state, byte) {
        case (.integer, _) where isDigit, (.fraction, _) where isDigit,
            (.exponentDigits, _) where isDigit:
            return true
        case (.zero, 0x2E), (.integer, 0x2E):
            state = .point
            return true
        case (.zero, 0x45), (.zero, 0x65), (.integer, 0x45), (.integer, 0x65),
            (.fraction, 0x45), (.fraction, 0x65):
            state = .exponent
            return true
        default:
            return false
        }
    }

    /// Handles every state except inside strings and where a number may end.
    private mutating func step(_ byte: UInt8, at position: Int) -> JSONCursor.Stop? {
        let isDigit = byte &- 0x30 <= 9
        let isSpace = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        switch state {
        case .value where isSpace, .valueOrEnd where isSpace, .keyOrEnd where isSpace,
            .key where isSpace, .colon where isSpace, .commaOrEnd where isSpace:
            return nil
        case .valueOrEnd where byte == 0x5D, .keyOrEnd where byte == 0x7D:
            depth -= 1
            endValue()
        case .value, .valueOrEnd:
            return startValue(byte, at: position)
        case .keyOrEnd where byte == 0x22, .key where byte == 0x22:
            state = .keyString
        case .colon where byte == 0x3A:
            state = .value
        case .commaOrEnd where byte == 0x2C:
            state = isInObject ? .key : .value
        case .commaOrEnd where byte == (isInObject ? 0x7D : 0x5D):
            depth -= 1
            endValue()
        case .escape:
            switch byte {
            case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
                state = isKey ? .keyString : .string
            case 0x75: state = .hex1
            default: return .unexpectedByte(at: position)
            }
        case .hex1 where Window.hexValue(byte) != nil: state = .hex2
        case .hex2 where Window.hexValue(byte) != nil: state = .hex3
        case .hex3 where Window.hexValue(byte) != nil: state = .hex4
        case .hex4 where Window.hexValue(byte) != nil: state = isKey ? .keyString : .string
        case .utf8Second, .utf8Third, .utf8Fourth:
            guard continuation.contains(byte) else {
                return .invalidUTF8(at: position - afterLead)
            }
            continuation = 0x80...0xBF
            afterLead += 1
            charactersLeft -= 1
            state =
                charactersLeft == 0
                ? (isKey ? .keyString : .string) : (afterLead == 2 ? .utf8Third : .utf8Fourth)
        case .minus where byte == 0x30: state = .zero
        case .minus where isDigit: state = .integer
        case .minus where byte == 0x49 && takesNonFinite:
            (state, literalRest) = (.literal, ("Infinity", 1))
        case .point where isDigit: state = .fraction
        case .exponent where byte == 0x2B || byte == 0x2D: state = .exponentSign
        case .exponent where isDigit, .exponentSign where isDigit: state = .exponentDigits
        case .literal where byte == literalRest.name.utf8Start[literalRest.index]:
            literalRest.index += 1
            if literalRest.index == literalRest.name.utf8CodeUnitCount { endValue() }
        default:
            return .unexpectedByte(at: position)
        }
        return nil
    }

    private mutating func startValue(_ byte: UInt8, at position: Int) -> JSONCursor.Stop? {
        switch byte {
        case 0x7B: return open(object: true, at: position)
        case 0x5B: return open(object: false, at: position)
        case 0x22: state = .string
        case 0x2D: state = .minus
        case 0x30: state = .zero
        case 0x31...0x39: state = .integer
        case 0x74: (state, literalRest) = (.literal, ("true", 1))
        case 0x66: (state, literalRest) = (.literal, ("false", 1))
        case 0x6E: (state, literalRest) = (.literal, ("null", 1))
        case 0x4E where takesNonFinite: (state, literalRest) = (.literal, ("NaN", 1))
        case 0x49 where takesNonFinite: (state, literalRest) = (.literal, ("Infinity", 1))
        default: return .unexpectedByte(at: position)
        }
        return nil
    }
}
