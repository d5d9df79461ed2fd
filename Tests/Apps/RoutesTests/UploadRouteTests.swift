import Inspections
import Auth
import Foundation
import Instruments
import Media
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

@Suite(.timeLimit(.minutes(10))) struct UploadRouteTests {
    @Test func `an upload is answered with the URL that serves it`() async throws {
        try await AppServer.with { server in
            let photo = FormBody.jpeg()
            let answer = try await server.ask(
                "POST", "/upload/ABC-123", FormBody.fields, body: FormBody.photo(photo))
            #expect(answer.status == 200)
            #expect(
                answer.body == #"{"status":"success","url":"http://test.example:81/media/memories/"#
                    + #"ABC-123/photo.jpg","captureId":"ABC-123"}"#)
            #expect(answer.headers["content-type"] == "application/json")
            let path = try #require(MediaPath("memories/ABC-123/photo.jpg"))
            let media = try #require(try await server.library.open(path))
            #expect(Array(try await media.source.contents().readableBytesView) == photo)
            #expect(media.file.contentType == "image/jpeg")
            #expect(media.file.owner == nil)
            #expect(server.registry.render().contains("sluice_upload_bytes_total \(photo.count)\n"))
        }
    }

    /// All at the same time, some twice: the first upload gets the plain path.
    @Test func `without named users no photo is replaced, whatever its id`()
        async throws
    {
        try await AppServer.with(access: { _ in }) { server in
            let urls = try await withThrowingTaskGroup(of: (UInt8, String).self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let seed = UInt8(number % 6)
                        func upload() async throws -> ParsedAnswer {
                            try await server.ask(
                                "POST", "/upload/20260123143000", FormBody.fields,
                                host: "localhost",
                                body: FormBody.photo(FormBody.jpeg(seed: seed)))
                        }
                        var answer = try await upload()
                        // The database is slow on a busy machine.
                        while answer.status == 503 { answer = try await upload() }
                        #expect(answer.status == 200)
                        return (seed, try #require(answer.json?["url"] as? String))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(urls.map(\.1)).count == 6)
            #expect(urls.contains { $0.1.hasSuffix("/media/memories/20260123143000/photo.jpg") })
            for (seed, url) in urls {
                let text = try #require(url.split(separator: "/media/").last)
                let path = try #require(MediaPath(String(text)))
                let media = try #require(try await server.library.open(path))
                let bytes = try await media.source.contents().readableBytesView
                #expect(Array(bytes) == FormBody.jpeg(seed: seed))
            }
        }
    }

    @Test func `a photo and a sound with one id are stored side by side`() async throws {
        try await AppServer.with { server in
            for content in [FormBody.jpeg(seed: 1), FormBody.wav()] {
                let body = FormBody.bytes([FormBody.Part(filename: "x", content: content)])
                let answer = try await server.ask("POST", "/upload/a", FormBody.fields, body: body)
                #expect(answer.status == 200)
            }
            #expect(try server.value("select count(*)::text from sluice.media_file") == "2")
            let sound = try server.value(
                "select content_type from sluice.media_file where path = 'memories/a/audio.m4a'")
            #expect(sound == "audio/wav")
        }
    }

    /// The real file, as it is served after it was uploaded with a claim; nil: it is refused.
    @Test(
        arguments: [
            ("sound.mp4", "audio/mpeg", "audio/mp4"), ("gps.m4a", "audio/mpeg", "audio/mp4"),
            ("note.wav", "audio/mp4", "audio/wav"), ("note.mp3", "audio/mp4", "audio/mpeg"),
            ("gps.png", "image/jpeg", "image/png"), ("gps.mp4", "audio/mp4", nil),
            ("gps.mov", "audio/mp4", nil),
        ] as [(String, String, String?)])
    func `a file is served as what it is, not as what was claimed`(
        name: String, claim: String, served: String?
    ) async throws {
        let content = Array(
            try Data(contentsOf: Project.file("Tests/Apps/MediaTests/Journal/Corpus/\(name)")))
        try await expect(content, claimed: claim, isServedAs: served)
    }

    @Test(
        arguments: [
            ([0x1A, 0x45, 0xDF, 0xA3], "audio/mp3", "video/webm"),
            (Array("OggS".utf8), "audio/mp4", "audio/ogg"),
            (Array("neither".utf8), "image/jpeg", "application/octet-stream"),
            (Array("<html>".utf8), "audio/mp4", "application/octet-stream"),
            (Array("GIF89a".utf8), "audio/mp4", nil),
        ] as [([UInt8], String, String?)])
    func `a file is served as what its first bytes are`(
        start: [UInt8], claim: String, served: String?
    ) async throws {
        try await expect(
            start + [UInt8](repeating: 7, count: 100), claimed: claim, isServedAs: served)
    }

    private func expect(
        _ content: [UInt8], claimed claim: String, isServedAs served: String?
    ) async throws {
        try await AppServer.with { server in
            let part = FormBody.Part(filename: "x", type: claim, content: content)
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.bytes([part]))
            guard let served else {
                #expect(answer.status == 415)
                return
            }
            try #require(answer.status == 200, "\(answer.body)")
            let url = try #require(answer.json?["url"] as? String)
            let file = try await server.ask(
                "HEAD", String(url.dropFirst("http://test.example:81".count)))
            #expect(file.headers["content-type"] == served)
            let isShown = served != "application/octet-stream"
            #expect(
                file.headers["content-disposition"]?.hasPrefix(isShown ? "inline" : "attachment")
                    == true)
        }
    }

    @Test func `other parts are ignored`() async throws {
        try await AppServer.with { server in
            let body = FormBody.bytes([
                FormBody.Part(name: "note", content: Array("hello\r\n--world".utf8)),
                FormBody.Part(
                    name: "thumbnail", filename: "t.png", type: "image/png", content: [1]),
                FormBody.Part(content: FormBody.jpeg()),
                FormBody.Part(name: "", content: []),
            ])
            let answer = try await server.ask("POST", "/upload/a", FormBody.fields, body: body)
            #expect(answer.status == 200)
            #expect(try server.files().objects == 1)
        }
    }

    @Test func `the URL begins as configured`() async throws {
        try await AppServer.with(routes: { $0.publicURL = "https://m.example.org/sluice/" }) {
            server in
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo())
            #expect(
                answer.json?["url"] as? String
                    == "https://m.example.org/sluice/media/memories/a/photo.jpg")
        }
    }

    @Test(arguments: [
        ("127.0.0.0/8", "https", "https://m.example.org:8443"),
        ("127.0.0.0/8", "WSS", "https://m.example.org:8443"),
        ("127.0.0.0/8", "ws", "http://m.example.org:8443"),
        ("10.0.0.0/8,::1", "https", "http://test.example:81"),
        ("", "https", "http://test.example:81"),
    ])
    func `the URL begins as a trusted proxy says`(
        proxies: String, scheme: String, start: String
    ) async throws {
        try await AppServer.with(routes: { $0.trustedProxies = TrustedProxies(proxies)! }) {
            server in
            let fields = [
                "X-Forwarded-Proto: http, \(scheme)", "X-Forwarded-Host: m.example.org:8443",
            ]
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields + fields, body: FormBody.photo())
            #expect(answer.json?["url"] as? String == start + "/media/memories/a/photo.jpg")
        }
    }

    @Test func `a forwarded host that is none is ignored, and addresses are hosts`() async throws {
        try await AppServer.with(routes: { $0.trustedProxies = TrustedProxies("127.0.0.0/8")! }) {
            server in
            for (forwarded, host) in [
                ("a/b\"c", nil), ("a b", nil), ("..", nil), (".", nil), ("a..b", nil), ("a:", nil),
                ("a:0", nil), ("[::1", nil), ("[a]", nil), ("[1.2.3.4]", nil), ("", nil),
                ("a.example, b c", nil), ("[::1]:8443", "[::1]:8443"),
                ("\t192.0.2.7 ", "192.0.2.7"),
                ("a b, m-1.example.org.", "m-1.example.org."),
            ] as [(String, String?)] {
                let answer = try await server.ask(
                    "POST", "/upload/a", FormBody.fields + ["X-Forwarded-Host: \(forwarded)"],
                    body: FormBody.photo())
                #expect(
                    answer.json?["url"] as? String
                        == "http://\(host ?? "test.example:81")/media/memories/a/photo.jpg",
                    "\(forwarded): \(answer.body)")
            }
        }
    }

    @Test func `lists of proxies`() {
        for right in ["", "10.0.0.0/8", "::1, fd00::/8,192.0.2.7"] {
            #expect(TrustedProxies(right) != nil, "\(right)")
        }
        for wrong in ["localhost", "10.0.0.0/33", "10.0.0/8", "::1/129", "1.2.3.4/", "1.2.3.4/8/8"]
        {
            #expect(TrustedProxies(wrong) == nil, "\(wrong)")
        }
    }

    /// Without a Host there is no URL to return, and an invalid one must not appear in it.
    @Test(arguments: [
        "Host: a\"b", "Host: a/b", "Host: a b", "Host: <script>", "Host: ..", "Host:",
    ])
    func `an invalid host is refused`(host: String) async throws {
        try await AppServer.with { server in
            let answer = try await onThread {
                let client = try server.client()
                let body = FormBody.photo()
                try client.send(
                    "POST /upload/a HTTP/1.1\r\n\(host)\r\n\(FormBody.field)\r\n"
                        + "X-API-Key: \(AppServer.key)\r\nContent-Length: \(body.count)\r\n\r\n")
                try client.send(body)
                return try client.receiveAnswer()
            }
            #expect(answer.status == 400)
        }
    }

    private struct Wrong: Sendable {
        let name: String
        let status: Int
        var id = "a"
        var fields = FormBody.fields
        let body: [UInt8]
    }

    private static let wrong: [Wrong] = {
        let photo = FormBody.photo()
        func form(_ parts: FormBody.Part...) -> [UInt8] { FormBody.bytes(parts) }
        func part(_ type: String?, _ name: String?, _ content: [UInt8]) -> FormBody.Part {
            FormBody.Part(filename: name, type: type, content: content)
        }
        let key = "X-API-Key: \(AppServer.key)"
        let plain = Array("Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do".utf8)
        return [
            Wrong(name: "cut off", status: 400, body: Array(photo.dropLast(5))),
            Wrong(name: "cut off in the middle", status: 400, body: Array(photo.prefix(1000))),
            Wrong(name: "nothing", status: 400, body: []),
            Wrong(name: "no boundary in it", status: 400, body: plain),
            Wrong(name: "no parts", status: 400, body: FormBody.bytes([])),
            Wrong(
                name: "no part named file", status: 400,
                body: form(
                    FormBody.Part(name: "photo", filename: "a.jpg", content: FormBody.jpeg()))),
            Wrong(
                name: "two files", status: 400,
                body: form(part("image/jpeg", nil, FormBody.jpeg()), part(nil, nil, [1]))),
            Wrong(name: "an empty file", status: 400, body: form(part("image/jpeg", "a.jpg", []))),
            Wrong(
                name: "no boundary named", status: 400,
                fields: ["Content-Type: multipart/form-data", key],
                body: photo),
            Wrong(
                name: "another content type", status: 415,
                fields: ["Content-Type: image/jpeg", key],
                body: FormBody.jpeg()),
            Wrong(name: "no content type", status: 415, fields: [key], body: photo),
            Wrong(
                name: "compressed", status: 415,
                fields: FormBody.fields + ["Content-Encoding: gzip"],
                body: photo),
            Wrong(name: "a text", status: 415, body: form(part("text/plain", "a.txt", plain))),
            Wrong(name: "nobody knows what", status: 415, body: form(part(nil, nil, plain))),
            Wrong(
                name: "a sound that claims to be a picture", status: 415,
                body: form(part("image/jpeg", "a.jpg", FormBody.wav()))),
            Wrong(
                name: "a picture that claims to be a sound", status: 415,
                body: form(part("audio/mp4", "a.m4a", FormBody.jpeg()))),
            Wrong(
                name: "a huge header", status: 400,
                body: form(
                    part("image/jpeg", String(repeating: "x", count: 20_000), FormBody.jpeg()))),
            Wrong(name: "a way out", status: 400, id: "%2e%2e%2fetc", body: photo),
            Wrong(name: "dots", status: 400, id: "..", body: photo),
            Wrong(name: "a hidden file", status: 400, id: ".a", body: photo),
            Wrong(name: "a slash", status: 400, id: "a%2Fb", body: photo),
            Wrong(name: "a backslash", status: 400, id: "a%5Cb", body: photo),
            Wrong(name: "NUL", status: 400, id: "a%00b", body: photo),
            Wrong(name: "no UTF-8", status: 400, id: "a%FFb", body: photo),
            Wrong(name: "a broken escape", status: 400, id: "a%4", body: photo),
            Wrong(name: "long", status: 400, id: String(repeating: "a", count: 129), body: photo),
        ]
    }()

    @Test func `a request that is not an upload is refused, and nothing of it is kept`()
        async throws
    {
        try await AppServer.with { server in
            for wrong in Self.wrong {
                let answer = try await server.ask(
                    "POST", "/upload/\(wrong.id)", wrong.fields, body: wrong.body)
                #expect(answer.status == wrong.status, "\(wrong.name): \(answer)")
                #expect(answer.json?["status"] as? String == "error", "\(wrong.name)")
                let error = answer.json?["error"] as? String
                #expect(error?.hasPrefix("upload failed: ") == true, "\(wrong.name)")
            }
            #expect(try server.value("select count(*)::text from sluice.media_file") == "0")
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `a file of the largest size is accepted and a larger one is not`() async throws {
        let max = 100_000
        try await AppServer.with(routes: { $0.captureBytesMax = max }) { server in
            let fits = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo(FormBody.jpeg(max)))
            #expect(fits.status == 200)
            let over = try await server.ask(
                "POST", "/upload/b", FormBody.fields, body: FormBody.photo(FormBody.jpeg(max + 1)))
            #expect(over.status == 413)
            #expect(
                over.body == #"{"status":"error","error":"upload failed: "#
                    + #"the file must not be larger than 100000 bytes"}"#)
            let many = (0..<20).map { _ in
                FormBody.Part(name: "x", content: [UInt8](repeating: 1, count: 80_000))
            }
            let stuffed = try await server.ask(
                "POST", "/upload/c", FormBody.fields,
                body: FormBody.bytes(many + [FormBody.Part(content: FormBody.jpeg())]))
            #expect(stuffed.status == 413)
            #expect(try server.value("select count(*)::text from sluice.media_file") == "1")
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `a declared length that is too large is refused at once`() async throws {
        try await AppServer.with { server in
            let answer = try await onThread {
                let client = try server.client()
                try client.send(
                    "POST /upload/a HTTP/1.1\r\nHost: a\r\n\(FormBody.field)\r\n"
                        + "X-API-Key: \(AppServer.key)\r\nContent-Length: 99999999999\r\n\r\n")
                return try client.receiveAnswer()
            }
            #expect(answer.status == 413)
            #expect(answer.headers["connection"] == "close")
        }
    }

    @Test func `a body in chunks of any size is accepted`() async throws {
        try await AppServer.with { server in
            let body = FormBody.photo(FormBody.jpeg(300))
            try await onThread {
                let client = try server.client()
                for size in [1, 2, 7, 64, 1000] {
                    try client.send(
                        "POST /upload/a\(size) HTTP/1.1\r\nHost: a\r\n\(FormBody.field)\r\n"
                            + "X-API-Key: \(AppServer.key)\r\nTransfer-Encoding: chunked\r\n\r\n"
                    )
                    for start in stride(from: 0, to: body.count, by: size) {
                        let chunk = body[start..<min(start + size, body.count)]
                        try client.send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk)
                        try client.send("\r\n")
                    }
                    try client.send("0\r\n\r\n")
                    #expect(try client.receiveAnswer().status == 200, "\(size)")
                }
            }
            let digests = try server.value(
                "select count(distinct digest)::text from sluice.media_file")
            #expect(digests == "1")
        }
    }
}
