/// What is wrong with a compressed body.
enum BodyEncodingFault: Equatable, Sendable {
    case corrupt
    case truncated
    /// Bytes after the end that start no further member or frame.
    case trailingBytes
    /// The decoder would have to keep more bytes than it may.
    case windowTooLarge(bytesMax: Int)
}
