/// How a token may be signed (RFC 7518, section 3.1). Everything else is refused, `none` first of all.
enum TokenAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case es256 = "ES256"
    case rs256 = "RS256"
}
