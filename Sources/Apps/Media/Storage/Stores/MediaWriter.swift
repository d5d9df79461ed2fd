public import Inspections
public import NIOCore

/// One upload into a store. Used by one task at a time.
///
/// A writer that is dropped without `finish()` is aborted. If its process dies, the sweeper removes
/// the upload.
public protocol MediaWriter: AnyObject, Sendable {
    /// Bytes written so far.
    var bytes: Int { get }
    /// The file type, detected from the bytes written so far; nil until
    /// ``MediaType/contentBytesMax`` bytes are written or the upload is complete.
    var type: MediaType? { get }

    /// Writes a piece of the file. Returns when the operating system has it, so that a slow disk
    /// slows the caller down.
    ///
    /// - Throws: after an error the upload is aborted.
    func write(_ piece: ByteBuffer) async throws(MediaStoreError)

    /// Lends the complete file to `body`, after the last write and before `finish()`, to examine it
    /// as a whole and to change it. `body` runs on a thread that may block on the disk.
    ///
    /// - Throws: what `body` throws; ``MediaStoreError/ended`` after an abort or a failed write.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value

    /// Makes the file durable under its digest.
    ///
    /// - Throws: after an error nothing of the file is kept, except what the sweeper removes.
    func finish() async throws(MediaStoreError) -> StoredObject

    /// Drops the upload. May be called at any time and more than once.
    func abort() async
}

extension MediaWriter {
    /// Writes a copy of the piece.
    public func write(_ piece: RawSpan) async throws(MediaStoreError) {
        try await write(piece.withUnsafeBytes { ByteBuffer(bytes: $0) })
    }
}
