/// Text tables of words and foods: the built-in ones in the binary, and those that an operator
/// writes.
///
/// ```
/// sluice units 1 extends
/// # A line that begins with # is a comment.
/// unit	millilitres	grams	use	like	also
/// cup	240
/// ```
/// The first line names the table and the version of its columns. In an operator's file it also
/// says whether the rows are added to the built-in ones (`extends`) or replace them (`replaces`,
/// which is the default, so that an edited copy of a built-in table takes its place). The next line
/// names all columns. Cells are separated by one tab; cells missing at the end of a row are empty.
/// Blank lines and comments may appear anywhere after the first line.
///
/// UTF-8, with or without a byte order mark; lines end in LF or CRLF. A file has at most
/// ``bytesMax`` bytes.
public struct TextTable: Sendable {
    /// The size limit of one file.
    public static let bytesMax = 16 << 20

    /// Whether the rows are added to the built-in ones; otherwise they replace them.
    public let extends: Bool
    /// The rows, in the order of the file.
    public let rows: [TableRow]

    /// Parses a whole file. Linear in its bytes.
    ///
    /// - Parameter file: the name of the file in faults.
    public init(_ bytes: [UInt8], of form: TableForm, file: String) throws(TableFault) {
        func fault(_ line: Int, _ reason: TableFault.Reason) -> TableFault {
            TableFault(file: file, line: line, column: nil, reason: reason)
        }
        guard bytes.count <= Self.bytesMax else { throw fault(1, .tooLarge) }
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let text = String(validating: bytes.dropFirst(isMarked ? 3 : 0), as: UTF8.self) else {
            throw fault(1, .notText)
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }
        let title = form.title
        // Spreadsheets pad rows with tabs.
        switch lines[0].split(separator: "\t").first ?? "" {
        case title[...], "\(title) replaces": extends = false
        case "\(title) extends": extends = true
        default: throw fault(1, .otherTitle(expected: title))
        }
        var rows: [TableRow] = []
        var hasHeader = false
        for (place, line) in lines.enumerated().dropFirst()
        where !line.hasPrefix("#") && !line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            if !hasHeader {
                guard cells.elementsEqual(form.columns, by: { $0 == $1 }) else {
                    throw fault(place + 1, .otherColumns(expected: form.columns))
                }
                hasHeader = true
                continue
            }
            guard cells.count <= form.columns.count else {
                throw fault(place + 1, .tooManyCells(max: form.columns.count))
            }
            rows.append(TableRow(form: form, file: file, line: place + 1, cells: cells))
        }
        guard hasHeader else { throw fault(lines.count, .otherColumns(expected: form.columns)) }
        self.rows = rows
    }
}

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

/// A fault in a table, with its place.
public struct TableFault: Error, Equatable, Sendable {
    /// The rule that is broken.
    public enum Reason: Equatable, Sendable {
        /// The file can't be read.
        case unreadable
        /// The file is larger than ``TextTable/bytesMax``.
        case tooLarge
        /// The file is not UTF-8.
        case notText
        /// No table has this name.
        case unknownTable([String])
        /// The first line does not name this table and version.
        case otherTitle(expected: String)
        /// The header line is missing or does not name exactly these columns.
        case otherColumns(expected: [String])
        /// The row has more cells than the table has columns.
        case tooManyCells(max: Int)
        /// The cell is empty.
        case missing
        /// The cell is not a number in this range.
        case notNumber(ClosedRange<Double>)
        /// The cell is not one of these words.
        case notOneOf([String])
        /// The cell breaks this rule, which the text describes.
        case notLike(String)
        /// An earlier row has the same value.
        case repeated(line: Int)
    }

    /// The file's path, or the name that the caller gave.
    public let file: String
    /// The line, from 1. It is 0 if the file can't be read or its name is unknown. It is 1 if the
    /// file is too large or not UTF-8.
    public let line: Int
    /// The column; nil if the fault concerns the whole line.
    public let column: String?
    /// The broken rule.
    public let reason: Reason

    /// Stores the values without checks.
    public init(file: String, line: Int = 0, column: String? = nil, reason: Reason) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }
}

extension TableFault: CustomStringConvertible {
    /// The message for the operator who wrote the file: file, line, column, and what is expected
    /// there.
    public var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        return "\(place): " + (column.map { "\($0): " } ?? "") + rule
    }

    private var rule: String {
        switch reason {
        case .unreadable: "can't be read"
        case .tooLarge: "must have at most \(TextTable.bytesMax >> 20) MiB"
        case .notText: "must be UTF-8"
        case .unknownTable(let names):
            "is the name of no table; there are \(names.joined(separator: ", "))"
        case .otherTitle(let expected):
            "must be \"\(expected)\", which \"extends\" or \"replaces\" may follow"
        case .otherColumns(let expected):
            "must name the columns, with a tab between them: \(expected.joined(separator: " "))"
        case .tooManyCells(let max): "must have at most \(max) cells"
        case .missing: "must not be empty"
        case .notNumber(let range):
            "must be a number from \(range.lowerBound) to \(range.upperBound)"
        case .notOneOf(let words): "must be one of: \(words.joined(separator: ", "))"
        case .notLike(let rule): "must be \(rule)"
        case .repeated(let line): "stands in line \(line) too"
        }
    }
}
