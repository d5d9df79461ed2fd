import FoundationEssentials

/// Why a token is not accepted. For tests and counters; clients are not told.
enum TokenFault: Error, Equatable {
    /// Longer than ``TokenVerifier/tokenBytesMax``.
    case tooLong
    /// Not three parts in base64url with JSON in the first two.
    case malformed
    /// Unsigned, or signed with an algorithm that is not accepted.
    case algorithmRefused
    /// Requires an extension that is not implemented (RFC 7515, section 4.1.11).
    case criticalExtension
    /// No key of that algorithm, or none of that name.
    case keyUnknown
    case signatureWrong
    /// No `sub`, or one that is not a valid user name.
    case subjectWrong
    case expired
    /// No `exp`, where one is required.
    case expiryMissing
    case notYetValid
    case issuerWrong
    case audienceWrong
}
