import Access
import NIOHTTP1
import Testing

@testable import Edge

struct FileFetchTests {
    private static let path = "/media/memories/a/photo.jpg"

    private static func fetch(
        _ uri: String = path, _ fields: [(String, String)] = [], method: HTTPMethod = .GET,
        version: HTTPVersion = .http1_1, host: String? = "a.example"
    ) -> FileFetch? {
        var head = HTTPRequestHead(version: version, method: method, uri: uri)
        if let host { head.headers.add(name: "Host", value: host) }
        for (name, value) in fields { head.headers.add(name: name, value: value) }
        return FileFetch(head, Route(uri: uri), IngestHead(head).framing)
    }

    @Test func `who asks and from where is taken along`() throws {
        let wanted = try #require(
            Self.fetch(
                fields: [
                    ("AUTHORIZATION", "Bearer t"), ("x-api-key", "k"), ("Origin", "http://o"),
                    ("Accept", "image/*"), ("Content-Length", "0"), ("Connection", "close"),
                ])
        ).wanted
        #expect(wanted.path == Self.path)
        #expect(wanted.credentials.token == "t")
        #expect(wanted.credentials.origin == "http://o")
        #expect(wanted.credentials.authority == "a.example")
        #expect(Self.fetch(fields: [("X-API-Key", "k")])?.wanted.credentials.token == "k")
    }

    private static func fetch(fields: [(String, String)]) -> FileFetch? { fetch(path, fields) }

    @Test(arguments: [
        ("Range", "bytes=0-1"), ("range", ""), ("If-Range", "x"), ("If-Match", "x"),
        ("If-None-Match", "x"), ("IF-MODIFIED-SINCE", "x"), ("If-Unmodified-Since", "x"),
        ("Expect", "100-continue"), ("Expect", "x"), ("Upgrade", "websocket"),
        ("Transfer-Encoding", "chunked"), ("Content-Length", "1"), ("Content-Length", "x"),
        ("Host", "b.example"),
    ])
    func `a field that asks for more than the file is the router's`(field: (String, String)) {
        #expect(Self.fetch(fields: [field]) == nil)
    }

    @Test(arguments: ["Host", "Origin", "X-API-Key", "Authorization"])
    func `a field that stands twice is the router's`(name: String) {
        #expect(Self.fetch(fields: [(name, "a"), (name, "a")]) == nil)
    }

    @Test(arguments: [
        "/media/memories/a/photo.jpg?", "/media/memories/a/photo.jpg?w=1", "/media/a%62/photo.jpg",
        "/media/memories/a/ph\u{f6}to.jpg", "/media/memories/a#b", "/", "/upload/a", "/ingest",
        "/api/users/user/kim/multimedia/files", "/api/users/user/kim/multimedia/files/a?w=100",
        "/mediax/a",
    ])
    func `another target is the router's`(uri: String) {
        #expect(Self.fetch(uri) == nil)
    }

    @Test func `another method, version or no host is the router's`() {
        #expect(Self.fetch(method: .HEAD) == nil)
        #expect(Self.fetch(method: .POST) == nil)
        #expect(Self.fetch(version: .http1_0) == nil)
        #expect(Self.fetch(version: .http2) == nil)
        #expect(Self.fetch(host: nil) == nil)
        #expect(Self.fetch(host: "") == nil)
        #expect(Self.fetch() != nil)
        #expect(Self.fetch("/api/users/user/kim/multimedia/files/a") != nil)
    }
}
