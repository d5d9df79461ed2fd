/// What became of files of archived days.
public struct ArchiveCount: Sendable, Equatable, Codable {
    /// Files that held rows of the user's devices and were written anew.
    public var filesRewritten = 0
    /// Such rows.
    public var rowsRemoved = 0
    /// Files that could not be read or written, and copies of days in other schemas that refused,
    /// and why: they may hold readings still.
    public var failures: [String] = []

    /// Nothing.
    public init() {}
}
