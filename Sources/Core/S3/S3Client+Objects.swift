import AsyncHTTPClient
import Glibc
public import NIOCore
import NIOHTTP1
import Times

/// Whole objects.
extension S3Client {
    /// An object's length and its age in seconds by the server's clock; nil when it does not exist.
    public func head(_ key: String) async throws(S3Error) -> (bytes: Int, age: Int)? {
        let response = try await answer(to: S3Request(method: .HEAD, key: key))
        guard response.status != .notFound else { return nil }
        guard let bytes = response.headers.first(name: "content-length").flatMap({ Int($0) }),
            let time = response.headers.first(name: "last-modified")
                .flatMap({ HTTPDate.unixSeconds($0) })
        else { throw .refused(status: Int(response.status.code), code: "") }
        return (bytes, Self.now(response) - Int(time))
    }

    /// A part of an object in memory.
    ///
    /// - Parameter range: not empty, and within the object.
    /// - Returns: nil when the object does not exist.
    public func contents(
        of key: String, _ range: Range<Int>
    ) async throws(S3Error) -> ByteBuffer? {
        precondition(!range.isEmpty, "BUG: range=\(range)")
        let field = ("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        for attempt in 1...Self.attemptsMax {
            let response = try await answer(to: S3Request(key: key, headers: [field]))
            guard response.status != .notFound else { return nil }
            if let body = try? await response.body.collect(upTo: range.count),
                body.readableBytes == range.count
            {
                return body
            }
            await Self.pause(attempt)
        }
        throw .unavailable(attempts: Self.attemptsMax)
    }

    /// Stores an object with one request.
    ///
    /// - Parameter replaces: false: only if there is none. It takes a server that knows `If-None-Match`
    ///   with a PUT.
    /// - Throws: an error that ``S3Error/isPreconditionFailed`` if there is one. After a lost answer
    ///   that may be the very object that this call stored.
    public func put(
        _ body: S3Body, at key: String, type: String = "application/octet-stream",
        replaces: Bool = true
    ) async throws(S3Error) {
        let response = try await answer(
            to: S3Request(
                method: .PUT, key: key,
                headers: [("content-type", type)] + Self.condition(replaces: replaces), body: body))
        try Self.refuseNotFound(response)
    }

    /// Removes an object; there need not be one.
    public func remove(_ key: String) async throws(S3Error) {
        _ = try await answer(to: S3Request(method: .DELETE, key: key))
    }

    /// One page of the objects whose keys begin with the text.
    ///
    /// - Parameters:
    ///   - key: the page begins after it; nil: the first page.
    ///   - limit: at most 1000.
    public func objects(
        under prefix: String, after key: String? = nil, limit: Int = 1000
    ) async throws(S3Error) -> S3Page {
        var query = [
            ("list-type", "2"), ("prefix", prefix), ("max-keys", String(min(limit, 1000))),
        ]
        if let key { query.append(("start-after", key)) }
        let (head, text) = try await self.text(S3Request(query: query))
        try Self.refuseNotFound(head)
        let list = XMLText(text)
        let entries = list.elements("Contents").compactMap { item -> S3Entry? in
            guard let key = item.first("Key") else { return nil }
            return S3Entry(key: key, upload: "", date: item.first("LastModified") ?? "")
        }
        return S3Page(
            entries: entries, now: Self.now(head),
            isTruncated: list.first("IsTruncated") == "true", marker: nil)
    }

    /// One page of the unfinished uploads whose keys begin with the text.
    ///
    /// - Parameter page: the one before; nil: the first page.
    public func uploads(
        under prefix: String, after page: S3Page? = nil
    ) async throws(S3Error) -> S3Page {
        var query = [("uploads", ""), ("prefix", prefix)]
        if let marker = page?.marker {
            query += [("key-marker", marker.key), ("upload-id-marker", marker.id)]
        }
        let (head, text) = try await self.text(S3Request(query: query))
        try Self.refuseNotFound(head)
        let list = XMLText(text)
        let entries = list.elements("Upload").compactMap { item -> S3Entry? in
            guard let key = item.first("Key"), let id = item.first("UploadId") else { return nil }
            return S3Entry(key: key, upload: id, date: item.first("Initiated") ?? "")
        }
        var marker: (key: String, id: String)?
        if list.first("IsTruncated") == "true", let key = list.first("NextKeyMarker"),
            let id = list.first("NextUploadIdMarker")
        {
            marker = (key, id)
        }
        return S3Page(
            entries: entries, now: Self.now(head), isTruncated: marker != nil, marker: marker)
    }

    /// Drops the parts of an unfinished upload.
    public func drop(_ entry: S3Entry) async throws(S3Error) {
        try await S3Upload(of: entry.key, id: entry.upload, self).abort()
    }

    /// The time on the server, or on this host if the answer has no date.
    static func now(_ response: HTTPClientResponse) -> Int {
        guard let date = response.headers.first(name: "date").flatMap({ HTTPDate.unixSeconds($0) })
        else { return time(nil) }
        return Int(date)
    }

    static func condition(replaces: Bool) -> [(String, String)] {
        replaces ? [] : [("if-none-match", "*")]
    }

    static func refuseNotFound(_ response: HTTPClientResponse) throws(S3Error) {
        if response.status == .notFound { throw .refused(status: 404, code: "") }
    }
}
