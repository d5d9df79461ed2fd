import Glibc

/// A failed file operation.
public struct FileFailure: FileError {
    /// What was tried; the raw value is the name of the system call.
    public enum Operation: String, Sendable {
        case open, create, read, write, truncate, rename
        case status = "stat"
        case sync = "fsync"
        case lock = "flock"
        case list = "readdir"
    }

    /// What was tried.
    public let operation: Operation
    /// The file.
    public let path: String
    /// Why it failed, as in `errno(3)`.
    public let errno: Int32

    init(_ operation: Operation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The failure itself, for callers that have no error of their own.
    public init(_ failure: FileFailure) { self = failure }
}
