public import NIOCore

extension ByteBuffer {
    /// A part of what is readable, as a ``MultipartEvent/body(_:)`` names it; nothing is copied.
    ///
    /// - Parameter range: counted from the first readable byte; within what is readable.
    public func readablePart(_ range: Range<Int>) -> ByteBuffer {
        guard let part = getSlice(at: readerIndex + range.lowerBound, length: range.count) else {
            preconditionFailure("BUG: \(range) of \(readableBytes) bytes")
        }
        return part
    }
}
