/// What became of uploaded files' contents.
public struct FileCount: Sendable, Equatable, Codable {
    /// Contents that are gone.
    public var removed = 0
    /// How large they were.
    public var bytesRemoved = 0
    /// Contents that rows of other users name as well, and that stay for them.
    public var shared = 0
    /// Contents that are too new to be removed without risk to an upload of the same bytes: the
    /// server's sweep takes them.
    public var leftToSweep = 0

    /// Counts a content that no row names any more, or would.
    mutating func count(_ object: ErasedObject, isRemoved: Bool) {
        if isRemoved {
            removed += 1
            bytesRemoved += object.bytes
        } else {
            leftToSweep += 1
        }
    }
}
