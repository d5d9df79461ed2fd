import Crypto
import Encodings
import Glibc
import NIOCore

/// The body of a request. It can be read again for another attempt.
enum S3Body: Sendable {
    case none
    case text(String)
    /// A range of a staged file.
    case file(FileSource, Range<Int>, digest: String)

    /// SHA-256 in hexadecimal, with which the server verifies the body.
    var digest: String {
        switch self {
        case .none: SignatureV4.emptyDigest
        case .text(let text): Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
        case .file(_, _, let digest): digest
        }
    }
}
