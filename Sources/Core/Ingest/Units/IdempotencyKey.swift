import Crypto
import Foundation

/// A client's name for a request: sent again with the same name, the request makes nothing new.
///
/// What the request makes gets an id that follows from the key, so that it is stored once by the
/// same rule as a unit that a lane writes twice. Another request with the same key is told by its
/// fingerprint, which the unit's payload has as `request`: its statement passes the results through
/// ``compared(_:)``, and the result is ``different``.
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

    /// The result of a unit whose key another request of its user had.
    public static let different = "different"

    /// The statement of a unit whose requests may have keys.
    ///
    /// - Parameter call: SQL of a function that stores payloads, `$1`, and returns `place` and
    ///   `result`.
    public static func compared(_ call: String) -> String {
        """
        SELECT place, result FROM sluice.compare_requests(
            $1, ARRAY(SELECT s.result FROM \(call) s ORDER BY s.place))
        """
    }

    /// A hash of a request's content: equal however often the request is sent.
    public static func fingerprint(of content: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(content) else {
            preconditionFailure("BUG: a request that is no JSON")
        }
        return Data(SHA256.hash(data: json).prefix(16)).base64EncodedString()
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
