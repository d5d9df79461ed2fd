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
