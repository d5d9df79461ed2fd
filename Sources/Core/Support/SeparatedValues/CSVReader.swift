/// Reads CSV (RFC 4180), at any split of its bytes. Only the current row is kept.
///
/// The cells of the first row are separated by the first of comma, semicolon and tab that occurs in
/// it outside quotes; so are those of all others. Quoted cells may contain separators, line breaks
/// and doubled quotes. Rows end with LF or CR LF; blank lines are skipped, and a byte order mark at
/// the start.
public struct CSVReader {
    /// Bytes of a row.
    public static let rowBytesMax = 1 << 20
    /// Cells of a row.
    public static let cellsMax = 256

    private enum State { case cellStart, plain, quoted, quoteInQuoted }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var state = State.cellStart
    private var isQuoted = false
    private var separator: UInt8?
    private var row = CSVRow()
    private var line = 1
    private var isReturn = false
    /// How much of a byte order mark was read; nil: the start is over.
    private var markBytes: Int? = 0

    /// Where the row at hand, or the next one, begins, from 1.
    public var rowLine: Int { row.line }

    /// A reader at the start of a file.
    public init() {}

    /// Calls `body` with each row that ends in the piece.
    ///
    /// - Parameters:
    ///   - fault: makes the error to throw.
    ///   - body: the row is valid until it returns.
    public mutating func take<Failure: Error>(
        _ piece: UnsafeRawBufferPointer, fault: (CSVFault) -> Failure,
        _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        for byte in piece {
            if let count = markBytes {
                if byte == Self.mark[count] {
                    markBytes = count == 2 ? nil : count + 1
                    continue
                }
                try endMark(count, fault, body)
            }
            try step(byte, fault, body)
        }
    }

    /// The last row need not have an end.
    public mutating func finish<Failure: Error>(
        fault: (CSVFault) -> Failure, _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        if let count = markBytes { try endMark(count, fault, body) }
        guard state != .quoted else { throw fault(self.fault(.truncated)) }
        guard state != .cellStart || row.count > 0 else { return }
        try endRow(body)
    }

    /// The first bytes are no mark.
    private mutating func endMark<Failure: Error>(
        _ count: Int, _ fault: (CSVFault) -> Failure, _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        markBytes = nil
        for byte in Self.mark[..<count] { try step(byte, fault, body) }
    }

    private mutating func step<Failure: Error>(
        _ byte: UInt8, _ fault: (CSVFault) -> Failure, _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        if byte == 0x0A { line += 1 }
        switch state {
        case .quoted:
            if byte == 0x22 { state = .quoteInQuoted } else { row.append(byte) }
        case .quoteInQuoted where byte == 0x22 && !isReturn:
            row.append(byte)
            state = .quoted
        case .cellStart where byte == 0x22 && !isReturn:
            isQuoted = true
            state = .quoted
        case .cellStart, .plain, .quoteInQuoted:
            try outside(byte, fault, body)
        }
        guard row.byteCount <= Self.rowBytesMax else {
            throw fault(self.fault(.tooLong(bytesMax: Self.rowBytesMax)))
        }
        guard row.count <= Self.cellsMax else {
            throw fault(self.fault(.tooManyCells(max: Self.cellsMax)))
        }
    }

    private mutating func outside<Failure: Error>(
        _ byte: UInt8, _ fault: (CSVFault) -> Failure, _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        if isReturn, byte != 0x0A {
            guard state != .quoteInQuoted else { throw fault(self.fault(.afterQuote)) }
            isReturn = false
            row.append(0x0D)
            state = .plain
        }
        if byte == 0x0A {
            try endRow(body)
        } else if byte == 0x0D {
            isReturn = true
        } else if isSeparator(byte) {
            endCell()
        } else {
            guard state != .quoteInQuoted else { throw fault(self.fault(.afterQuote)) }
            row.append(byte)
            state = .plain
        }
    }

    private mutating func isSeparator(_ byte: UInt8) -> Bool {
        if let separator { return byte == separator }
        guard [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains(byte) else { return false }
        separator = byte
        return true
    }

    private mutating func endCell() {
        row.endCell(quoted: isQuoted)
        isQuoted = false
        state = .cellStart
    }

    private mutating func endRow<Failure: Error>(
        _ body: (CSVRow) throws(Failure) -> Void
    ) throws(Failure) {
        isReturn = false
        endCell()
        if !row.isBlank { try body(row) }
        row.clear(line: line)
    }

    private func fault(_ reason: CSVFault.Reason) -> CSVFault {
        CSVFault(line: row.line, reason: reason)
    }
}
