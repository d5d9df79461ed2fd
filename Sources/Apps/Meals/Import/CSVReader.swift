/// Comma-separated values in chunks of any size: rows out, nothing kept but the row under way.
///
/// Quoted fields may hold commas, line breaks and doubled quotes; lines end in LF or CRLF; a byte
/// order mark at the start is passed over. A row is bounded in bytes and fields.
///
/// - Source: RFC 4180.
struct CSVReader {
    /// Of one row.
    static let rowBytesMax = 256 * 1024
    /// Of one row.
    static let fieldsMax = 256

    private enum State {
        case fieldStart
        case plain
        case quoted
        /// A quote inside of a quoted field: its end, or half of a quote.
        case quote
    }

    private var state = State.fieldStart
    private var row = CSVRow()
    private var markBytes = 0
    /// Rows given out, the header included.
    private(set) var rows = 0

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Gives out every row that ends in the chunk.
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

    /// Gives out a last row without a line break.
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

/// The fields of one row, unquoted, in one buffer.
struct CSVRow {
    var bytes: [UInt8] = []
    /// Where each field ends in `bytes`.
    private(set) var ends: [Int] = []

    var count: Int {
        ends.count
    }

    var isEmpty: Bool {
        ends.isEmpty && bytes.isEmpty
    }

    mutating func endField() {
        ends.append(bytes.count)
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    private func field(_ column: Int?) -> ArraySlice<UInt8> {
        guard let column, column < ends.count else { return [] }
        return bytes[(column == 0 ? 0 : ends[column - 1])..<ends[column]]
    }

    /// Empty where the row has no such column.
    func text(_ column: Int?) -> String {
        String(decoding: field(column), as: UTF8.self)
    }

    /// Nil where there are other characters than digits, or too many.
    func integer(_ column: Int?) -> Int64? {
        let digits = field(column)
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// Nil where there is no finite number.
    func number(_ column: Int?) -> Double? {
        Double(text(column)).flatMap { $0.isFinite ? $0 : nil }
    }
}
