/// A table for a terminal.
enum Columns {
    /// Prints rows below their heads, each column as wide as it must be.
    static func show(_ heads: [String], _ rows: [[String]]) {
        let widths = heads.indices.map { column in
            ([heads] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [heads] + rows {
            let cells = row.enumerated().map { column, cell in
                column == heads.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            print(cells.joined(separator: "  "))
        }
    }
}
