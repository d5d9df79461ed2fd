import Encodings
import FoundationEssentials

/// The second part of a token, with the claims that are used (RFC 7519, section 4.1).
struct TokenClaims: Decodable {
    let subject: String?
    let issuer: String?
    let audience: [String]
    /// Seconds since 1970, as in `notBefore`; nil: not limited.
    let expiresAt: Double?
    let notBefore: Double?

    private enum Key: String, CodingKey {
        case subject = "sub"
        case issuer = "iss"
        case audience = "aud"
        case expiresAt = "exp"
        case notBefore = "nbf"
        case issuedAt = "iat"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: Key.self)
        subject = try claims.decodeIfPresent(String.self, forKey: .subject)
        issuer = try claims.decodeIfPresent(String.self, forKey: .issuer)
        // Unlike `decodeIfPresent`, this does not take `null` for an absent claim.
        func time(_ key: Key) throws -> Double? {
            claims.contains(key) ? try claims.decode(Double.self, forKey: key) : nil
        }
        expiresAt = try time(.expiresAt)
        notBefore = try time(.notBefore)
        _ = try time(.issuedAt)
        // `aud` may be a single string instead of an array.
        if let one = try? claims.decodeIfPresent(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try claims.decodeIfPresent([String].self, forKey: .audience) ?? []
        }
    }
}
