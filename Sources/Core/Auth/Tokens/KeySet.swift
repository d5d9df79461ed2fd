import Encodings
import FoundationEssentials

/// The public keys of a JWKS document (RFC 7517, section 5).
///
/// Keys of other types, for other uses or with invalid members are skipped, as the RFC requires: a
/// provider may add a new type at any time. Private parts are not read.
struct KeySet: Sendable {
    let keys: [TokenKey]

    /// More keys than any provider publishes; further keys are ignored.
    static let keysMax = 64

    private struct Document: Decodable {
        let keys: [Lenient]
    }

    /// A key; nil if its members have the wrong types.
    private struct Lenient: Decodable {
        let key: Key?

        init(from decoder: any Decoder) throws {
            key = try? Key(from: decoder)
        }
    }

    private struct Key: Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let crv: String?
        let x: String?
        let y: String?
        let n: String?
        let e: String?
    }

    /// - Returns: nil if the text is not a JWKS document.
    init?(json: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
            return nil
        }
        var keys: [TokenKey] = []
        for entry in document.keys.prefix(Self.keysMax) {
            guard let described = entry.key, let key = Self.key(described) else { continue }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func key(_ key: Key) -> TokenKey? {
        guard key.use == nil || key.use == "sig" else { return nil }
        switch key.kty {
        case "EC":
            guard key.crv == "P-256", key.alg == nil || key.alg == "ES256",
                let x = number(key.x), let y = number(key.y)
            else { return nil }
            return TokenKey(x: x, y: y, name: key.kid)
        case "RSA":
            guard key.alg == nil || key.alg == "RS256", let modulus = number(key.n),
                let exponent = number(key.e)
            else { return nil }
            return TokenKey(modulus: modulus, exponent: exponent, name: key.kid)
        default:
            return nil
        }
    }

    private static func number(_ text: String?) -> [UInt8]? {
        text.flatMap { Base64URL.decode($0.utf8) }
    }
}
