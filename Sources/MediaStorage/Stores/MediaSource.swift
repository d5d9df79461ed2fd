public import NIOCore

/// A stored object that is open for reading. It reads the same bytes however the store changes.
public protocol MediaSource: AnyObject, Sendable {
    /// The object's length.
    var bytes: Int { get }

    /// The bytes of `range`, in pieces of at most ``MediaStorage/pieceBytesMax``. Any number of
    /// streams may be read at a time.
    ///
    /// - Parameter range: within `0..<bytes`.
    func stream(_ range: Range<Int>) -> MediaStream
}

extension MediaSource {
    /// All of it in memory, for small files.
    public func contents() async throws -> ByteBuffer {
        var contents = ByteBuffer()
        for try await var piece in stream(0..<bytes) { contents.writeBuffer(&piece) }
        return contents
    }
}
