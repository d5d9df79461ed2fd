/// The compression of a request's body: the supported values of `Content-Encoding`.
enum BodyEncoding: String, CaseIterable, Sendable {
    case identity
    case gzip
    /// The zlib format, as RFC 9110 requires, or raw deflate, which some clients send.
    case deflate
    /// LZ4 frames.
    case lz4
    /// Zstandard frames (RFC 8878), with windows as RFC 9659 limits them.
    case zstd

    /// The value of `Accept-Encoding` in a 415.
    static let accepted = "gzip, deflate, lz4, zstd, identity"

    /// - Parameter token: one element of the header, in any case, without spaces around it.
    init?(token: Substring) {
        switch token.lowercased() {
        case "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "lz4": self = .lz4
        case "zstd": self = .zstd
        default: return nil
        }
    }
}
