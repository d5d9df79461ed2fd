internal import Glibc

/// An operation on a ``Disk`` that failed.
public struct DiskError: Error, Equatable, Sendable {
    /// What was tried.
    public enum Operation: String, Sendable {
        case list, create, open, rename, remove, find, syncNames, freeBytes
        case byteCount, write, read, sync, truncate
    }

    /// What was tried.
    public let operation: Operation
    /// The file, or `.` for the directory.
    public let name: String
    /// Why it failed, as in `errno(3)`.
    public let errno: Int32

    /// The directory is no longer where it was opened.
    public var isLostDirectory: Bool {
        operation == .find && name == "." && [ENOENT, ENOTDIR, ESTALE].contains(errno)
    }

    /// - Parameter errno: as in `errno(3)`.
    public init(_ operation: Operation, _ name: String, errno: Int32) {
        self.operation = operation
        self.name = name
        self.errno = errno
    }
}
