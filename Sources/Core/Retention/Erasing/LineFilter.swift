import Postgres

/// Removes the rows of some devices: those that begin with one of their keys.
///
/// In COPY's text form a tab follows the key, in CSV a comma, and a row of CSV may have line feeds
/// in a quoted text. Accepts rows that are cut anywhere, and holds back the key of a row until it
/// is complete. The header of CSV stays.
struct LineFilter {
    private let keys: Set<Int64>
    private let isCSV: Bool
    /// The beginning of the current line, while its key may be incomplete.
    private var head: [UInt8] = []
    private var isDropping = false
    private var isInHead = true
    private var isQuoted = false
    private(set) var dropped = 0

    init(keys: Set<Int64>, _ form: ArchiveForm) {
        self.keys = keys
        isCSV = form.isCSV
    }

    /// - Parameter write: called with the lines that stay, in order; must not keep the bytes.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        /// The first byte that is still to be written.
        var start = 0
        var index = 0
        let separator: UInt8 = isCSV ? 0x2C : 0x09
        while index < bytes.count {
            let byte = bytes[index]
            if isInHead {
                guard byte == separator || byte == 0x0A else {
                    head.append(byte)
                    index += 1
                    continue
                }
                // The key is complete. All its bytes were held back, also those of an earlier
                // piece.
                isInHead = false
                let key = Int64(String(decoding: head, as: UTF8.self))
                isDropping = key.map(keys.contains) ?? false
                if isDropping {
                    dropped += 1
                } else {
                    try head.withUnsafeBytes(write)
                }
                head.removeAll(keepingCapacity: true)
                start = index
            }
            if byte == 0x22, isCSV {
                isQuoted.toggle()
            } else if byte == 0x0A, !isQuoted {
                if !isDropping {
                    try write(UnsafeRawBufferPointer(rebasing: bytes[start...index]))
                }
                isInHead = true
            }
            index += 1
        }
        if !isInHead, !isDropping, start < bytes.count {
            try write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
