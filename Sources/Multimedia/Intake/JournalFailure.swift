public import MediaStorage

/// Why a whole request creates nothing.
public enum JournalFailure: Error, Equatable, Sendable {
    /// The body is no readable form.
    case multipart(MultipartError)
    /// A field can't be taken.
    case field(FieldFault)
    /// More files than this.
    case filesTooMany(limit: Int)
    /// The kind is nothing without a file, and none came.
    case fileMissing
    /// Files came and none of them could be taken; this is the first.
    case file(FileProblem)
    /// More bytes that are of no use than anybody is allowed to send: stop reading.
    case discardedTooMuch(bytesMax: Int)
    /// The store failed.
    case store(MediaStoreError)
    /// The request took so long that the sweeper may have its first files.
    case expired
}
