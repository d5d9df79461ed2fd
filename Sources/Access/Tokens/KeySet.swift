#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The public keys of a JWKS document (RFC 7517, section 5).
///
/// Keys of other kinds, for other uses or that make no sense are left out, as the RFC wants it: a
/// provider may add a kind tomorrow. Private parts are not looked at.
struct KeySet: Sendable {
    let keys: [TokenKey]

    /// More than any provider has; the rest is left out.
    static let keysMax = 64

    private struct Document: Decodable {
        let keys: [Lenient]
    }

    /// A key, or nothing where its members have types that they can't have.
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

    /// - Returns: nil when that is no JWKS document at all.
    init?(json: [UInt8]) async {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
            return nil
        }
        var keys: [TokenKey] = []
        for entry in document.keys.prefix(Self.keysMax) {
            guard let described = entry.key, let key = await Self.key(described) else { continue }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func key(_ key: Key) async -> TokenKey? {
        guard key.use == nil || key.use == "sig" else { return nil }
        switch key.kty {
        case "EC":
            guard key.crv == "P-256", key.alg == nil || key.alg == "ES256",
                let x = coordinate(key.x), let y = coordinate(key.y)
            else { return nil }
            return try? await TokenKey.ellipticCurve(x: x, y: y, name: key.kid)
        case "RSA":
            guard key.alg == nil || key.alg == "RS256", let n = key.n, let e = key.e,
                let modulus = Base64URL.decode(n.utf8), isStrong(modulus)
            else { return nil }
            return try? await TokenKey.rsa(modulus: n, exponent: e, name: key.kid)
        default:
            return nil
        }
    }

    private static func coordinate(_ text: String?) -> String? {
        guard let text, Base64URL.decode(text.utf8)?.count == 32 else { return nil }
        return text
    }

    private static func isStrong(_ modulus: [UInt8]) -> Bool {
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        return bits >= TokenKey.modulusBitsMin && bits <= TokenKey.modulusBitsMax
    }
}
