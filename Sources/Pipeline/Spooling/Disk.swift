public import Files
internal import Glibc

/// The directory of a spool: one flat set of names.
///
/// A parameter of the spool, so that a simulation can tear writes and lose unsynced data. The
/// rules:
/// - A file's bytes are durable once ``DiskFile/sync()`` has returned, a name (made, renamed or
///   removed) once ``syncNames()`` has. Until then a crash may keep any part of the bytes, and any
///   first part of the changes of names.
/// - An operation that throws may have happened in part or completely.
public protocol Disk: AnyObject {
    /// An open file.
    associatedtype File: DiskFile

    /// All names in the directory, in any order, including files that are not the spool's.
    func names() throws(DiskError) -> [String]

    /// Makes a file of `bytes` bytes. Its space is allocated, and it reads as zeros.
    ///
    /// - Throws: with `EEXIST` when the name is taken. A half-made file may be left.
    func create(_ name: String, bytes: Int) throws(DiskError) -> File

    /// Opens a file to read and write it.
    func open(_ name: String) throws(DiskError) -> File

    /// Renames a file to a name that no file has. Needs no space.
    func rename(_ name: String, to other: String) throws(DiskError)

    /// Removes a file and frees its space.
    func remove(_ name: String) throws(DiskError)

    /// Checks that the directory is still where it was opened.
    ///
    /// - Throws: when its path leads nowhere (`ENOENT`) or elsewhere (`ESTALE`).
    func checkPath() throws(DiskError)

    /// Checks that a file has this name.
    ///
    /// - Throws: when no file (`ENOENT`) or another file (`ESTALE`) has it.
    func checkName(_ name: String, of file: File) throws(DiskError)

    /// Makes all changes of names durable.
    func syncNames() throws(DiskError)

    /// Free bytes on the file system.
    func freeBytes() throws(DiskError) -> Int
}

/// An open file of a ``Disk``; the bytes of a segment.
public protocol DiskFile: AnyObject {
    /// The size of the file.
    func byteCount() throws(DiskError) -> Int

    /// Writes all of `bytes`. If it throws, any part of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)

    /// Reads until `bytes` is full or the file ends; returns how many bytes it read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// Makes all written bytes durable. After an error the state of all bytes since the last
    /// successful sync is unknown, and a retry that succeeds proves nothing.
    func sync() throws(DiskError)

    /// Cuts the file to its first `bytes` and frees the rest of its space. Those bytes never change
    /// by it; until the next ``sync()`` a crash may undo the cut.
    func truncate(to bytes: Int) throws(DiskError)

    /// Closes the file; it must not be used again.
    func close()
}

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
