import Encodings
import FoundationEssentials
import Readings

/// Verifies a token and returns its user.
///
/// The checks, in order:
/// - at most ``tokenBytesMax`` bytes, in three parts of strict base64url;
/// - `alg` is a ``TokenAlgorithm``, and there is no `crit`;
/// - a known key **of that algorithm** has signed the token. Candidates are the keys that `kid`
///   names; if no key has that name, the keys without a name; if the token has no `kid`, all keys;
/// - only then are the claims read. `sub` is the user. `exp` and `nbf` are checked with ``leeway``
///   for clocks that differ. A token without `exp` never expires, as RFC 7519 says, unless
///   ``needsExpiry``. An `exp`, `nbf` or `iat` that is no number, `null` too, makes the token
///   malformed: its issuer meant a limit. Issuer and audience are checked if they are configured.
struct TokenVerifier: Sendable {
    let keys: [TokenKey]
    let issuer: String?
    let audience: String?
    let leeway: Duration
    /// Tokens without `exp` are refused.
    var needsExpiry = false

    /// Maximum length of a token in bytes: far more than one that names a user needs.
    static let tokenBytesMax = 8192
    /// Maximum length of a user's name in characters, everywhere in Sluice.
    static let subjectLengthMax = 128

    /// The result of a verification.
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

    /// 1–128 characters, none of them NUL: the rule for every user's name.
    static func isUser(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return !scalars.isEmpty && scalars.count <= subjectLengthMax
            && !scalars.contains { $0.value == 0 }
    }

    /// Compares byte by byte: Swift's `==` treats two encodings of one letter as equal.
    static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func decode<Part: Decodable>(_ part: ArraySlice<UInt8>) -> Part? {
        Base64URL.decode(part).flatMap { try? JSONDecoder().decode(Part.self, from: Data($0)) }
    }
}

extension Timestamp {
    var secondsSince1970: Double {
        Double(microseconds) / 1e6 + Double(Self.unixEpochOffset)
    }

    /// nil: a time too far away to represent.
    init?(secondsSince1970 seconds: Double) {
        guard abs(seconds) < 1e12 else { return nil }
        self.init(
            microseconds: Int64(((seconds - Double(Self.unixEpochOffset)) * 1e6).rounded(.up)))
    }
}
