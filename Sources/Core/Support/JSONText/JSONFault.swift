/// Why a text is not JSON.
public enum JSONFault: Error, Equatable, Sendable {
    /// The text ends too early.
    case truncated
    /// A byte that is not allowed at its place.
    case unexpectedByte
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// Objects and arrays are nested too deeply.
    case nestedTooDeep
}
