/// Reads CSV (RFC 4180), at any split of its bytes.
///
/// The cells of the first row are separated by the first of comma, semicolon and tab that occurs in
/// it outside quotes; so are those of all others. Rows end with LF or CR LF; blank lines are skipped.
struct CSVReader {
    private enum State { case cellStart, plain, quoted, quoteInQuoted }

    private var state = State.cellStart
    private var isQuoted = false
    private var separator: UInt8?
    private var row = CSVRow()
    private var line = 1
    private var isReturn = false

    /// Calls `body` with each row.
    mutating func take(
        _ piece: UnsafeRawBufferPointer, fault: (Int, ImportFault.Reason) -> ImportFault,
        _ body: (CSVRow) throws -> Void
    ) throws {
        for byte in piece {
            if byte == 0x0A { line += 1 }
            switch state {
            case .quoted:
                if byte == 0x22 { state = .quoteInQuoted } else { row.append(byte) }
            case .quoteInQuoted where byte == 0x22:
                row.append(byte)
                state = .quoted
            case .cellStart where byte == 0x22:
                isQuoted = true
                state = .quoted
            case .cellStart, .plain, .quoteInQuoted:
                try outside(byte, fault, body)
            }
            guard row.byteCount <= Imports.lineBytesMax, row.count <= Imports.columnsMax else {
                throw fault(row.line, .tooLong(max: Imports.lineBytesMax))
            }
        }
    }

    private mutating func outside(
        _ byte: UInt8, _ fault: (Int, ImportFault.Reason) -> ImportFault,
        _ body: (CSVRow) throws -> Void
    ) throws {
        if isReturn, byte != 0x0A {
            isReturn = false
            row.append(0x0D)
        }
        if byte == 0x0A {
            try endRow(body)
        } else if byte == 0x0D {
            isReturn = true
        } else if isSeparator(byte) {
            endCell()
        } else {
            guard state != .quoteInQuoted else { throw fault(row.line, .afterQuote) }
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

    private mutating func endRow(_ body: (CSVRow) throws -> Void) throws {
        isReturn = false
        endCell()
        if !row.isBlank { try body(row) }
        row.clear(line: line)
    }

    /// The last row need not have an end.
    mutating func finish(
        fault: (Int, ImportFault.Reason) -> ImportFault, _ body: (CSVRow) throws -> Void
    ) throws {
        guard state != .quoted else { throw fault(row.line, .truncated) }
        guard state != .cellStart || row.count > 0 else { return }
        try endRow(body)
    }
}
