import Glibc
public import OperatorErrors

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
        case .repeated(let line): "is in line \(line) too"
        }
    }
}

extension TableFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String { description }
    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_DATAERR }
}
