import COpenSSL

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
