import JSONText

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
