/// A column that must have a value, in a table or partition.
public struct RequiredColumn: Equatable, Sendable {
    /// Without its schema.
    public let table: String
    /// As in the catalog, without quotes.
    public let column: String

    /// For the connection itself, and for tests.
    public init(table: String, column: String) {
        self.table = table
        self.column = column
    }
}
