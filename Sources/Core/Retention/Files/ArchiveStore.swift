/// Where archive files are: names, and bytes that a crash does not take away. ``Archive`` decides
/// what the names mean.
///
/// All calls block.
protocol ArchiveStore: Sendable {
    /// What `sluice.archive` and messages call it: a directory's path, or a bucket's URL.
    var location: String { get }

    /// Whether this location names the same files on every node.
    var isShared: Bool { get }

    /// Requires that the store is there.
    func demand() throws(ArchiveError)

    /// Keeps other installations away, at least until the result is released.
    ///
    /// - Parameter owner: says which database this installation has.
    /// - Throws: ``ArchiveError/busy``, ``ArchiveError/owned(location:mark:)``.
    func claim(for owner: () throws -> String) throws -> AnyObject?

    /// What messages call a file.
    func path(of name: String) -> String

    /// The names that begin so, in no order.
    func names(prefix: String) throws(ArchiveError) -> [String]

    /// Whether a file exists. What can't be looked at may exist.
    func exists(_ name: String) throws(ArchiveError) -> Bool

    /// A small file in memory, of which one byte more than the limit is enough.
    ///
    /// - Returns: nil: it does not exist.
    func contents(of name: String, bytesMax: Int) throws(ArchiveError) -> [UInt8]?

    /// Passes a file to `body` in pieces of up to some mebibytes.
    ///
    /// - Throws: ``ArchiveError/damaged(path:_:)`` if the file does not exist.
    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws

    /// Begins a file. One of that name may be removed at once, or be replaced when the new one is
    /// published.
    func begin(_ name: String) throws(ArchiveError) -> any ArchiveDraft

    /// Removes a file, durably; it need not exist.
    func remove(_ name: String) throws(ArchiveError)

    /// Size and free bytes of the file system; nil: there is none, or it can't be queried.
    func space() -> (bytes: Int, free: Int)?
}
