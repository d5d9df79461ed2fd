/// How wide text is on a terminal, and text that can't do anything to it.
public enum TerminalText {
    /// Text from elsewhere, without what a terminal would obey: control characters, direction marks and
    /// the like become `?`.
    public static func safe(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            safe.append(isHarmless(scalar) ? scalar : "?")
        }
        return String(safe)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    /// Columns that `text` takes.
    public static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Columns of one character: two for the wide ones of East Asia and for pictures.
    static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isPicture = character.unicodeScalars.contains {
            $0.value == 0xFE0F || $0.properties.isEmojiPresentation
        }
        return isPicture || isWide(first.value) ? 2 : 1
    }

    /// Source: Unicode Standard Annex #11, blocks whose characters are mostly wide.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// At most `columns` wide; what is cut off ends in `…`.
    public static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var (kept, taken) = ("", 0)
        for character in text {
            let width = width(character)
            if taken + width > columns - 1 { break }
            kept.append(character)
            taken += width
        }
        return kept + "…"
    }

    /// Exactly `columns` wide, on the left or on the right.
    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let cut = cut(text, to: columns)
        let space = String(repeating: " ", count: max(0, columns - width(cut)))
        return right ? space + cut : cut + space
    }

    /// Lines of at most `columns`, broken between words where there are such places.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            if !line.isEmpty, width(line) + 1 + width(word) > columns {
                lines.append(line)
                line = ""
            }
            while width(word) > columns {
                var (head, taken) = ("", 0)
                while let next = word.first, taken + width(next) <= columns {
                    taken += width(next)
                    head.append(word.removeFirst())
                }
                // A character that is wider than the terminal.
                if head.isEmpty { word.removeFirst() } else { lines.append(head) }
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}

/// One line for a terminal: pieces of text, each in one ink. Knows no escape sequence.
public struct TerminalLine: Equatable, Sendable {
    /// What a piece of text means; a ``Screen`` decides how that looks.
    public enum Ink: Sendable {
        /// Usual text.
        case plain
        /// A figure to look at, a heading.
        case strong
        /// What is known anyway: labels, units.
        case dim
        /// All is well.
        case good
        /// Look at this.
        case warning
        /// Something is wrong.
        case bad
    }

    /// From left to right.
    public private(set) var pieces: [(text: String, ink: Ink)] = []

    /// An empty one.
    public init() {}

    /// With one piece.
    public init(_ text: String, _ ink: Ink = .plain) {
        add(text, ink)
    }

    /// Adds a piece at the right.
    public mutating func add(_ text: String, _ ink: Ink = .plain) {
        if !text.isEmpty { pieces.append((text, ink)) }
    }

    /// The pieces without their inks.
    public var text: String { pieces.map(\.text).joined() }

    /// Columns.
    public var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

    /// At most `columns` wide.
    public func cut(to columns: Int) -> TerminalLine {
        guard width > columns else { return self }
        var (line, left) = (TerminalLine(), columns)
        for piece in pieces where left > 0 {
            let width = TerminalText.width(piece.text)
            // What does not fit whole ends in a mark, also where the border of two pieces is.
            let text = width < left ? piece.text : TerminalText.cut(piece.text + " ", to: left)
            line.add(text, piece.ink)
            left -= TerminalText.width(text)
        }
        return line
    }

    /// Everything in one ink.
    public func inked(_ ink: Ink) -> TerminalLine {
        var line = TerminalLine()
        for piece in pieces { line.add(piece.text, ink) }
        return line
    }

    /// Same pieces, same inks.
    public static func == (one: TerminalLine, other: TerminalLine) -> Bool {
        one.pieces.elementsEqual(other.pieces) { $0 == $1 }
    }
}

/// What a terminal gets: escape sequences of ECMA-48 and the alternate screen of xterm, which all
/// terminals of today know. A value; writes nothing itself.
public struct Screen: Equatable, Sendable {
    /// At least 1.
    public var columns: Int
    /// At least 1.
    public var rows: Int
    /// Inks become colours; without, all text looks the same.
    public var hasColor: Bool
    /// The terminal shows UTF-8; else other characters than ASCII are replaced.
    public var hasUnicode: Bool

    /// A size that can't be is taken for the smallest that can.
    public init(columns: Int, rows: Int, hasColor: Bool, hasUnicode: Bool) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.hasColor = hasColor
        self.hasUnicode = hasUnicode
    }

    private static let escape = "\u{1B}["
    /// Takes the alternate screen and hides the cursor.
    public static let enter = "\(escape)?1049h\(escape)?25l\(escape)2J"
    /// Empties the whole screen.
    public static let clear = "\(escape)2J"
    /// Gives back everything that ``enter`` took.
    public static let leave = "\(escape)0m\(escape)?25h\(escape)?1049l"

    /// Writes all lines over what was there before; nothing is cleared first, so nothing flickers.
    public func frame(_ lines: [TerminalLine]) -> String {
        var text = "\(Self.escape)H"
        for (row, line) in lines.prefix(rows).enumerated() {
            if row > 0 { text += "\r\n" }
            // Erased first: a line that is full has its cursor in its own last column.
            text += "\(Self.escape)K" + render(line.cut(to: columns))
        }
        let last = min(lines.count, rows)
        if last < rows { text += (last > 0 ? "\r\n" : "") + "\(Self.escape)J" }
        return text
    }

    /// One line with its colours, as far as there are any.
    public func render(_ line: TerminalLine) -> String {
        var text = ""
        for piece in line.pieces {
            let shown = hasUnicode ? piece.text : Self.ascii(piece.text)
            guard hasColor, let code = Self.code(of: piece.ink) else {
                text += shown
                continue
            }
            text += "\(Self.escape)\(code)m\(shown)\(Self.escape)0m"
        }
        return text
    }

    private static func code(of ink: TerminalLine.Ink) -> String? {
        switch ink {
        case .plain: nil
        case .strong: "1"
        case .dim: "2"
        case .good: "32"
        case .warning: "1;33"
        case .bad: "1;31"
        }
    }

    /// As many columns as before.
    static func ascii(_ text: String) -> String {
        var ascii = ""
        for character in text {
            if character.isASCII {
                ascii.append(character)
                continue
            }
            let known: [Character: String] = ["·": "|", "–": "-", "µ": "u", "…": "~"]
            ascii +=
                known[character]
                ?? String(repeating: "?", count: TerminalText.width(character))
        }
        return ascii
    }
}
