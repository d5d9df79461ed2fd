import Foundation
import Postgres
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Stored files that clients request.
@Suite(.timeLimit(.minutes(10))) struct JournalFileTests {
    @Test func `a file is served to anybody, and can't act as anything but itself`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload(filename: "näme %22x%22.jpg")
            let answer = try await server.ask("GET", file.path, [], host: "elsewhere.example")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "image/jpeg")
            #expect(answer.headers["content-length"] == "\(JournalSamples.jpeg.count)")
            #expect(answer.headers["accept-ranges"] == "bytes")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["content-security-policy"] == "default-src 'none'; sandbox")
            #expect(
                answer.headers["cache-control"] == "private, max-age=31536000, immutable")
            #expect(
                answer.headers["content-disposition"]
                    == "inline; filename=\"n_me _x_.jpg\"; filename*=UTF-8''n%C3%A4me%20%22x%22.jpg"
            )
            #expect(try await server.download(file.path).content == JournalSamples.jpeg)
            let etag = try #require(answer.headers["etag"])
            #expect(etag.hasPrefix("\"") && etag.hasSuffix("\""))
            let head = try await server.ask("HEAD", file.path, [])
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["etag"] == etag)
            #expect(head.headers["content-length"] == "\(JournalSamples.jpeg.count)")
            let known = try await server.ask("GET", file.path, ["If-None-Match: \(etag)"])
            #expect(known.status == 304 && known.headers["etag"] == etag)
            let changed = try await server.ask("GET", file.path, ["If-None-Match: \"other\""])
            #expect(changed.status == 200)
        }
    }

    private static let ranges: [(String, Int, String?, Range<Int>?)] = [
        ("bytes=0-9", 206, "bytes 0-9/", 0..<10), ("bytes=-5", 206, nil, 202..<207),
        ("bytes=100-", 206, nil, 100..<207), ("bytes=207-", 416, "bytes */", nil),
        ("bytes=0-1,3-4", 200, nil, 0..<207),
    ]

    @Test(arguments: ranges)
    func `a range of a file is served`(
        range: String, status: Int, contentRange: String?, bytes: Range<Int>?
    ) async throws {
        try await AppServer.with { server in
            let file = try await server.upload()
            let answer = try await server.download(file.path, ["Range: \(range)"])
            #expect(answer.head.hasPrefix("http/1.1 \(status) "))
            if let contentRange {
                #expect(answer.head.contains("content-range: \(contentRange)207"))
            }
            if let bytes { #expect(answer.content == Array(JournalSamples.jpeg[bytes])) }
            if status == 416 {
                #expect(String(decoding: answer.content, as: UTF8.self).hasSuffix("\"code\":416}"))
            }
            let etag = try #require(try await server.ask("HEAD", file.path, []).headers["etag"])
            for (tag, expected) in [(etag, status), ("\"other\"", 200)] {
                let conditional = try await server.ask(
                    "HEAD", file.path, ["Range: \(range)", "If-Range: \(tag)"])
                #expect(conditional.status == 200)
                let head = try await server.download(
                    file.path, ["Range: \(range)", "If-Range: \(tag)"]
                ).head
                #expect(head.hasPrefix("http/1.1 \(expected) "), "\(tag)")
            }
        }
    }

    @Test func `a missing file, or another user's, is not found`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload()
            let base = "/api/users/user"
            let wrong = [
                "\(base)/ann/multimedia/files/\(file.id)",
                "\(base)/kim/multimedia/files/\(String(repeating: "0", count: 32))",
                "\(base)/kim/multimedia/files/\(file.id.uppercased())x",
                "\(base)/kim/multimedia/files/..%2f..%2fetc%2fpasswd",
                "\(base)/kim/multimedia/files/%00",
                "\(base)/kim/multimedia/files/" + String(repeating: "a", count: 5000),
            ]
            for path in wrong {
                server.expectFailure(try await server.ask("GET", path, []), 404)
                let head = try await server.ask("HEAD", path, [])
                #expect(head.status == 404 && head.body.isEmpty)
            }
            server.expectFailure(
                try await server.ask("PUT", file.path, [], body: [1]), 405)
            let refused = try await server.ask("PUT", file.path, [], body: [1])
            #expect(refused.headers["allow"] == "GET, HEAD, DELETE")
            server.expectFailure(try await server.ask("GET", "/api/users/nobody", []), 404)
        }
    }

    @Test func `a thumbnail is a smaller picture, made once`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload()
            let whole = try await server.ask("HEAD", file.path, [])
            let none = try await server.ask("HEAD", "\(file.path)?w=16", [])
            // The picture is narrow enough already.
            #expect(none.status == 200 && none.headers["etag"] == whole.headers["etag"])
            for width in ["0", "15", "2049", "-1", "x", "1e2", "", "99999999999999999999"] {
                server.expectFailure(
                    try await server.ask("GET", "\(file.path)?w=\(width)", []), 400,
                    details: "16 to 2048")
            }
        }
    }

    @Test func `sound has no thumbnail`() async throws {
        try await AppServer.with { server in
            let answer = try await server.post(
                "moods",
                [
                    AppServer.text("mood", "m"),
                    AppServer.file(
                        JournalSamples.wav(seconds: 1), name: "voiceNote", filename: "v.wav"),
                ])
            let mood = try #require(answer.json?["mood"] as? [String: Any])
            let url = try #require(mood["voiceNote"] as? String)
            let path = String(url.dropFirst("http://test.example:81".count))
            server.expectFailure(try await server.ask("GET", "\(path)?w=100", []), 422)
        }
    }

    @Test func `a deleted file is gone, and only its owner can delete it`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload()
            server.expectFailure(
                try await server.ask("DELETE", "/api/users/user/ann/multimedia/files/\(file.id)"),
                404)
            #expect(try await server.ask("GET", file.path, []).status == 200)
            let answer = try await server.ask("DELETE", file.path)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json?["success"] as? Bool == true)
            server.expectFailure(try await server.ask("DELETE", file.path), 404)
            server.expectFailure(try await server.ask("GET", file.path, []), 404)
            #expect(try server.journalRows() == 0)
        }
    }
}
