/// A file of an ``ArchiveStore`` that is being written. It appears whole when it is published. If it
/// is released before that, nothing of it stays.
protocol ArchiveDraft: AnyObject {
    func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError)

    /// Makes the file durable under its name. Nothing may be appended later.
    func publish() throws(ArchiveError)
}
