/// The accepted signature algorithms (RFC 7518, section 3.1). All others are refused, `none` above
/// all.
enum TokenAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case es256 = "ES256"
    case rs256 = "RS256"
}
