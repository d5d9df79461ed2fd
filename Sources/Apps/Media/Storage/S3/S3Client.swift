import AsyncHTTPClient
import Digests
import Encodings
import Glibc
import NIOCore
import NIOHTTP1

/// Signs requests, sends them, and sends them again when that may help.
///
/// What may help: no answer, a lost connection, a status of 429, 500, 502, 503 or 504, or
/// `RequestTimeout`. The waits double from 100 ms and are of random length below that, so that many
/// clients don't come back at once. Every request that is sent from here may be sent twice: objects
/// are written whole under names of their own.
final class S3Client: Sendable {
    /// Requests for one answer at most.
    static let attemptsMax = 5
    /// For connecting, sending the body and the answer's head.
    static let answerMax: TimeAmount = .seconds(60)
    /// Bytes of an answer's body that are read as text: a page of a list with long names.
    static let textBytesMax = 4 << 20

    let bucket: S3Bucket
    private let signature: SignatureV4?
    private let sessionToken: String?
    private let http: HTTPClient

    init(_ bucket: S3Bucket, credentials: S3Credentials?) {
        self.bucket = bucket
        signature = credentials.map { SignatureV4(credentials: $0, region: bucket.region) }
        sessionToken = credentials?.sessionToken
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(30))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// A second shutdown says so and does nothing.
    deinit { http.shutdown { _ in } }

    func shutdown() async { try? await http.shutdown() }

    /// An answer with a status below 300, or 404.
    func answer(to request: S3Request) async throws(MediaStoreError) -> HTTPClientResponse {
        var attempt = 0
        while true {
            attempt += 1
            if let response = try? await http.execute(prepared(request), timeout: Self.answerMax) {
                switch response.status.code {
                case 200..<300:
                    return response
                case 404:
                    // Of a bucket that is not there the server says so; an object is just missing.
                    let code = await Self.errorCode(response)
                    guard code != "NoSuchBucket" else {
                        throw .refused(status: 404, code: code)
                    }
                    return response
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

    /// The answer's body as text, with its head.
    func text(
        _ request: S3Request
    ) async throws(MediaStoreError) -> (head: HTTPClientResponse, text: String) {
        for attempt in 1...Self.attemptsMax {
            let response = try await answer(to: request)
            if let body = try? await response.body.collect(upTo: Self.textBytesMax) {
                let text = String(buffer: body)
                // Some requests are answered with 200 before they are carried out.
                guard text.contains("<Error>") else { return (response, text) }
            }
            await Self.pause(attempt)
        }
        throw .unavailable(attempts: Self.attemptsMax)
    }

    /// Waits before the next attempt.
    static func pause(_ attempt: Int) async {
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
        switch request.body {
        case .none: break
        case .text(let text): prepared.body = .bytes(ByteBuffer(string: text))
        case .file(let file, let range, _):
            prepared.body = .stream(file.stream(range), length: .known(Int64(range.count)))
        }
        return prepared
    }

    /// What asking again does not mend; nil for what it may.
    private static func finalFailure(_ status: Int, _ code: String) -> MediaStoreError? {
        switch (status, code) {
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"): .full
        case (429, _), (500, _), (502...504, _), (_, "RequestTimeout"), (_, "SlowDown"): nil
        default: .refused(status: status, code: code)
        }
    }

    /// The server's own word for what is wrong; empty when it has none.
    private static func errorCode(_ response: HTTPClientResponse) async -> String {
        guard let body = try? await response.body.collect(upTo: 64 << 10) else { return "" }
        return XMLText(String(buffer: body)).first("Code") ?? ""
    }
}

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

/// Who asks a bucket's server. Never shown.
public struct S3Credentials: Sendable, Equatable {
    let accessKeyID: String
    let secretAccessKey: String
    let sessionToken: String?

    /// - Parameters:
    ///   - accessKeyID: as in `AWS_ACCESS_KEY_ID`.
    ///   - secretAccessKey: as in `AWS_SECRET_ACCESS_KEY`.
    ///   - sessionToken: as in `AWS_SESSION_TOKEN`, for keys that expire.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension S3Credentials: CustomStringConvertible, CustomReflectable {
    /// Says that there are some.
    public var description: String { "(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
