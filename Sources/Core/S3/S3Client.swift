public import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1

/// Signs and sends requests to a bucket on a server that speaks S3, and repeats them when that may
/// help.
///
/// A request is repeated after a lost connection, without an answer, and after status 429, 500,
/// 502, 503, 504 or the codes `RequestTimeout` and `SlowDown`. Waits double from 100 ms; each is
/// shortened at random by up to half, so that many clients don't return at the same time. Every
/// request sent from here may safely be sent twice: an object is written whole, and twice with the
/// same bytes. Where it must not replace another one, a second attempt may be told that it is there,
/// and the caller looks whose it is.
///
/// Limits: five attempts, of a minute each until the head of the answer; half a minute without a byte
/// of it; 64 connections.
public final class S3Client: Sendable {
    /// The most attempts for one answer.
    public static let attemptsMax = 5
    /// The time limit for connecting, sending the body and receiving the answer's head.
    static let answerMax: TimeAmount = .seconds(60)
    /// The most bytes of an answer's body that are read as text: a page of a list with long names.
    static let textBytesMax = 4 << 20

    /// Where requests go.
    public let bucket: S3Bucket
    private let signature: SignatureV4?
    private let sessionToken: String?
    private let http: HTTPClient

    /// Sends no request yet.
    ///
    /// - Parameter credentials: nil for a server that needs none.
    public init(_ bucket: S3Bucket, credentials: S3Credentials?) {
        self.bucket = bucket
        signature = credentials.map { SignatureV4(credentials: $0, region: bucket.region) }
        sessionToken = credentials?.sessionToken
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(30))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// A second shutdown reports an error and does nothing.
    deinit { http.shutdown { _ in } }

    /// Closes all connections. No request may follow.
    public func shutdown() async { try? await http.shutdown() }

    /// Sends a request and returns an answer with status 2xx, or 404 and no body for a missing
    /// object.
    public func answer(to request: S3Request) async throws(S3Error) -> HTTPClientResponse {
        var attempt = 0
        while true {
            attempt += 1
            if let response = try? await http.execute(prepared(request), timeout: Self.answerMax) {
                switch response.status.code {
                case 200..<300:
                    return response
                case 404:
                    // The server says when the bucket is missing. Otherwise only the object is
                    // missing.
                    let code = await Self.errorCode(response)
                    guard code != "NoSuchBucket" else {
                        throw .refused(status: 404, code: code)
                    }
                    // Without the body: it is read, and can't be read twice.
                    return HTTPClientResponse(
                        version: response.version, status: .notFound, headers: response.headers)
                default:
                    let code = await Self.errorCode(response)
                    if let failure = Self.finalFailure(Int(response.status.code), code) {
                        throw failure
                    }
                }
            }
            guard attempt < Self.attemptsMax, !Task.isCancelled else {
                throw .unavailable(attempts: attempt)
            }
            await Self.pause(attempt)
        }
    }

    /// Sends a request and returns the answer's head and its body as text.
    func text(
        _ request: S3Request
    ) async throws(S3Error) -> (head: HTTPClientResponse, text: String) {
        for attempt in 1...Self.attemptsMax {
            let response = try await answer(to: request)
            if let body = try? await response.body.collect(upTo: Self.textBytesMax) {
                let text = String(buffer: body)
                // Some requests are answered with 200 before they are carried out, and report an
                // error in the body.
                guard text.contains("<Error>") else { return (response, text) }
            }
            await Self.pause(attempt)
        }
        throw .unavailable(attempts: Self.attemptsMax)
    }

    /// Waits before the next attempt.
    public static func pause(_ attempt: Int) async {
        let longest = 100 << min(attempt - 1, 6)
        try? await Task.sleep(for: .milliseconds(Int.random(in: longest / 2...longest)))
    }

    private func prepared(_ request: S3Request) -> HTTPClientRequest {
        let path = "/\(bucket.name)" + (request.key.isEmpty ? "" : "/\(request.key)")
        let query = SignatureV4.queryText(request.query)
        var prepared = HTTPClientRequest(
            url: "\(bucket.scheme)://\(bucket.host)\(path)\(query.isEmpty ? "" : "?\(query)")")
        prepared.method = request.method
        let time = SigningTime(seconds: time(nil))
        let digest = request.body.digest
        var headers = request.headers + [("host", bucket.host), ("x-amz-content-sha256", digest)]
        if let signature {
            headers.append(("x-amz-date", time.text))
            if let sessionToken { headers.append(("x-amz-security-token", sessionToken)) }
            let authorization = signature.authorization(
                method: request.method.rawValue, path: path, query: request.query,
                headers: headers, payloadDigest: digest, time: time)
            headers.append(("authorization", authorization))
        }
        prepared.headers = HTTPHeaders(headers)
        prepared.body = request.body.make()
        return prepared
    }

    /// The error if another attempt can't help; nil if it may.
    private static func finalFailure(_ status: Int, _ code: String) -> S3Error? {
        switch (status, code) {
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"): .full
        case (429, _), (500, _), (502...504, _), (_, "RequestTimeout"), (_, "SlowDown"): nil
        default: .refused(status: status, code: code)
        }
    }

    /// The server's error code; empty when there is none.
    private static func errorCode(_ response: HTTPClientResponse) async -> String {
        guard let body = try? await response.body.collect(upTo: 64 << 10) else { return "" }
        return XMLText(String(buffer: body)).first("Code") ?? ""
    }
}
