public import NIOCore

/// One upload on its way into a store. Used by one task at a time.
///
/// One that is dropped without `finish()` is aborted; so is one whose process dies, by the sweeper.
public protocol MediaWriter: AnyObject, Sendable {
    /// Bytes that were written.
    var bytes: Int { get }
    /// What the bytes so far are; nil until ``MediaType/contentBytesMax`` of them were written,
    /// unless `finish()` was called.
    var type: MediaType? { get }

    /// Takes a piece of the file. Returns when the operating system has it: a slow disk makes the
    /// caller wait.
    ///
    /// - Throws: the upload is aborted then.
    func write(_ piece: ByteBuffer) async throws(MediaStoreError)

    /// Lends the file to `body` when its last piece was written and before `finish()`: to look at it
    /// as a whole, and to alter it. `body` runs on a thread that may wait for the disk.
    ///
    /// - Throws: what `body` or an earlier write throws; `.ended` after an abort.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value

    /// Makes the file durable under its digest.
    ///
    /// - Throws: then nothing of it was kept, except what the sweeper removes.
    func finish() async throws(MediaStoreError) -> StoredObject

    /// Forgets the upload. May be called at any time, twice too.
    func abort() async
}

extension MediaWriter {
    /// Takes a copy of the piece.
    public func write(_ piece: RawSpan) async throws(MediaStoreError) {
        try await write(piece.withUnsafeBytes { ByteBuffer(bytes: $0) })
    }
}
