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
