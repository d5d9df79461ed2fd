/// A column of a kind's table, and of its tuples: a field, or two that share it.
///
/// A row of more than eight columns grows by 8 bytes as soon as one of them is null, so fields that
/// few readings have may share a column.
public struct ReadingColumn: Sendable {
    /// As in the table.
    public let name: String
    /// The fields in it: one of any rule, or several with ``ReadingField/Rule/share(bits:max:)``.
    public let fields: [ReadingField]

    /// The column as SQL, where its name may be a reserved word.
    public var quotedName: String { "\"\(name)\"" }

    /// It may be null.
    public var isOptional: Bool { fields.allSatisfy(\.isOptional) }

    /// The columns of fields, of which neighbours may name the same one.
    static func all(of fields: [ReadingField]) -> [ReadingColumn] {
        var columns: [ReadingColumn] = []
        for field in fields {
            if let last = columns.last, last.name == field.column {
                columns[columns.count - 1] = ReadingColumn(
                    name: last.name, fields: last.fields + [field])
            } else {
                columns.append(ReadingColumn(name: field.column, fields: [field]))
            }
        }
        return columns
    }
}
