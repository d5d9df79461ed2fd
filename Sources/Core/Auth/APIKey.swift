import Crypto
import Encodings
import Readings

/// A newly made key: shown to the operator once, never stored.
///
/// It consists of `slk_` and 32 random bytes in base64url, 47 characters. The prefix lets secret
/// scanners find a key that was committed to a repository.
public struct APIKey: Sendable {
    /// What every issued key begins with.
    public static let prefix = "slk_"

    private let text: String

    /// Takes the bytes from the operating system's generator.
    public static func make() -> APIKey {
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
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
