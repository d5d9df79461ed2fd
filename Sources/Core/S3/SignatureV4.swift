import Crypto
import Encodings
import Glibc

/// Amazon's signature of a request, version 4, in the `Authorization` header.
///
/// - Source: "Signature Calculations for the Authorization Header", Amazon S3 API reference.
struct SignatureV4 {
    /// The SHA-256 of an empty payload, which most requests have.
    static let emptyDigest = Hexadecimal.text(SHA256.hash(data: [UInt8]()))

    let credentials: S3Credentials
    let region: String

    /// The value of `Authorization`.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, as it is sent.
    ///   - query: names and values, not encoded, in any order.
    ///   - headers: all signed headers, including `host`, `x-amz-date` and `x-amz-content-sha256`;
    ///     names in lower case, values without spaces around them.
    ///   - payloadDigest: SHA-256 in hexadecimal.
    func authorization(
        method: String, path: String, query: [(String, String)], headers: [(String, String)],
        payloadDigest: String, time: SigningTime
    ) -> String {
        let headers = headers.sorted { $0.0 < $1.0 }
        let names = headers.map(\.0).joined(separator: ";")
        let canonical = """
            \(method)
            \(path)
            \(Self.queryText(query))
            \(headers.map { "\($0.0):\($0.1)\n" }.joined())
            \(names)
            \(payloadDigest)
            """
        let scope = "\(time.date)/\(region)/s3/aws4_request"
        let text = """
            AWS4-HMAC-SHA256
            \(time.text)
            \(scope)
            \(Hexadecimal.text(SHA256.hash(data: Array(canonical.utf8))))
            """
        var key = SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey)".utf8))
        for step in [time.date, region, "s3", "aws4_request"] {
            let code = HMAC<SHA256>.authenticationCode(for: Array(step.utf8), using: key)
            key = SymmetricKey(data: code)
        }
        let signature = Hexadecimal.text(
            HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
        return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(signature)"
    }

    /// The encoded names and values, sorted by name. The same text is signed and sent.
    static func queryText(_ query: [(String, String)]) -> String {
        query.map { (PercentEncoding.encoded($0.0), PercentEncoding.encoded($0.1)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }
}
