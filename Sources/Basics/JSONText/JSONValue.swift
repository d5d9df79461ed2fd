/// A JSON text as a tree.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Not finite for a number that no double holds, and for `NaN` and `Infinity`, which some
    /// programs write: so that the fault is about the field, not about the text.
    case number(Double)
    case string(String)
    /// A string with U+0000 or half of a surrogate pair, which no database text can hold.
    case noText
    case array([JSONValue])
    /// In the order of the text; a key may stand twice.
    case object([JSONMember])
}

/// A key of an object, and what belongs to it.
public struct JSONMember: Equatable, Sendable {
    /// Unescaped.
    public let key: String
    /// Any.
    public let value: JSONValue
}

/// What a text that is no JSON fails on.
public enum JSONFault: Error, Equatable, Sendable {
    /// It ends where something is missing.
    case truncated
    /// A byte that may not stand there.
    case unexpectedByte
    /// Bytes that are no UTF-8.
    case invalidUTF8
    /// Too many objects and arrays inside each other.
    case nestedTooDeep
}
