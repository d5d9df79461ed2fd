/// Size, rows and digest of an archive file; equal for equal files.
public struct FileFacts: Equatable, Sendable {
    /// The size of the file.
    public var bytes = 0
    /// The size of the uncompressed contents.
    public var textBytes = 0
    /// The number of rows, without a header.
    public var rows = 0
    /// The SHA-256 of the file.
    public var sha256: [UInt8] = []

    /// The fault of a file with these facts; nil: none.
    func damage(expecting expected: FileFacts) -> ArchiveError.Damage? {
        if bytes != expected.bytes { return .size(expected: expected.bytes, found: bytes) }
        if sha256 != expected.sha256 { return .checksum }
        if textBytes != expected.textBytes {
            return .textSize(expected: expected.textBytes, found: textBytes)
        }
        if rows != expected.rows { return .rows(expected: expected.rows, found: rows) }
        return nil
    }
}
