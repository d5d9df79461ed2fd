import AsyncHTTPClient
import NIOCore
import S3

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
            let body = Self.body(source, 0..<file.bytes, digest)
            return try await translated { () async throws(S3Error) in
                try await client.put(body, at: key)
            }
        }
        var upload = try await translated { () async throws(S3Error) in
            try await S3Upload.begin(key, client)
        }
        do throws(MediaStoreError) {
            try await sendParts(source, to: &upload)
            let whole = upload
            try await translated { () async throws(S3Error) in try await whole.complete() }
        } catch {
            try? await upload.abort()
            throw error
        }
    }

    private func sendParts(
        _ source: FileSource, to upload: inout S3Upload
    ) async throws(MediaStoreError) {
        // The smallest size that needs no more parts than allowed.
        let partBytes = max(
            self.partBytes, (source.bytes + S3Upload.partsMax - 1) / S3Upload.partsMax)
        for start in stride(from: 0, to: source.bytes, by: partBytes) {
            let range = start..<min(start + partBytes, source.bytes)
            let part = Self.body(source, range, try await source.digest(range))
            do throws(S3Error) {
                try await upload.send(part)
            } catch {
                throw MediaStoreError(error)
            }
        }
    }

    private static func body(
        _ source: FileSource, _ range: Range<Int>, _ digest: MediaDigest
    ) -> S3Body {
        S3Body(digest: digest.hex) {
            .stream(source.stream(range), length: .known(Int64(range.count)))
        }
    }
}

extension MediaStoreError {
    /// The error of a call to a bucket.
    init(_ error: S3Error) {
        switch error {
        case .full: self = .full
        case .refused(let status, let code): self = .refused(status: status, code: code)
        case .unavailable(let attempts): self = .unavailable(attempts: attempts)
        }
    }
}

/// Carries out a call to a bucket.
func translated<Value>(
    _ call: () async throws(S3Error) -> Value
) async throws(MediaStoreError) -> Value {
    do throws(S3Error) {
        return try await call()
    } catch {
        throw MediaStoreError(error)
    }
}
