import NIOCore
import NIOHTTP1

/// One request to a bucket's server, apart from its signature.
struct S3Request: Sendable {
    var method: HTTPMethod = .GET
    /// After the bucket; empty for the bucket itself.
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: S3Body = .none
}

/// What a request carries. It can be read again for the next attempt.
enum S3Body: Sendable {
    case none
    case text(String)
    /// A range of a staged file.
    case file(FileSource, Range<Int>, digest: String)

    /// SHA-256 in hexadecimal, which the server checks what it got against.
    var digest: String {
        switch self {
        case .none: SignatureV4.emptyDigest
        case .text(let text): Hexadecimal.text(SHA256.digest(text.utf8))
        case .file(_, _, let digest): digest
        }
    }
}
