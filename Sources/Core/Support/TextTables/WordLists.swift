import Synchronization

/// Words grouped by list. Reads the columns `list` and `words` of a table.
public struct WordLists<List: RawRepresentable<String> & CaseIterable & Hashable & Sendable>:
    Sendable
{
    private var lists: [List: Set<String>] = [:]

    /// - Parameter rows: the rows of a table with these columns; `list` must be a case of `List`.
    public init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let list: List = try row.choice("list")
            lists[list, default: []].formUnion(row.words("words"))
        }
    }

    /// The words of a list; empty if the table has none.
    public subscript(list: List) -> Set<String> { lists[list] ?? [] }
}
