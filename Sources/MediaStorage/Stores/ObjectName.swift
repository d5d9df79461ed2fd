/// What a store calls one stored content: its digest in hexadecimal, in a bucket followed by a
/// hyphen and 16 digits that no other upload has.
///
/// Nothing else can be written as one, so no name leads out of a store.
public struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// As the table keeps it.
    public let text: String

    /// - Returns: nil for what no store ever called an object.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard MediaDigest(hex: parts[0]) != nil else { return nil }
        if parts.count == 2 {
            guard parts[1].utf8.count == 16,
                parts[1].utf8.allSatisfy({ Hexadecimal.value($0) != nil })
            else { return nil }
        }
        self.text = text
    }

    init(_ digest: MediaDigest, nonce: UInt64? = nil) {
        guard let nonce else {
            text = digest.hex
            return
        }
        text =
            digest.hex + "-"
            + Hexadecimal.text(withUnsafeBytes(of: nonce.bigEndian) { Array($0) })
    }

    /// The first two digits: which of a store's 256 directories the object is in.
    var directory: String { String(text.prefix(2)) }
    /// What follows them: the file's name there.
    var file: String { String(text.dropFirst(2)) }

    /// SHA-256 of the content.
    public var digest: MediaDigest {
        guard let digest = MediaDigest(hex: text.prefix(2 * MediaDigest.byteCount)) else {
            preconditionFailure("BUG: object \(text)")
        }
        return digest
    }

    /// The same as ``text``.
    public var description: String { text }

    /// In the order of the bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
