import Inspections
import NIOCore

/// Why a whole request creates nothing.
public enum JournalFailure: Error, Equatable, Sendable {
    /// The body is not valid `multipart/form-data`.
    case multipart(MultipartError)
    /// A field breaks a rule.
    case field(FieldFault)
    /// The request has more files than this.
    case filesTooMany(limit: Int)
    /// The kind needs a file, and the request has none.
    case fileMissing
    /// None of the files could be accepted; this is the first one's problem.
    case file(FileProblem)
    /// The request has more bytes to discard than allowed. Stop reading.
    case discardedTooMuch(bytesMax: Int)
    /// The store failed.
    case store(MediaStoreError)
    /// The files could not be inspected; they are not the cause.
    case inspection(InspectionFailure)
    /// The request took so long that the sweeper may have removed its first files.
    case expired
}
