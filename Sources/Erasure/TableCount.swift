/// What was found, or removed, in one table.
public struct TableCount: Sendable, Equatable, Codable {
    /// With its schema.
    public let table: String
    /// How many rows.
    public var rows = 0
    /// Their size in memory, which is about what they take on disk without indexes.
    public var bytes = 0

    init(_ table: String) { self.table = table }
}
