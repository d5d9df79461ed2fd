/// One upload on its way into a store. Used by one task at a time.
///
/// One that is dropped without `finish()` is aborted; so is one whose process dies, by the sweeper.
public protocol MediaWriter: AnyObject, Sendable {
    /// Bytes that were written.
    var bytes: Int { get }
    /// What the bytes so far are; nil until ``MediaType/contentBytesMax`` of them were written,
    /// unless `finish()` was called.
    var type: MediaType? { get }

    /// Takes a piece of the file. Returns when it is copied, at most
    /// ``MediaStorage/uploadBytesMax`` ahead of the disk: a slow disk makes the caller wait.
    ///
    /// - Throws: what became of earlier pieces; the upload is aborted then.
    func write(_ piece: RawSpan) async throws(MediaStoreError)

    /// Makes the file durable under its digest.
    ///
    /// - Throws: then nothing of it was kept, except what the sweeper removes.
    func finish() async throws(MediaStoreError) -> StoredObject

    /// Forgets the upload. May be called at any time, twice too.
    func abort() async
}
