public import NIOCore

/// A stored object that is open for reading. It reads the same bytes however the store changes.
public protocol MediaSource: AnyObject, Sendable {
    /// The object's length.
    var bytes: Int { get }

    /// A file descriptor that stays open as long as this object lives, where the store has one. Never
    /// read from it by its own position.
    var descriptor: Int32? { get }

    /// The bytes of `range`, in pieces of at most ``MediaStorage/pieceBytesMax``. Any number of
    /// streams may be read at a time.
    ///
    /// - Parameter range: within `0..<bytes`.
    func stream(_ range: Range<Int>) -> MediaStream
}

extension MediaSource {
    /// None: the bytes are elsewhere.
    public var descriptor: Int32? { nil }

    /// All of it in memory, for small files.
    public func contents() async throws -> ByteBuffer {
        var contents = ByteBuffer()
        for try await var piece in stream(0..<bytes) { contents.writeBuffer(&piece) }
        return contents
    }
}
