import Inspections
import Foundation
import Media
import Postgres
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct MediaRouteTests {
    private static let key = "X-API-Key: \(AppServer.key)"

    /// A server with one photo, `/media/memories/a/photo.jpg`.
    private func withPhoto(
        _ photo: [UInt8] = FormBody.wav(1000),
        _ body: @escaping @Sendable (AppServer, String) async throws -> Void
    ) async throws {
        try await AppServer.with { server in
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields,
                body: FormBody.bytes([FormBody.Part(filename: "a.wav", content: photo)]))
            #expect(answer.status == 200)
            let url = try #require(answer.json?["url"] as? String)
            try await body(server, String(url.dropFirst("http://test.example:81".count)))
        }
    }

    @Test func `a file is served with all headers that a client needs to keep it, and no more`()
        async throws
    {
        try await withPhoto { server, path in
            let answer = try await server.ask("GET", path)
            #expect(answer.status == 200)
            #expect(answer.headers["content-length"] == "1016")
            #expect(answer.headers["content-type"] == "audio/wav")
            #expect(answer.headers["accept-ranges"] == "bytes")
            #expect(answer.headers["cache-control"] == "private, no-cache")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["content-disposition"] == #"inline; filename="audio.m4a""#)
            #expect(answer.headers["content-security-policy"] == "default-src 'none'; sandbox")
            let etag = try #require(answer.headers["etag"])
            let head = try await server.ask("HEAD", path)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers["content-length"] == "1016")
            #expect(head.headers["etag"] == etag)
            let known = try await server.ask("GET", path, [Self.key, "If-None-Match: \(etag)"])
            #expect(known.status == 304)
            #expect(known.headers["etag"] == etag)
            #expect(known.headers["content-type"] == nil)
        }
    }

    @Test(arguments: [
        ("bytes=0-3", 206, "bytes 0-3/1016", "RIFF"),
        ("bytes=8-11", 206, "bytes 8-11/1016", "WAVE"),
        ("bytes=1015-", 206, "bytes 1015-1015/1016", "\u{7}"),
        ("bytes=-1", 206, "bytes 1015-1015/1016", "\u{7}"),
        ("bytes=1014-99999", 206, "bytes 1014-1015/1016", "\u{7}\u{7}"),
        ("bytes=1016-", 416, "bytes */1016", nil as String?),
        ("bytes=-0", 416, "bytes */1016", nil),
        ("bytes=5-2", 200, nil as String?, nil),
        ("bytes=0-1,4-5", 200, nil, nil),
        ("seconds=1-2", 200, nil, nil),
        ("nonsense", 200, nil, nil),
    ])
    func `a range is served`(
        range: String, status: Int, contentRange: String?, body: String?
    ) async throws {
        try await withPhoto { server, path in
            let answer = try await server.ask("GET", path, [Self.key, "Range: \(range)"])
            #expect(answer.status == status)
            #expect(answer.headers["content-range"] == contentRange)
            if let body { #expect(answer.body == body) }
            if status == 416 {
                #expect(
                    answer.body == #"{"status":"error","error":"the file has only 1016 bytes"}"#)
            }
            let head = try await server.ask("HEAD", path, [Self.key, "Range: \(range)"])
            #expect(head.status == 200)
        }
    }

    @Test func `a range of a file that has changed is the whole file`() async throws {
        try await withPhoto { server, path in
            let etag = try #require(try await server.ask("HEAD", path).headers["etag"])
            func ask(_ tag: String) async throws -> Int {
                try await server.ask(
                    "GET", path, [Self.key, "Range: bytes=0-1", "If-Range: \(tag)"]
                ).status
            }
            #expect(try await ask(etag) == 206)
            #expect(try await ask("\"other\"") == 200)
            #expect(try await ask("Fri, 23 Jan 2026 14:30:00 GMT") == 200)
            let wrong = try await server.ask("GET", path, [Self.key, "If-Match: \"other\""])
            #expect(wrong.status == 412)
            #expect(wrong.json?["status"] as? String == "error")
        }
    }

    @Test(arguments: [
        "/media/memories/a/photo.jpg", "/media/memories/b/audio.m4a", "/media/memories", "/media/x",
        "/media/memories/a/../a/audio.m4a", "/media/memories/%2e%2e/audio.m4a", "/media//",
        "/media/..%2f..%2f..%2fetc/passwd", "/media/memories/a/audio.m4a%00", "/media/%ff",
        "/media/objects/ab", "/media", "/media/",
    ])
    func `a file that no row names is not found`(path: String) async throws {
        try await withPhoto { server, _ in
            for method in ["GET", "HEAD"] {
                let answer = try await server.ask(method, path)
                #expect(answer.status == 404)
                #expect(answer.headers["content-type"] == "application/json")
                if method == "GET" {
                    #expect(answer.body == #"{"status":"error","error":"Not Found"}"#)
                }
            }
        }
    }

    /// More than the kernel takes at once, for a slow client, in several requests on one
    /// connection.
    @Test func `a large file arrives whole, also at a slow client`() async throws {
        try await AppServer.with { server in
            let photo = FormBody.jpeg(8 << 20)
            let upload = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo(photo))
            #expect(upload.status == 200)
            try await onThread {
                let client = try server.client(receiveBytes: 65_536)
                let ask = "GET /media/memories/a/photo.jpg HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n"
                func receive(_ range: Range<Int>, _ field: String = "") throws {
                    try client.send(ask + field + "\r\n")
                    var head: [UInt8] = []
                    while head.suffix(4) != [13, 10, 13, 10] {
                        head += try client.receive(count: 1)
                    }
                    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
                        let count = min(1 << 20, range.upperBound - start)
                        let piece = try client.receive(count: count)
                        #expect(piece == Array(photo[start..<start + count]), "\(start)")
                    }
                }
                try receive(0..<photo.count)
                try receive(1_000_000..<3_000_000, "Range: bytes=1000000-2999999\r\n")
                try receive(0..<photo.count)
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.receiveAnswer().status == 200)
            }
        }
    }

    @Test(arguments: [0, 1, 500])
    func `a file that lost bytes is an error, and the server goes on`(left: Int) async throws {
        try await withPhoto { server, path in
            let name = try #require(try server.value("select object from sluice.media_file"))
            let file = "\(server.directory)/objects/\(name.prefix(2))/\(name.dropFirst(2))"
            #expect(truncate(file, off_t(left)) == 0)
            #expect(try await server.ask("GET", path).status == 500)
            #expect(try await server.ask("GET", "/media/memories/other/photo.jpg").status == 404)
        }
    }

    /// A link may lead anywhere, and reading a FIFO would never end.
    @Test(arguments: ["nothing", "link", "directory", "FIFO", "link of its directory"])
    func `a file that the store has lost, or that is none, is not found`(
        left: String
    ) async throws {
        try await withPhoto { server, path in
            let name = try #require(try server.value("select object from sluice.media_file"))
            let directory = "\(server.directory)/objects/\(name.prefix(2))"
            let file = directory + "/" + name.dropFirst(2)
            let other = server.directory + "/other"
            if left == "link of its directory" {
                try FileManager.default.moveItem(atPath: directory, toPath: other)
                #expect(symlink(other, directory) == 0)
            } else {
                try FileManager.default.moveItem(atPath: file, toPath: other)
                switch left {
                case "link": #expect(symlink(other, file) == 0)
                case "directory": #expect(mkdir(file, 0o700) == 0)
                case "FIFO": #expect(mkfifo(file, 0o600) == 0)
                default: break
                }
            }
            let answer = try await server.ask("GET", path)
            #expect(answer.status == 404)
            #expect(answer.body == #"{"status":"error","error":"Not Found"}"#)
        }
    }
}
