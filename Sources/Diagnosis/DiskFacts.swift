/// A place that is written to, and its file system.
public struct DiskFacts: Sendable {
    /// What is kept there.
    public enum Purpose: String, Sendable {
        case data = "data directory"
        case spool = "spool"
        case media = "uploaded files"
        case database = "database"
        case archive = "archived days"
    }

    /// What for.
    public var purpose: Purpose
    /// The directory, or the next one above it that is there.
    public var path: String
    /// Of the file system; nil when it can't be asked.
    public var bytes: Int?
    /// Free for this user.
    public var bytesFree: Int?
    /// Files that can be made; nil where the file system has no such limit.
    public var filesFree: Int?
    /// Of the file system.
    public var files: Int?
    /// This user may write there.
    public var isWritable = true

    /// Nothing is known of it.
    public init(_ purpose: Purpose, path: String) {
        self.purpose = purpose
        self.path = path
    }
}
