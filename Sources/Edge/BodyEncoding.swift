/// How a request's body is compressed: the values of `Content-Encoding` that are understood.
enum BodyEncoding: String, CaseIterable, Sendable {
    case identity
    case gzip
    /// The zlib format, as RFC 9110 says, or raw deflate, as some clients send.
    case deflate
    /// LZ4 frames.
    case lz4

    /// What an `Accept-Encoding` of a 415 says.
    static let accepted = "gzip, deflate, lz4, identity"

    /// - Parameter token: one element of the header, without spaces around it, in any case.
    init?(token: Substring) {
        switch token.lowercased() {
        case "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "lz4": self = .lz4
        default: return nil
        }
    }
}
