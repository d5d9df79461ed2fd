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
