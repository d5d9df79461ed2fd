/// Counts the rows of an archive file, whose text comes in pieces of any size.
///
/// COPY's text form uses the line feed only at the end of a row. In CSV it may also be part of a
/// quoted text, and the header is no row.
struct RowCounter {
    private let isCSV: Bool
    private var lines = 0
    private var isQuoted = false

    init(_ form: ArchiveForm) {
        isCSV = form.isCSV
    }

    var rows: Int { isCSV ? max(lines - 1, 0) : lines }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard isCSV else {
            for byte in bytes where byte == 0x0A { lines += 1 }
            return
        }
        // A quote within a quoted text is doubled, which changes nothing here.
        for byte in bytes {
            if byte == 0x22 {
                isQuoted.toggle()
            } else if byte == 0x0A, !isQuoted {
                lines += 1
            }
        }
    }
}
