/// A JSON text as a tree.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Not finite for a number out of a double's range, and for `NaN` and `Infinity`, which some
    /// programs write. So the caller can reject the field instead of the whole text.
    case number(Double)
    case string(String)
    /// A string with U+0000 or half of a surrogate pair, which no database text can hold.
    case noText
    case array([JSONValue])
    /// In the order of the text; a key may appear twice.
    case object([JSONMember])
}
