/// What was done with the contents of uploaded files.
public struct FileCount: Sendable, Equatable, Codable {
    /// Number of removed contents.
    public var removed = 0
    /// Their total size.
    public var bytesRemoved = 0
    /// Contents that rows of other users name as well; they stay.
    public var shared = 0
    /// Contents that are still stored: too new to be removed without risk to an upload of the same
    /// bytes, or the store failed. No row names them any more; the server's sweep removes them later.
    public var leftToSweep = 0

    /// Counts a content that no row names any more; in a dry run, that no row would name.
    mutating func count(_ object: ErasedObject, isRemoved: Bool) {
        if isRemoved {
            removed += 1
            bytesRemoved += object.bytes
        } else {
            leftToSweep += 1
        }
    }
}
