import COpenSSL

/// SHA-256 of a key: all that is kept of it.
///
/// Two digests are compared in a time that doesn't depend on where they differ.
public struct KeyDigest: Hashable, Sendable {
    /// Bytes of a digest.
    public static let byteCount = 32

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The digest of a key's UTF-8 bytes.
    public init(of key: String) {
        var key = key
        var context = SHA256_CTX()
        key.withUTF8 { text in
            withUnsafeMutableBytes(of: &words) { out in
                // The three calls, not the one-shot function: that one looks its algorithm up by
                // name each time, which costs several times the hash.
                SHA256_Init(&context)
                SHA256_Update(&context, text.baseAddress, text.count)
                SHA256_Final(out.bindMemory(to: UInt8.self).baseAddress, &context)
            }
        }
        // The context holds the key's bytes; it must not stay behind on the stack.
        OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size)
    }

    /// The digest that was kept; nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
    }

    /// The bytes as they are kept in the table.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    /// Constant-time.
    public static func == (left: Self, right: Self) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
            | (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    /// The first word is as random as the whole.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

extension KeyDigest: CustomStringConvertible, CustomReflectable {
    /// Tells nothing: the digest of a short configured key could be searched for.
    public var description: String { "KeyDigest(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
