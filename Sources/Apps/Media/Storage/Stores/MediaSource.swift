import Inspections
public import NIOCore

/// A stored object that is open for reading. It always reads the same bytes, even if the store
/// changes.
public protocol MediaSource: AnyObject, Sendable {
    /// The object's length in bytes.
    var bytes: Int { get }

    /// A file descriptor that stays open as long as this object lives; nil when the store has no
    /// file. Don't read from it at its own position.
    var descriptor: Int32? { get }

    /// The bytes of `range`, in pieces of at most ``MediaStorage/pieceBytesMax``. Any number of
    /// streams may be read at the same time.
    ///
    /// - Parameter range: within `0..<bytes`.
    func stream(_ range: Range<Int>) -> MediaStream
}

extension MediaSource {
    /// nil: the bytes are not in a local file.
    public var descriptor: Int32? { nil }

    /// The whole content in memory, for small files.
    public func contents() async throws -> ByteBuffer {
        var contents = ByteBuffer()
        for try await var piece in stream(0..<bytes) { contents.writeBuffer(&piece) }
        return contents
    }
}
