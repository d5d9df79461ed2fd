/// Why a store could not carry out a call.
public enum MediaStoreError: Error, Equatable, Sendable {
    /// The disk, the quota or the bucket is full. Nothing of the upload was kept.
    case full
    /// A file operation failed, with `errno(3)`. Nothing of an upload was kept.
    case disk(operation: String, errno: Int32)
    /// The bucket's server refused the request, with its own error code (`NoSuchBucket`,
    /// `AccessDenied`).
    case refused(status: Int, code: String)
    /// The bucket's server gave no usable answer in this many attempts.
    case unavailable(attempts: Int)
    /// The store has no such object, though a row names it.
    case missing(ObjectName)
    /// The upload was aborted or failed earlier, or the store is shut down.
    case ended
}
