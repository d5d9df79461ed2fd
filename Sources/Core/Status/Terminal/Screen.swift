import JSONText

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
