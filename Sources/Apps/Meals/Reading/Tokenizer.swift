/// Cuts a sentence into tokens. Reads at most `Meals.textLengthMax` scalars, in linear time.
struct Tokenizer {
    private var bytes: [UInt8] = []
    private var at = 0
    private var tokens: [Token] = []
    /// The number expected at the next line of a numbered list: `1.`, `2)`.
    private var ordinal = 1.0
    /// Whether digits followed by letters are a name: `7up`.
    private let isName: (String) -> Bool

    /// A fraction is one byte from here on; folded text has only smaller bytes.
    private static let fractionBase: UInt8 = 0x80
    private static let separators: [UInt8: Token.Kind] = [
        UInt8(ascii: ","): .comma, UInt8(ascii: "/"): .comma, UInt8(ascii: "+"): .comma,
        UInt8(ascii: ";"): .stop, UInt8(ascii: "\n"): .stop, UInt8(ascii: "!"): .stop,
        UInt8(ascii: "?"): .stop, UInt8(ascii: "|"): .stop, UInt8(ascii: "."): .stop,
        UInt8(ascii: ":"): .colon, UInt8(ascii: "-"): .dash, UInt8(ascii: "("): .open,
        UInt8(ascii: "["): .open, UInt8(ascii: ")"): .close, UInt8(ascii: "]"): .close,
    ]

    static func tokens(of text: String, isName: (String) -> Bool = { _ in false }) -> [Token] {
        withoutActuallyEscaping(isName) { isName in
            var tokenizer = Tokenizer(text, isName: isName)
            return tokenizer.run()
        }
    }

    private init(_ text: String, isName: @escaping (String) -> Bool) {
        self.isName = isName
        for scalar in text.unicodeScalars.prefix(Meals.textLengthMax) {
            if let fraction = Folding.fraction(scalar) {
                bytes.append(Self.fractionBase + UInt8((fraction * 120).rounded()))
            } else if let ascii = Folding.ascii(scalar) {
                bytes.append(contentsOf: ascii.utf8)
            }
        }
    }

