/// A table's name, version and columns.
public struct TableForm: Sendable, Equatable {
    /// One word, which also names its file: `units`.
    public let name: String
    /// Incremented when the columns or their meaning change.
    public let version: Int
    /// The names of the columns, in the order of the file.
    public let columns: [String]

    /// Stores the values without checks.
    public init(_ name: String, version: Int, columns: [String]) {
        self.name = name
        self.version = version
        self.columns = columns
    }

    /// The first line of its file.
    public var title: String { "sluice \(name) \(version)" }
}
