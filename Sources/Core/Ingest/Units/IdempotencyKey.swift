import Crypto
import Foundation

/// A client's name for a request: sent again with the same name, the request makes nothing new.
///
/// What the request makes gets an id that follows from the key, so that it is stored once by the
/// same rule as a unit that a lane writes twice.
///
/// - Source: draft-ietf-httpapi-idempotency-key-header.
public struct IdempotencyKey: Sendable, Equatable {
    /// Bytes of a key.
    public static let bytesMax = 255

    private let text: String

    /// - Returns: nil for a key of more than ``bytesMax`` bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        self.text = text
    }

    /// 16 bytes that only this user's requests with this key have. They are no secret: who knows
    /// user and key can compute them.
    ///
    /// - Parameters:
    ///   - kind: what is made; the same key may be used for each kind.
    ///   - user: whose request it is.
    public func id(of kind: String, user: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(kind)\0\(user)\0\(text)".utf8)).prefix(16))
    }
}