    private func byte(_ offset: Int) -> UInt8 {
        offset < bytes.count ? bytes[offset] : UInt8(ascii: " ")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private mutating func run() -> [Token] {
        while at < bytes.count {
            let start = at
            let next = bytes[at]
            if next >= Self.fractionBase {
                tokens.append(
                    .number(Double(next - Self.fractionBase) / 120, isFraction: true))
                at += 1
            } else if Self.isDigit(next) || next == UInt8(ascii: ".") && Self.isDigit(byte(at + 1))
            {
                number()
            } else if Self.isLetter(next) {
                word()
            } else {
                mark(next)
            }
            precondition(at > start, "BUG: no progress at \(start)")
        }
        return tokens
    }

    /// Reads a number with a fraction, a per cent sign or letters that belong to it. Skips times of
    /// day, ordinals and the numbers of a numbered list.
    private mutating func number() {
        let start = at
        let value = decimal()
        if byte(at) == UInt8(ascii: "%") {
            at += 1
            tokens.append(.word(String(decoding: bytes[start..<at], as: UTF8.self)))
            return
        }
        if byte(at) == UInt8(ascii: ":"), Self.isDigit(byte(at + 1)) {
            // A time of day is skipped.
            while Self.isDigit(byte(at)) || byte(at) == UInt8(ascii: ":") { at += 1 }
            return
        }
        if byte(at) == UInt8(ascii: "/"), Self.isDigit(byte(at + 1)) {
            at += 1
            let below = decimal()
            if [2, 3, 4, 5, 6, 8, 16].contains(below), value > 0 {
                tokens.append(.number(value / below, isFraction: value < below))
            }
            return
        }
        if isOrdinal(value) {
            ordinal += 1
            at += 1
            tokens.append(Token(kind: .stop))
            return
        }
        var end = at
        while Self.isLetter(byte(end)) { end += 1 }
        if end > at {
            let letters = String(decoding: bytes[at..<end], as: UTF8.self)
            let whole = String(decoding: bytes[start..<end], as: UTF8.self)
            if ["st", "nd", "rd", "th", "am", "pm"].contains(letters) {
                at = end
                return
            }
            if isName(whole) {
                at = end
                tokens.append(.word(whole))
                return
            }
        }
        tokens.append(.number(value))
    }

    /// Reads digits with one decimal point or comma. A comma before exactly three digits separates
    /// thousands.
    private mutating func decimal() -> Double {
        var value = 0.0
        var scale = 0.0
        while at < bytes.count {
            let next = bytes[at]
            if Self.isDigit(next) {
                value = value * 10 + Double(next - UInt8(ascii: "0"))
                if scale > 0 { scale *= 10 }
            } else if next == UInt8(ascii: "."), scale == 0, Self.isDigit(byte(at + 1)) {
                scale = 1
            } else if next == UInt8(ascii: ","), scale == 0, Self.isDigit(byte(at + 1)) {
                let isThousands =
                    Self.isDigit(byte(at + 2)) && Self.isDigit(byte(at + 3))
                    && !Self.isDigit(byte(at + 4))
                if !isThousands { scale = 1 }
            } else {
                break
            }
            at += 1
        }
        // Larger numbers are no amounts of food; the bound keeps the arithmetic finite.
        return min(scale > 0 ? value / scale : value, 1e6)
    }

    /// Whether a number with a full stop or parenthesis only numbers a line of a list.
    private func isOrdinal(_ value: Double) -> Bool {
        value == ordinal
            && (byte(at) == UInt8(ascii: ".") || byte(at) == UInt8(ascii: ")"))
            && byte(at + 1) == UInt8(ascii: " ") && at + 2 < bytes.count
            && (tokens.isEmpty || ordinal > 1 || tokens.last?.kind == .stop)
    }

    private mutating func word() {
        let start = at
        var text: [UInt8] = []
        while Self.isLetter(byte(at))
            || byte(at) == UInt8(ascii: "'") && Self.isLetter(byte(at + 1))
        {
            if bytes[at] != UInt8(ascii: "'") { text.append(bytes[at]) }
            at += 1
        }
        // x3
        if text == [UInt8(ascii: "x")], Self.isDigit(byte(at)) {
            tokens.append(.word("x"))
            return
        }
        // w/ and w/o
        if text == [UInt8(ascii: "w")], byte(at) == UInt8(ascii: "/") {
            at += 1
            let isWithout = byte(at) == UInt8(ascii: "o") && !Self.isLetter(byte(at + 1))
            if isWithout { at += 1 }
            tokens.append(.word(isWithout ? "without" : "with"))
            return
        }
        if Self.isDigit(byte(at)) {
            // v8, b12
            while Self.isDigit(byte(at)) { at += 1 }
            tokens.append(.word(String(decoding: bytes[start..<at], as: UTF8.self)))
            return
        }
        tokens.append(.word(String(decoding: text, as: UTF8.self)))
        // The full stop of an abbreviation does not end a sentence.
        if byte(at) == UInt8(ascii: "."), text.count <= 4, Lexicon.isAbbreviation(text) { at += 1 }
    }

    private mutating func mark(_ mark: UInt8) {
        at += 1
        if mark == UInt8(ascii: "&") {
            tokens.append(.word("and"))
        } else if mark == UInt8(ascii: "-") {
            let joinsWords = at >= 2 && bytes[at - 2] > 0x20 && byte(at) > 0x20
            let lastIsNumber = if case .number = tokens.last?.kind { true } else { false }
            if !joinsWords || lastIsNumber && !Self.isLetter(byte(at)) {
                tokens.append(Token(kind: .dash))
            }
        } else if let kind = Self.separators[mark] {
            tokens.append(Token(kind: kind))
        }
    }
}
