/// Why a whole batch is rejected. Nothing of it is stored.
///
/// Offsets count bytes from the start of the (decoded) body. The first fault in byte order is
/// reported; missing parts are found at the end only.
public enum ScanError: Error, Equatable, Sendable {
    /// Not JSON: this byte is not allowed here.
    case unexpectedByte(UInt8, offset: Int)
    /// The body ended inside the JSON document; `offset` is its length.
    case truncated(offset: Int)
    case invalidUTF8(offset: Int)
    /// Objects and arrays are nested deeper than the parser follows.
    case nestedTooDeep(offset: Int)
    /// JSON, but not a batch.
    case envelope(EnvelopeFault)
}
