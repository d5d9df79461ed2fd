import JSONText

/// Measures and sanitizes text for a terminal.
public enum TerminalText {
    /// Replaces characters that a terminal might act on (control characters, direction marks and
    /// the like) by `?`. For text from other sources.
    public static func safe(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            safe.append(scalar.isHarmlessOnTerminal ? scalar : "?")
        }
        return String(safe)
    }

    /// The number of columns that `text` takes.
    public static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Columns of one character: two for wide East Asian characters and emoji.
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

    /// At most `columns` wide; text that is cut ends in `…`.
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

    /// Exactly `columns` wide, aligned to the left or to the right.
    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let cut = cut(text, to: columns)
        let space = String(repeating: " ", count: max(0, columns - width(cut)))
        return right ? space + cut : cut + space
    }

    /// Lines of at most `columns`, broken between words if possible.
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
                // If not even one character fits, it is dropped.
                if head.isEmpty { word.removeFirst() } else { lines.append(head) }
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}

/// A line for a terminal: pieces of text, each with an ink. Contains no escape sequences.
public struct TerminalLine: Equatable, Sendable {
    /// The meaning of a piece of text; a ``Screen`` decides how it looks.
    public enum Ink: Sendable {
        /// Normal text.
        case plain
        /// An important figure, or a heading.
        case strong
        /// Labels and units.
        case dim
        /// All is well.
        case good
        /// Look at this.
        case warning
        /// Something is wrong.
        case bad
    }

    /// The pieces from left to right.
    public private(set) var pieces: [(text: String, ink: Ink)] = []

    /// An empty line.
    public init() {}

    /// A line with one piece.
    public init(_ text: String, _ ink: Ink = .plain) {
        add(text, ink)
    }

    /// Appends a piece at the right.
    public mutating func add(_ text: String, _ ink: Ink = .plain) {
        if !text.isEmpty { pieces.append((text, ink)) }
    }

    /// The text without inks.
    public var text: String { pieces.map(\.text).joined() }

    /// The width in columns.
    public var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

    /// At most `columns` wide.
    public func cut(to columns: Int) -> TerminalLine {
        guard width > columns else { return self }
        var (line, left) = (TerminalLine(), columns)
        for piece in pieces where left > 0 {
            let width = TerminalText.width(piece.text)
            // A line that is cut ends in `…`, even if the cut is between two pieces.
            let text = width < left ? piece.text : TerminalText.cut(piece.text + " ", to: left)
            line.add(text, piece.ink)
            left -= TerminalText.width(text)
        }
        return line
    }

    /// The same text in one ink.
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

/// Renders lines for a terminal with the escape sequences of ECMA-48 and xterm's alternate screen,
/// which all current terminals support. A value; writes nothing itself.
public struct Screen: Equatable, Sendable {
    /// At least 1.
    public var columns: Int
    /// At least 1.
    public var rows: Int
    /// Inks become colours; otherwise they have no effect.
    public var hasColor: Bool
    /// The terminal shows UTF-8; otherwise characters other than ASCII are replaced.
    public var hasUnicode: Bool

    /// Sizes below 1 become 1.
    public init(columns: Int, rows: Int, hasColor: Bool, hasUnicode: Bool) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.hasColor = hasColor
        self.hasUnicode = hasUnicode
    }

    private static let escape = "\u{1B}["
    /// Switches to the alternate screen and hides the cursor.
    public static let enter = "\(escape)?1049h\(escape)?25l\(escape)2J"
    /// Clears the whole screen.
    public static let clear = "\(escape)2J"
    /// Undoes ``enter``.
    public static let leave = "\(escape)0m\(escape)?25h\(escape)?1049l"

    /// Overwrites the screen with `lines`. The screen is not cleared first, so it does not flicker.
    public func frame(_ lines: [TerminalLine]) -> String {
        var text = "\(Self.escape)H"
        for (row, line) in lines.prefix(rows).enumerated() {
            if row > 0 { text += "\r\n" }
            // Each line is erased first: after a full line the cursor is still in its last column.
            text += "\(Self.escape)K" + render(line.cut(to: columns))
        }
        let last = min(lines.count, rows)
        if last < rows { text += (last > 0 ? "\r\n" : "") + "\(Self.escape)J" }
        return text
    }

    /// One line, with colours if the terminal has them.
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

    /// Replaces characters other than ASCII; the width stays the same.
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
