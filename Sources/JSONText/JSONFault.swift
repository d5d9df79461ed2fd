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
