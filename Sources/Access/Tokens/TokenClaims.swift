/// The second part of a token, as far as it matters (RFC 7519, section 4.1).
struct TokenClaims: Decodable {
    let subject: String?
    let issuer: String?
    let audience: [String]
    /// Seconds since 1970, as the next one; nil: not limited.
    let expiresAt: Double?
    let notBefore: Double?

    private enum Key: String, CodingKey {
        case subject = "sub"
        case issuer = "iss"
        case audience = "aud"
        case expiresAt = "exp"
        case notBefore = "nbf"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: Key.self)
        subject = try claims.decodeIfPresent(String.self, forKey: .subject)
        issuer = try claims.decodeIfPresent(String.self, forKey: .issuer)
        expiresAt = try claims.decodeIfPresent(Double.self, forKey: .expiresAt)
        notBefore = try claims.decodeIfPresent(Double.self, forKey: .notBefore)
        // One audience may stand alone.
        if let one = try? claims.decodeIfPresent(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try claims.decodeIfPresent([String].self, forKey: .audience) ?? []
        }
    }
}
