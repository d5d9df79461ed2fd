import Encodings
import FoundationEssentials
import Readings

/// Says whose a token is.
///
/// What is believed, and in which order it is looked at: at most ``tokenBytesMax`` bytes; three parts
/// in strict base64url; `alg` one of ``TokenAlgorithm``; no `crit`; a known key **of that algorithm**
/// (the one that `kid` names; those without a name where no key has that one; all where the token
/// names none) has signed it; only then are the claims read. `sub` is the user. `exp` and `nbf` are
/// kept with ``leeway`` for clocks that differ; a token without `exp` never ends, as RFC 7519 has it,
/// unless ``needsExpiry``.
/// Issuer and audience are looked at when they are configured.
struct TokenVerifier: Sendable {
    let keys: [TokenKey]
    let issuer: String?
    let audience: String?
    let leeway: Duration
    /// Tokens that never end are refused.
    var needsExpiry = false

    /// Far more than a token that names a user needs.
    static let tokenBytesMax = 8192
    /// Characters of a user's name, everywhere.
    static let subjectLengthMax = 128

    /// What a token is good for.
    struct Owner: Equatable {
        let user: String
        /// When it expires, leeway included; nil: never.
        let until: Timestamp?
    }

    func verify(_ token: String, now: Timestamp) throws(TokenFault) -> Owner {
        guard token.utf8.count <= Self.tokenBytesMax else { throw .tooLong }
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header: TokenHeader = Self.decode(parts[0]) else {
            throw .malformed
        }
        guard let algorithm = TokenAlgorithm(rawValue: header.alg) else { throw .algorithmRefused }
        guard !header.hasCriticalExtension else { throw .criticalExtension }
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed }
        let candidates = candidates(algorithm, named: header.kid)
        guard !candidates.isEmpty else { throw .keyUnknown }
        let signed = bytes[..<parts[1].endIndex]
        guard candidates.contains(where: { $0.hasSigned(signed, signature: signature) }) else {
            throw .signatureWrong
        }
        guard let claims: TokenClaims = Self.decode(parts[1]) else { throw .malformed }
        return try judge(claims, now: now)
    }

    private func candidates(_ algorithm: TokenAlgorithm, named name: String?) -> [TokenKey] {
        let keys = keys.filter { $0.algorithm == algorithm }
        guard let name else { return keys }
        let named = keys.filter { $0.name == name }
        return named.isEmpty ? keys.filter { $0.name == nil } : named
    }

    private func judge(_ claims: TokenClaims, now: Timestamp) throws(TokenFault) -> Owner {
        let now = now.secondsSince1970
        let leeway = leeway / .seconds(1)
        if needsExpiry, claims.expiresAt == nil { throw .expiryMissing }
        if let end = claims.expiresAt, now >= end + leeway { throw .expired }
        if let start = claims.notBefore, now < start - leeway { throw .notYetValid }
        if let issuer, claims.issuer.map({ Self.same($0, issuer) }) != true { throw .issuerWrong }
        if let audience, !claims.audience.contains(where: { Self.same($0, audience) }) {
            throw .audienceWrong
        }
        guard let user = claims.subject, Self.isUser(user) else { throw .subjectWrong }
        return Owner(
            user: user, until: claims.expiresAt.flatMap { Timestamp(secondsSince1970: $0 + leeway) }
        )
    }

    /// 1–128 characters, none of them NUL, as every user's name.
    static func isUser(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return !scalars.isEmpty && scalars.count <= subjectLengthMax
            && !scalars.contains { $0.value == 0 }
    }

    /// Byte by byte: Swift's own comparison takes two spellings of one letter for the same.
    static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func decode<Part: Decodable>(_ part: ArraySlice<UInt8>) -> Part? {
        Base64URL.decode(part).flatMap { try? JSONDecoder().decode(Part.self, from: Data($0)) }
    }
}

extension Timestamp {
    fileprivate var secondsSince1970: Double {
        Double(microseconds) / 1e6 + Double(Self.unixEpochOffset)
    }

    /// nil: so far away that nobody will see it.
    fileprivate init?(secondsSince1970 seconds: Double) {
        guard abs(seconds) < 1e12 else { return nil }
        self.init(
            microseconds: Int64(((seconds - Double(Self.unixEpochOffset)) * 1e6).rounded(.up)))
    }
}

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

/// Why a token is not believed. For tests and counters: a client is told of none of this.
enum TokenFault: Error, Equatable {
    /// Longer than any token has to be.
    case tooLong
    /// Not three parts in base64url with JSON in the first two.
    case malformed
    /// Signed in a way that is not accepted, or not at all.
    case algorithmRefused
    /// Asks for an extension that is not understood (RFC 7515, section 4.1.11).
    case criticalExtension
    /// No key of that algorithm, or none of that name.
    case keyUnknown
    case signatureWrong
    /// No `sub`, or one that no user can have.
    case subjectWrong
    case expired
    /// No `exp`, where one is asked for.
    case expiryMissing
    case notYetValid
    case issuerWrong
    case audienceWrong
}

/// The first part of a token, as far as it matters. Keys that it brings along (`jwk`, `jku`, `x5c`…) are
/// not even looked at.
struct TokenHeader: Decodable {
    let alg: String
    let kid: String?
    let hasCriticalExtension: Bool

    private enum Key: CodingKey {
        case alg, kid, crit
    }

    init(from decoder: any Decoder) throws {
        let header = try decoder.container(keyedBy: Key.self)
        alg = try header.decode(String.self, forKey: .alg)
        kid = try header.decodeIfPresent(String.self, forKey: .kid)
        hasCriticalExtension = header.contains(.crit)
    }
}
