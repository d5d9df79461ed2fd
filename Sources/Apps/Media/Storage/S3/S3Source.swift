import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import S3

/// An object in an ``S3Store``. After a lost connection a stream continues where it stopped.
final class S3Source: MediaSource {
    let bytes: Int
    private let object: ObjectName
    private let key: String
    private let client: S3Client

    init(_ object: ObjectName, key: String, bytes: Int, client: S3Client) {
        self.object = object
        self.key = key
        self.bytes = bytes
        self.client = client
    }

    func stream(_ range: Range<Int>) -> MediaStream {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes, "BUG: range=\(range) of \(bytes)")
        return MediaStream {
            let download = Download(self, range)
            return { try await download.next() }
        }
    }

    fileprivate func open(_ range: Range<Int>) async throws(MediaStoreError) -> HTTPClientResponse {
        let field = ("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        let response = try await translated { () async throws(S3Error) in
            try await client.answer(to: S3Request(key: key, headers: [field]))
        }
        switch response.status.code {
        case 206: return response
        case 200 where range == 0..<bytes: return response
        case 404: throw .missing(object)
        case let status: throw .refused(status: Int(status), code: "")
        }
    }

    /// One pass over a range.
    private final class Download {
        private let source: S3Source
        private var range: Range<Int>
        private var body: HTTPClientResponse.Body.AsyncIterator?
        private var rest = ByteBuffer()
        private var failures = 0

        init(_ source: S3Source, _ range: Range<Int>) {
            self.source = source
            self.range = range
        }

        func next() async throws -> ByteBuffer? {
            while rest.readableBytes == 0 {
                guard !range.isEmpty else { return nil }
                if body == nil { body = try await source.open(range).body.makeAsyncIterator() }
                do {
                    guard let piece = try await body?.next() else {
                        throw MediaStoreError.unavailable(attempts: failures)
                    }
                    rest = piece
                    failures = 0
                } catch {
                    try Task.checkCancellation()
                    body = nil
                    failures += 1
                    guard failures < S3Client.attemptsMax else {
                        throw MediaStoreError.unavailable(attempts: failures)
                    }
                    await S3Client.pause(failures)
                }
            }
            let count = min(rest.readableBytes, MediaStorage.pieceBytesMax, range.count)
            range = range.lowerBound + count..<range.upperBound
            let piece = rest.readSlice(length: count)
            if range.isEmpty { body = nil }
            return piece
        }
    }
}
