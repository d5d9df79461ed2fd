/// One row. Cells are read by column name; a name that is not in the table's form is a bug.
public struct TableRow: Sendable {
    let form: TableForm
    let file: String
    /// The row's line in its file, from 1.
    public let line: Int
    let cells: [Substring]

    /// A cell's text without the spaces around it; empty if the row has no such cell.
    public func text(_ column: String) -> String {
        guard let place = form.columns.firstIndex(of: column) else {
            preconditionFailure("BUG: \(form.name) has no column \(column)")
        }
        guard place < cells.count else { return "" }
        var cell = cells[place]
        while cell.utf8.first == 0x20 { cell.removeFirst() }
        while cell.utf8.last == 0x20 { cell.removeLast() }
        return String(cell)
    }

    /// The text of a cell that must not be empty.
    public func neededText(_ column: String) throws(TableFault) -> String {
        let text = text(column)
        guard !text.isEmpty else { throw fault(column, .missing) }
        return text
    }

    /// The words of a cell, separated by spaces; `_` stands for a space inside a word.
    public func words(_ column: String) -> [String] {
        text(column).split(separator: " ").compactMap { word in
            let parts = word.split(separator: "_")
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// A cell's number; nil if the cell is empty.
    public func number(
        _ column: String, in range: ClosedRange<Double>
    ) throws(TableFault) -> Double? {
        let text = text(column)
        if text.isEmpty { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw fault(column, .notNumber(range))
        }
        return value
    }

    /// The number of a cell that must not be empty.
    public func neededNumber(
        _ column: String, in range: ClosedRange<Double>
    ) throws(TableFault) -> Double {
        guard let value = try number(column, in: range) else {
            throw fault(column, .notNumber(range))
        }
        return value
    }

    /// A cell's value out of a fixed set of words.
    public func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ column: String, of type: Value.Type = Value.self
    ) throws(TableFault) -> Value {
        guard let value = Value(rawValue: text(column)) else {
            throw fault(column, .notOneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// A fault at one cell of this row.
    public func fault(_ column: String, _ reason: TableFault.Reason) -> TableFault {
        TableFault(file: file, line: line, column: column, reason: reason)
    }
}
