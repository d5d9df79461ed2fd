/// Reads comma-separated values in chunks of any size and gives out rows. Only the current row is
/// kept.
///
/// Quoted fields may contain commas, line breaks and doubled quotes. Lines end in LF or CRLF. A
/// byte order mark at the start is skipped. The bytes and the fields of a row are limited.
///
/// - Source: RFC 4180.
struct CSVReader {
    /// Bytes in one row.
    static let rowBytesMax = 256 * 1024
    /// Fields in one row.
    static let fieldsMax = 256

    private enum State {
        case fieldStart
        case plain
        case quoted
        /// After a quote in a quoted field: it is the end of the field or the first of a doubled
        /// quote.
        case quote
    }

    private var state = State.fieldStart
    private var row = CSVRow()
    private var markBytes = 0
    /// The number of rows given out, including the header.
    private(set) var rows = 0

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads a chunk and gives out every row that ends in it.
    ///
    /// - Throws: `FoodImportFault.malformed`, and what `take` throws.
    mutating func feed(
        _ chunk: some Sequence<UInt8>, _ take: (CSVRow) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        for byte in chunk {
            if markBytes < 3 {
                if rows == 0, row.isEmpty, byte == Self.mark[markBytes] {
                    markBytes += 1
                    continue
                }
                markBytes = 3
            }
            try step(byte, take)
        }
    }

    /// Gives out the last row if no line break ends it.
    mutating func finish(
        _ take: (CSVRow) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        guard state != .quoted else { throw .malformed(row: rows + 1) }
        if !row.isEmpty || state != .fieldStart { try end(take) }
    }

    private mutating func step(
        _ byte: UInt8, _ take: (CSVRow) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")):
            state = .quote
        case (.quoted, _):
            row.bytes.append(byte)
        case (.quote, UInt8(ascii: "\"")):
            row.bytes.append(byte)
            state = .quoted
        case (.fieldStart, UInt8(ascii: "\"")):
            state = .quoted
        case (_, UInt8(ascii: ",")):
            row.endField()
            state = .fieldStart
        case (_, UInt8(ascii: "\n")):
            try end(take)
        case (_, UInt8(ascii: "\r")):
            break
        case (.quote, _):
            throw .malformed(row: rows + 1)
        default:
            row.bytes.append(byte)
            state = .plain
        }
        if row.bytes.count > Self.rowBytesMax || row.ends.count > Self.fieldsMax {
            throw .malformed(row: rows + 1)
        }
    }

    private mutating func end(
        _ take: (CSVRow) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        let isBlank = row.isEmpty && state == .fieldStart
        row.endField()
        state = .fieldStart
        if !isBlank {
            rows += 1
            try take(row)
        }
        row.clear()
    }
}
