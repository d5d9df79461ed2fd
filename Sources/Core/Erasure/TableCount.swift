/// The rows found or removed in one table.
public struct TableCount: Sendable, Equatable, Codable {
    /// With the schema's name.
    public let table: String
    /// Number of rows.
    public var rows = 0
    /// Their size in memory, about the same as on disk without indexes.
    public var bytes = 0

    init(_ table: String) { self.table = table }
}
