import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The upload of an object in parts. The bucket shows nothing of it before it is complete.
///
/// What is neither completed nor aborted stays, and costs space: see
/// ``S3Client/uploads(under:after:)``.
public struct S3Upload: Sendable {
    /// The most parts of an upload, Amazon's limit.
    public static let partsMax = 10_000
    /// The size of the smallest part that is not the last one, Amazon's limit.
    public static let partBytesMin = 5 << 20

    private let key: String
    private let id: String
    private let client: S3Client
    /// The server's tags of the parts, in order.
    private var tags: [String] = []

    init(of key: String, id: String, _ client: S3Client) {
        self.key = key
        self.id = id
        self.client = client
    }

    /// Begins an upload.
    public static func begin(
        _ key: String, _ client: S3Client
    ) async throws(S3Error) -> S3Upload {
        let (head, text) = try await client.text(
            S3Request(method: .POST, key: key, query: [("uploads", "")]))
        guard let id = XMLText(text).first("UploadId") else {
            throw .refused(status: Int(head.status.code), code: "")
        }
        return S3Upload(of: key, id: id, client)
    }

    /// Sends the next part.
    public mutating func send(_ part: S3Body) async throws(S3Error) {
        let answer = try await client.answer(
            to: S3Request(
                method: .PUT, key: key,
                query: [("partNumber", String(tags.count + 1)), ("uploadId", id)], body: part))
        try S3Client.refuseNotFound(answer)
        guard let tag = answer.headers.first(name: "etag") else {
            throw .refused(status: Int(answer.status.code), code: "")
        }
        tags.append(tag)
    }

    /// Makes the object of the parts.
    ///
    /// - Parameter replaces: as ``S3Client/put(_:at:type:replaces:)``.
    public func complete(replaces: Bool = true) async throws(S3Error) {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber>"
                + "<ETag>\(XMLText.escaped(tag))</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let (head, _) = try await client.text(
            S3Request(
                method: .POST, key: key, query: [("uploadId", id)],
                headers: [("content-type", "application/xml")]
                    + S3Client.condition(replaces: replaces),
                body: .bytes(ByteBuffer(string: body))))
        guard head.status != .notFound else {
            // An earlier attempt may have succeeded with its answer lost.
            let answer = try await client.answer(to: S3Request(method: .HEAD, key: key))
            return try S3Client.refuseNotFound(answer)
        }
    }

    /// Drops the parts.
    public func abort() async throws(S3Error) {
        _ = try await client.answer(
            to: S3Request(method: .DELETE, key: key, query: [("uploadId", id)]))
    }
}
