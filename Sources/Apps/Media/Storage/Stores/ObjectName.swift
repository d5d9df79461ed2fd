import Encodings
import Inspections

/// The name of a stored object: its digest in hexadecimal; in a bucket followed by a hyphen and 16
/// hexadecimal digits that are unique to the upload.
///
/// No other text is accepted, so no name leads out of a store.
public struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The form in the table.
    public let text: String

    /// - Returns: nil for a text that is not an object's name.
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

    /// The first two digits: the name of the object's directory, one of a store's 256.
    var directory: String { String(text.prefix(2)) }
    /// The rest: the file's name in the directory.
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

    /// Compares the texts, byte by byte.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
