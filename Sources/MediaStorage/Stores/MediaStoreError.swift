/// Why a store could not do what it was asked.
public enum MediaStoreError: Error, Equatable, Sendable {
    /// The disk, the quota or the bucket is full. Nothing of the upload was kept.
    case full
    /// A file operation failed, with `errno(3)`. Nothing of an upload was kept.
    case disk(operation: String, errno: Int32)
    /// The bucket's server refused, with its own error code (`NoSuchBucket`, `AccessDenied`).
    case refused(status: Int, code: String)
    /// The bucket's server did not answer as it should, however often it was asked.
    case unavailable(attempts: Int)
    /// An object that a row names is not in the store.
    case missing(ObjectName)
    /// The upload was aborted, or failed, before.
    case ended

    /// Whether the same call may succeed later without anybody's help.
    public var isTransient: Bool {
        switch self {
        case .unavailable: true
        case .full, .disk, .refused, .missing, .ended: false
        }
    }
}
