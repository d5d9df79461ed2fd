import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension S3Store {
    /// Sends a complete staged upload to the bucket.
    func place(_ file: UploadFile) async throws(MediaStoreError) -> ObjectName {
        let digest = try await disk.run { () throws(MediaStoreError) in try file.digest() }
        var generator = SystemRandomNumberGenerator()
        let name = ObjectName(digest, nonce: generator.next())
        try await send(file, digest, key: key(name))
        return name
    }

    private func send(
        _ file: UploadFile, _ digest: MediaDigest, key: String
    ) async throws(MediaStoreError) {
        let source = FileSource(file.descriptor, bytes: file.bytes, disk: disk)
        guard file.bytes > partBytes else {
            let body = S3Body.file(source, 0..<file.bytes, digest: digest.hex)
            let answer = try await client.answer(
                to: S3Request(
                    method: .PUT, key: key,
                    headers: [("content-type", "application/octet-stream")], body: body))
            return try Self.refuseNotFound(answer.status.code)
        }
        let (head, text) = try await client.text(
            S3Request(method: .POST, key: key, query: [("uploads", "")]))
        guard let upload = XMLText(text).first("UploadId") else {
            throw .refused(status: Int(head.status.code), code: "")
        }
        do throws(MediaStoreError) {
            let tags = try await sendParts(source, key: key, upload: upload)
            try await complete(tags, key: key, upload: upload)
        } catch {
            try? await drop(key: key, upload: upload)
            throw error
        }
    }

    /// - Returns: the server's tags of the parts, in order.
    private func sendParts(
        _ source: FileSource, key: String, upload: String
    ) async throws(MediaStoreError) -> [String] {
        // The smallest size that needs no more parts than allowed.
        let partBytes = max(
            self.partBytes, (source.bytes + Self.partsMax - 1) / Self.partsMax)
        var tags: [String] = []
        for start in stride(from: 0, to: source.bytes, by: partBytes) {
            let range = start..<min(start + partBytes, source.bytes)
            let digest = try await source.digest(range)
            let answer = try await client.answer(
                to: S3Request(
                    method: .PUT, key: key,
                    query: [("partNumber", String(tags.count + 1)), ("uploadId", upload)],
                    body: .file(source, range, digest: digest.hex)))
            try Self.refuseNotFound(answer.status.code)
            guard let tag = answer.headers.first(name: "etag") else {
                throw .refused(status: Int(answer.status.code), code: "")
            }
            tags.append(tag)
        }
        return tags
    }

    private func complete(
        _ tags: [String], key: String, upload: String
    ) async throws(MediaStoreError) {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber>"
                + "<ETag>\(XMLText.escaped(tag))</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let (head, _) = try await client.text(
            S3Request(
                method: .POST, key: key, query: [("uploadId", upload)],
                headers: [("content-type", "application/xml")], body: .text(body)))
        guard head.status != .notFound else {
            // An earlier attempt may have succeeded with its answer lost.
            let answer = try await client.answer(to: S3Request(method: .HEAD, key: key))
            return try Self.refuseNotFound(answer.status.code)
        }
    }

    private static func refuseNotFound(_ status: UInt) throws(MediaStoreError) {
        if status == 404 { throw .refused(status: 404, code: "") }
    }
}
