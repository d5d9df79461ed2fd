/// What is known of an archive file; two of one content are equal.
public struct FileFacts: Equatable, Sendable {
    /// Size of the file.
    public var bytes = 0
    /// Size of what it holds.
    public var textBytes = 0
    /// One a line.
    public var rows = 0
    /// Of the file.
    public var sha256: [UInt8] = []

    /// What is wrong with a file of which these facts were found; nil: nothing.
    func damage(expecting expected: FileFacts) -> ArchiveError.Damage? {
        if bytes != expected.bytes { return .size(expected: expected.bytes, found: bytes) }
        if sha256 != expected.sha256 { return .checksum }
        if textBytes != expected.textBytes {
            return .textSize(expected: expected.textBytes, found: textBytes)
        }
        if rows != expected.rows { return .rows(expected: expected.rows, found: rows) }
        return nil
    }

    /// Lines end with the one byte that the text form of COPY uses for nothing else.
    static func lines(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in bytes where byte == 0x0A { count += 1 }
        return count
    }
}
