public import Files
internal import Glibc

/// A failed operation on a ``Disk``.
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

extension DiskError: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        let operation: Operation =
            switch failure.operation {
            case .lock: .open
            case .status: .byteCount
            default: Operation(rawValue: "\(failure.operation)") ?? .find
            }
        self.init(operation, failure.path, errno: failure.errno)
    }
}
