import COpenSSL
import Digests
import Encodings
public import Readings

/// A newly made key: shown to the operator once, never stored.
///
/// It consists of `slk_` and 32 random bytes in base64url, 47 characters. The prefix lets secret
/// scanners find a key that was committed to a repository.
public struct APIKey: Sendable {
    /// What every issued key begins with.
    public static let prefix = "slk_"

    private let text: String

    /// Takes the bytes from the operating system's generator, through OpenSSL.
    ///
    /// - Throws: ``APIKeyError/noRandomness`` if that generator fails.
    public static func make() throws(APIKeyError) -> APIKey {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { throw .noRandomness }
        return APIKey(text: prefix + Base64URL.encode(bytes))
    }

    private init(text: String) {
        self.text = text
    }

    /// The key itself. This is the only way to read it; the caller is responsible for who sees it.
    public func revealed() -> String {
        text
    }

    /// The only part of the key that is stored.
    public var digest: KeyDigest {
        KeyDigest(of: text)
    }
}

extension APIKey: CustomStringConvertible, CustomReflectable {
    /// The prefix only.
    public var description: String { "\(Self.prefix)…" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a key could not be made.
public enum APIKeyError: Error, Equatable {
    /// The operating system gave no random bytes.
    case noRandomness
}

/// SHA-256 of a key: all that is kept of it.
///
/// Comparing two digests takes the same time wherever they differ.
public struct KeyDigest: Hashable, Sendable {
    /// Size of a digest in bytes.
    public static let byteCount = SHA256.byteCount

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The digest of a key's UTF-8 bytes.
    public init(of key: String) {
        var key = key
        var hash = SHA256()
        key.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        words = hash.finishWords()
        // The hash state holds the key's bytes; they must not stay on the stack.
        hash.forget()
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

/// A row of `sluice.api_key` as operators see it; the key itself is not stored anywhere.
public struct KeyRecord: Sendable, Equatable {
    /// Its number, as long as the row exists.
    public let id: Int64
    /// The name that the operator chose; unique among the keys in force.
    public let name: String
    /// The key's first characters.
    public let prefix: String
    /// As stored in the table, including words that this version does not know.
    public let scopes: [String]
    /// When it was made.
    public let createdAt: Timestamp
    /// The key is refused from this time on; nil: never.
    public let expiresAt: Timestamp?
    /// When it was revoked; nil: it was not.
    public let revokedAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?
    /// May be some seconds out of date; nil: never used.
    public let lastUsedAt: Timestamp?
}

/// The columns of `sluice.api_key` that checking a key needs.
public struct IssuedKey: Sendable, Equatable {
    /// Its name and its id in the table.
    public let id: KeyID
    /// SHA-256 of the key.
    public let digest: KeyDigest
    /// What it may be used for.
    public let scopes: Set<KeyScope>
    /// The key is refused from this time on; nil: never.
    public let expiresAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?

    /// - Parameter scopes: without the words of the table that this version does not know.
    public init(
        id: KeyID, digest: KeyDigest, scopes: Set<KeyScope>, expiresAt: Timestamp?,
        bytesPerSecond: Int? = nil
    ) {
        self.id = id
        self.digest = digest
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.bytesPerSecond = bytesPerSecond
    }
}
