public import AsyncHTTPClient
import Crypto
import Encodings
public import NIOCore

/// The body of a request. It can be made again for another attempt.
public struct S3Body: Sendable {
    /// SHA-256 in hexadecimal, with which the server verifies the body.
    let digest: String
    /// The body of one attempt; nil: none.
    let make: @Sendable () -> HTTPClientRequest.Body?

    /// - Parameters:
    ///   - digest: SHA-256 of all bytes in hexadecimal.
    ///   - make: called for each attempt; must give the same bytes each time.
    public init(digest: String, make: @escaping @Sendable () -> HTTPClientRequest.Body) {
        self.digest = digest
        self.make = make
    }

    private init() {
        digest = SignatureV4.emptyDigest
        make = { nil }
    }

    /// No body.
    public static let none = S3Body()

    /// Bytes in memory.
    public static func bytes(_ bytes: ByteBuffer) -> S3Body {
        let digest = bytes.withUnsafeReadableBytes { all in
            var hash = SHA256()
            hash.update(bufferPointer: all)
            return Hexadecimal.text(hash.finalize())
        }
        return S3Body(digest: digest) { .bytes(bytes) }
    }
}
