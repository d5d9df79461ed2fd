import Files
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
