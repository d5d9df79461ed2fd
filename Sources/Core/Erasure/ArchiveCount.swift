/// What was done with the files of archived days.
public struct ArchiveCount: Sendable, Equatable, Codable {
    /// Files that held rows of the user's devices and were rewritten.
    public var filesRewritten = 0
    /// Rows removed from these files.
    public var rowsRemoved = 0
    /// Files that could not be read or written, and copies of days in other schemas that refused,
    /// with the reason. They may still hold readings.
    public var failures: [String] = []

    /// No files and no rows.
    public init() {}
}
