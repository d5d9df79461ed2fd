import Crypto

/// SHA-256 of a key: all that is kept of it.
///
/// Comparing two digests takes the same time wherever they differ.
public struct KeyDigest: Hashable, Sendable {
    /// Size of a digest in bytes.
    public static let byteCount = SHA256Digest.byteCount

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The digest of a key's UTF-8 bytes.
    public init(of key: String) {
        var key = key
        var hash = SHA256()
        key.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hash.finalize()
        digest.withUnsafeBytes { source in
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: source) }
        }
    }

    /// A stored digest; nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
    }

    /// The bytes as the table stores them.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    /// Constant-time: never returns early.
    public static func == (left: Self, right: Self) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
            | (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    /// The first word suffices: it is as random as the whole.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

extension KeyDigest: CustomStringConvertible, CustomReflectable {
    /// Hides the digest: the digest of a short configured key could be found by trying keys.
    public var description: String { "KeyDigest(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
