import Digests
import Encodings
import Glibc

/// Amazon's signature of a request, version 4, in the `Authorization` header.
///
/// - Source: "Signature Calculations for the Authorization Header", Amazon S3 API reference.
struct SignatureV4 {
    /// The SHA-256 of an empty payload, which most requests have.
    static let emptyDigest = Hexadecimal.text(SHA256.digest([]))

    let credentials: S3Credentials
    let region: String

    /// The value of `Authorization`.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, as it is sent.
    ///   - query: names and values, not encoded, in any order.
    ///   - headers: all signed headers, including `host`, `x-amz-date` and `x-amz-content-sha256`;
    ///     names in lower case.
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
            \(headers.map { "\($0.0):\($0.1.trimmingSpaces())\n" }.joined())
            \(names)
            \(payloadDigest)
            """
        let scope = "\(time.date)/\(region)/s3/aws4_request"
        let text = """
            AWS4-HMAC-SHA256
            \(time.text)
            \(scope)
            \(Hexadecimal.text(SHA256.digest(canonical.utf8)))
            """
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for step in [time.date, region, "s3", "aws4_request"] {
            key = SHA256.authenticate(step.utf8, key: key)
        }
        let signature = Hexadecimal.text(SHA256.authenticate(text.utf8, key: key))
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

/// A time in the form that signatures and headers use.
struct SigningTime {
    /// `20130524T000000Z`
    let text: String

    /// `20130524`
    var date: String { String(text.prefix(8)) }

    /// - Parameter seconds: since 1970.
    init(seconds: Int) {
        var seconds = time_t(seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        text =
            digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2)
            + digits(parts.tm_mday, 2) + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2)
            + digits(parts.tm_sec, 2) + "Z"
    }
}
