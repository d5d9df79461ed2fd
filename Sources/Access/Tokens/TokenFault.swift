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
