import COpenSSL
import Digests
import Encodings
public import Readings

/// A key that has just been made: shown once to the operator, never kept.
///
/// `slk_` and 32 random bytes in base64url, 47 characters. The prefix lets secret scanners find a key
/// that got into a repository.
public struct APIKey: Sendable {
    /// What every issued key begins with.
    public static let prefix = "slk_"

    private let text: String

    /// Takes its bytes from the operating system's generator by way of OpenSSL.
    ///
    /// - Throws: ``APIKeyError/noRandomness`` when that generator fails.
    public static func make() throws(APIKeyError) -> APIKey {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { throw .noRandomness }
        return APIKey(text: prefix + Base64URL.encode(bytes))
    }

    private init(text: String) {
        self.text = text
    }

    /// The key itself. The one way to see it; whoever calls this decides who does.
    public func revealed() -> String {
        text
    }

    /// What is kept of it.
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

/// Why no key could be made.
public enum APIKeyError: Error, Equatable {
    /// The operating system gave no random bytes.
    case noRandomness
}

/// SHA-256 of a key: all that is kept of it.
///
/// Two digests are compared in a time that doesn't depend on where they differ.
public struct KeyDigest: Hashable, Sendable {
    /// Bytes of a digest.
    public static let byteCount = SHA256.byteCount

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The digest of a key's UTF-8 bytes.
    public init(of key: String) {
        var key = key
        var hash = SHA256()
        key.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        words = hash.finishWords()
        // It holds the key's bytes; they must not stay behind on the stack.
        hash.forget()
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

/// A row of `sluice.api_key` as operators see it; the key itself is nowhere.
public struct KeyRecord: Sendable, Equatable {
    /// Its number, for as long as the row lives.
    public let id: Int64
    /// What the operator called it; only one key in force has it.
    public let name: String
    /// The key's first characters.
    public let prefix: String
    /// As they stand in the table, also words that this version doesn't know.
    public let scopes: [String]
    /// When it was made.
    public let createdAt: Timestamp
    /// From when on it is refused; nil: never.
    public let expiresAt: Timestamp?
    /// When it was withdrawn; nil: it was not.
    public let revokedAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?
    /// Some seconds old at most; nil: never used.
    public let lastUsedAt: Timestamp?
}

/// A key of the table `sluice.api_key`, as far as checking it needs.
public struct IssuedKey: Sendable, Equatable {
    /// Its name and its number in the table.
    public let id: KeyID
    /// SHA-256 of the key.
    public let digest: KeyDigest
    /// What it may be used for.
    public let scopes: Set<KeyScope>
    /// From this moment on it is refused; nil: never.
    public let expiresAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?

    /// - Parameter scopes: unknown words of the table are left out by the reader.
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
