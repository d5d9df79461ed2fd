/// Tables of words and foods as text: the built-in ones in the binary, and those that an operator
/// writes.
///
/// ```
/// sluice units 1 extends
/// # A line that begins with # is a comment.
/// unit	millilitres	grams
/// cup	240
/// ```
/// The first line names the table and the version of its columns. In an operator's file it also
/// says whether the rows are added to the built-in ones (`extends`) or replace them (`replaces`,
/// which is the default, so that an edited copy of a built-in table takes its place). The next
/// line names the columns. Cells are separated by one tab; cells missing at the end of a row are
/// empty. Blank lines and comments may appear anywhere after the first line.
///
/// UTF-8, with or without a byte order mark; lines end in LF or CRLF. A file has at most
/// ``bytesMax`` bytes.
public struct TextTable: Sendable {
    /// The size limit of one file.
    public static let bytesMax = 16 << 20

    /// Whether the rows are added to the built-in ones; otherwise they replace them.
    public let extends: Bool
    /// In the order of the file.
    public let rows: [TableRow]

    /// Parses a whole file. Linear in its bytes.
    ///
    /// - Parameter file: its name in faults.
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

/// What a table is called and which columns it has.
public struct TableForm: Sendable, Equatable {
    /// One word, also the name of its file: `units`.
    public let name: String
    /// Rises when the columns or their meaning change.
    public let version: Int
    /// In the order of the file.
    public let columns: [String]

    /// Takes all of it as it is.
    public init(_ name: String, version: Int, columns: [String]) {
        self.name = name
        self.version = version
        self.columns = columns
    }

    /// The first line of its file.
    public var title: String { "sluice \(name) \(version)" }
}

/// One row. Columns are named; a name that the table's form lacks is a bug.
public struct TableRow: Sendable {
    let form: TableForm
    let file: String
    /// Counted from 1 in its file.
    public let line: Int
    let cells: [Substring]

    /// Without white space around it; empty where the row has no such cell.
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

    /// Must not be empty.
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

    /// Nil where the cell is empty.
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

    /// Must not be empty.
    public func neededNumber(
        _ column: String, in range: ClosedRange<Double>
    ) throws(TableFault) -> Double {
        guard let value = try number(column, in: range) else {
            throw fault(column, .notNumber(range))
        }
        return value
    }

    /// One of a few words.
    public func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ column: String, of type: Value.Type = Value.self
    ) throws(TableFault) -> Value {
        guard let value = Value(rawValue: text(column)) else {
            throw fault(column, .notOneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// What is wrong with a cell.
    public func fault(_ column: String, _ reason: TableFault.Reason) -> TableFault {
        TableFault(file: file, line: line, column: column, reason: reason)
    }
}

/// What is wrong with a table, and where.
public struct TableFault: Error, Equatable, Sendable {
    /// What it is.
    public enum Reason: Equatable, Sendable {
        /// The file can't be read.
        case unreadable
        /// More than ``TextTable/bytesMax``.
        case tooLarge
        /// Not UTF-8.
        case notText
        /// No table has this name.
        case unknownTable([String])
        /// The first line does not name this table and version.
        case otherTitle(expected: String)
        /// The second line does not name these columns.
        case otherColumns(expected: [String])
        /// More cells than columns.
        case tooManyCells(max: Int)
        /// An empty cell.
        case missing
        /// Not a number of this range.
        case notNumber(ClosedRange<Double>)
        /// Not one of the allowed words.
        case notOneOf([String])
        /// Not what the cell may hold.
        case notLike(String)
        /// An earlier row has the same value.
        case repeated(line: Int)
    }

    /// Its path, or the name that the caller gave.
    public let file: String
    /// Counted from 1; 0 when the fault concerns the whole file.
    public let line: Int
    /// Nil when the fault concerns the whole line.
    public let column: String?
    /// What.
    public let reason: Reason

    /// Takes all of it as it is.
    public init(file: String, line: Int = 0, column: String? = nil, reason: Reason) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }
}

extension TableFault: CustomStringConvertible {
    /// For the operator who wrote the file: file, line, column, and what must stand there.
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
