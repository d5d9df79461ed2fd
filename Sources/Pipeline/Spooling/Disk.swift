internal import Glibc

/// The directory of a spool: one flat set of names.
///
/// A parameter of the spool, so that a simulation can tear writes and lose what was not synced.
/// What is promised by whom:
/// - A file's bytes are durable once its ``DiskFile/sync()`` came back, a name (made, renamed or
///   removed) once ``syncNames()`` did. Until then a crash may keep any part of the bytes, and
///   any first part of the changes of names.
/// - An operation that throws may have happened, in part or whole.
public protocol Disk: AnyObject {
    /// An open file.
    associatedtype File: DiskFile

    /// All names in the directory, in any order; those that are not the spool's too.
    func names() throws(DiskError) -> [String]

    /// Makes a file of `bytes` bytes whose space is set aside and that reads as zeros.
    ///
    /// - Throws: with `EEXIST` when there is one of that name. A half-made file may be left.
    func create(_ name: String, bytes: Int) throws(DiskError) -> File

    /// Opens a file to read and write it.
    func open(_ name: String) throws(DiskError) -> File

    /// Gives a file another name, one that no file has. Needs no space.
    func rename(_ name: String, to other: String) throws(DiskError)

    /// Removes a file and gives its space back.
    func remove(_ name: String) throws(DiskError)

    /// Makes sure that the directory is where it was when it was opened.
    ///
    /// - Throws: when its path leads nowhere (`ENOENT`) or elsewhere (`ESTALE`).
    func checkPath() throws(DiskError)

    /// Makes sure that a file has this name.
    ///
    /// - Throws: when no file (`ENOENT`) or another one (`ESTALE`) has.
    func checkName(_ name: String, of file: File) throws(DiskError)

    /// Makes all changes of names durable.
    func syncNames() throws(DiskError)

    /// Bytes that may still be taken on the file system.
    func freeBytes() throws(DiskError) -> Int
}

/// An open file of a ``Disk``; the bytes of a segment.
public protocol DiskFile: AnyObject {
    /// The size of the file.
    func byteCount() throws(DiskError) -> Int

    /// Writes all of `bytes`, or throws and may have written any part of them.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)

    /// Reads until `bytes` is full or the file ends; returns how many bytes it read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// Makes all that was written durable. After an error nothing is known of what was written
    /// since the last success, and a second try that succeeds proves nothing.
    func sync() throws(DiskError)

    /// Cuts the file off behind its first `bytes` and gives the space back. What stands in front of
    /// that stays as it is whatever happens; until the next ``sync()`` a crash may undo the cut.
    func truncate(to bytes: Int) throws(DiskError)

    /// Gives the file up; it is not used again.
    func close()
}

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
