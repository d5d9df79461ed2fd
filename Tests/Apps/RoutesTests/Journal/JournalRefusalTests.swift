import Inspections
import Foundation
import Media
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Bodies that are not forms, and fields without a value that can be stored.
@Suite(.timeLimit(.minutes(10))) struct JournalRefusalTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var kind = "moods"
        var parts: [FormBody.Part] = []
        var status = 400
        var details: String?
    }

    private static func mood(_ name: String, _ text: String) -> [FormBody.Part] {
        [AppServer.text("mood", "m"), AppServer.text(name, text)]
    }

    private static let picture = AppServer.file(JournalSamples.jpeg)
    private static let title = AppServer.text("title", "t")

    private static func wrong(_ field: String, _ texts: [String]) -> [Wrong] {
        texts.map { text in
            Wrong(
                testDescription: "\(field) \(text)", parts: mood(field, text), details: field)
        }
    }

    static let wrongNumbers: [Wrong] =
        wrong("moodIntensity", ["0", "11", "7.5", "x", "-1", "1e1000", "NaN", "٣"])
        + wrong("createdAt", ["-1", "x", "1e400", "Infinity", "99999999999999999999"])
        + wrong("voiceNoteDuration", ["-0.5", "x", "inf"])

    static let wrongFields: [Wrong] = [
        Wrong(testDescription: "no mood", parts: [picture], details: "mood"),
        Wrong(
            testDescription: "blank mood", parts: [AppServer.text("mood", " \t\r\n ")],
            details: "mood"),
        Wrong(
            testDescription: "mood twice",
            parts: [AppServer.text("mood", "a"), AppServer.text("mood", "b")],
            details: "mood"),
        Wrong(
            testDescription: "mood too long",
            parts: [AppServer.text("mood", String(repeating: "x", count: 257))],
            details: "mood"),
        Wrong(
            testDescription: "note with NUL", parts: mood("note", "a\0b"), details: "note"),
        Wrong(
            testDescription: "note not UTF-8",
            parts: [
                AppServer.text("mood", "m"),
                FormBody.Part(name: "note", content: [0x61, 0xFF, 0xC0]),
            ], details: "note"),
        Wrong(
            testDescription: "two voice notes",
            parts: [
                AppServer.text("mood", "m"),
                AppServer.file(
                    JournalSamples.wav(seconds: 1), name: "voiceNote", filename: "a.wav"),
                AppServer.file(
                    JournalSamples.wav(seconds: 1), name: "voiceNote", filename: "b.wav"),
            ], details: "voiceNote"),
        Wrong(
            testDescription: "memory without title", kind: "memories", parts: [picture],
            details: "title"),
        Wrong(
            testDescription: "memory with blank title", kind: "memories",
            parts: [AppServer.text("title", "  ")], details: "title"),
        Wrong(
            testDescription: "event without date", kind: "events", parts: [title],
            details: "date"),
        Wrong(
            testDescription: "event without title", kind: "events",
            parts: [AppServer.text("date", "2026-01-24")], details: "title"),
        Wrong(
            testDescription: "event with blank date", kind: "events",
            parts: [title, AppServer.text("date", " ")], details: "date"),
        Wrong(
            testDescription: "event on no day", kind: "events",
            parts: [title, AppServer.text("date", "2026-02-30T10:00:00Z")],
            details: "date"),
        Wrong(
            testDescription: "event tomorrow", kind: "events",
            parts: [title, AppServer.text("date", "tomorrow")], details: "date"),
        Wrong(testDescription: "no file", kind: "multimedia", parts: [title]),
        Wrong(testDescription: "nothing", kind: "multimedia"),
        Wrong(
            testDescription: "an empty control", kind: "multimedia",
            parts: [AppServer.file([], filename: "", type: "application/octet-stream")]),
        Wrong(
            testDescription: "no profile picture", kind: "profile-picture",
            parts: [AppServer.file(JournalSamples.jpeg, name: "picture")]),
        Wrong(
            testDescription: "two profile pictures", kind: "profile-picture",
            parts: [picture, picture], details: "one file only"),
        Wrong(
            testDescription: "keepLocation maybe", kind: "multimedia",
            parts: [AppServer.text("keepLocation", "maybe"), picture],
            details: "keepLocation"),
    ]

    static let wrongFiles: [Wrong] = [
        Wrong(
            testDescription: "a page that claims to be a picture", kind: "multimedia",
            parts: [AppServer.file(Array("<html><script>alert(1)</script>".utf8))], status: 422),
        Wrong(
            testDescription: "sound among pictures", kind: "multimedia",
            parts: [AppServer.file(JournalSamples.wav(seconds: 1))], status: 422,
            details: "audio/wav"),
        Wrong(
            testDescription: "GIF as profile picture", kind: "profile-picture",
            parts: [AppServer.file(JournalSamples.gif)], status: 422, details: "image/gif"),
        Wrong(
            testDescription: "a picture as voice note",
            parts: [
                AppServer.text("mood", "m"),
                AppServer.file(
                    JournalSamples.jpeg, name: "voiceNote", filename: "v.m4a", type: "audio/m4a"),
            ], status: 422, details: "image/jpeg"),
        Wrong(
            testDescription: "SVG", kind: "multimedia",
            parts: [
                AppServer.file(
                    Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), filename: "a.svg",
                    type: "image/svg+xml")
            ], status: 422),
        Wrong(
            testDescription: "an empty file", kind: "profile-picture",
            parts: [AppServer.file([])], status: 400),
        Wrong(
            testDescription: "one byte", kind: "multimedia", parts: [AppServer.file([0xFF])],
            status: 422),
    ]

    @Test(arguments: wrongNumbers + wrongFields + wrongFiles)
    func `a field that can't be stored is refused, and nothing is kept`(
        wrong: Wrong
    ) async throws {
        try await AppServer.with { server in
            let answer = try await server.post(wrong.kind, wrong.parts)
            server.expectFailure(answer, wrong.status, details: wrong.details)
            #expect(try server.journalRows() == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `a body that is not a form is refused in the journal's envelope`() async throws {
        try await AppServer.with { server in
            let path = "\(AppServer.journal)/moods/swift"
            let form = FormBody.bytes([AppServer.text("mood", "m"), Self.picture])
            let key = "X-API-Key: \(AppServer.key)"
            let cases: [(status: Int, fields: [String], body: [UInt8])] = [
                (400, FormBody.fields, Array(form.dropLast(4))),
                (400, FormBody.fields, Array(form.prefix(200))),
                (400, FormBody.fields, []),
                (400, ["Content-Type: multipart/form-data", key], form),
                (415, ["Content-Type: application/json", key], Array("{}".utf8)),
                (415, [key], form),
                (415, FormBody.fields + ["Content-Encoding: gzip"], form),
                (413, FormBody.fields + ["Content-Length: 99999999999"], []),
            ]
            for (status, fields, body) in cases {
                let answer =
                    status == 413
                    ? try await server.ask("POST", path, fields)
                    : try await server.ask("POST", path, fields, body: body)
                server.expectFailure(answer, status)
            }
            #expect(try server.journalRows() == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `bytes in a file that look like the boundary belong to the file`() async throws {
        try await AppServer.with { server in
            let likes = ["\r\n--\(FormBody.boundary.dropLast())", "\r\n--", "\r\n\r\n--x\r\n"]
            // Within the picture: what is behind it is not kept.
            let (picture, end) = (JournalSamples.jpeg.dropLast(2), JournalSamples.jpeg.suffix(2))
            let content = Array(picture) + Array(likes.joined().utf8) + end
            let file = try await server.upload(content)
            #expect(try await server.download(file.path).content == content)
        }
    }

    @Test func `unknown fields are ignored, and too many are refused`() async throws {
        try await AppServer.with { server in
            let few = (0..<40).map { AppServer.text("field\($0)", "x") }
            let answer = try await server.post("moods", few + [AppServer.text("mood", "m")])
            #expect(answer.status == 200, "\(answer.body)")
            let many = (0..<1000).map { AppServer.text("field\($0)", "x") }
            server.expectFailure(
                try await server.post("moods", [AppServer.text("mood", "m")] + many), 400)
            #expect(try server.value("select count(*)::text from sluice.mood") == "1")
        }
    }

    @Test(arguments: [
        ("../../../etc/passwd", "passwd.jpg"), ("C:\\Users\\kim\\a.jpg", "a.jpg"),
        (".htaccess", "htaccess.jpg"), ("a.html", "a.html.jpg"), ("ä ö.JPG", "ä ö.JPG"),
        ("a;b=c.jpg", "a;b=c.jpg"),
    ])
    func `a file's name is a name and not a path`(sent: String, kept: String) async throws {
        try await AppServer.with { server in
            let file = try await server.upload(filename: sent)
            let told = try await server.ask("GET", "\(AppServer.journal)/multimedia/\(file.id)")
            let one = try #require(told.json?["file"] as? [String: [String: Any]])
            #expect(one["data"]?["name"] as? String == kept)
        }
    }

    @Test func `a huge name and one with NUL do no harm`() async throws {
        try await AppServer.with { server in
            let long = String(repeating: "x", count: 10_240) + ".jpg"
            let answer = try await server.post(
                "multimedia", [AppServer.file(JournalSamples.jpeg, filename: long)])
            if answer.status == 200 {
                let files = try #require(answer.json?["files"] as? [[String: [String: Any]]])
                let name = try #require(files.first?["data"]?["name"] as? String)
                #expect(name.utf8.count <= 255 && name.hasSuffix("x.jpg"))
            } else {
                server.expectFailure(answer, 400)
            }
            server.expectFailure(
                try await server.post(
                    "multimedia", [AppServer.file(JournalSamples.jpeg, filename: "a\0b.jpg")]),
                400)
        }
    }

    @Test func `a user whose files took their processor time waits, and nobody else does`()
        async throws
    {
        var inspection = InspectorConfiguration()
        inspection.secondsPerHour = 1
        try await AppServer.with(inspector: inspection) { server in
            let film = JournalSamples.expensiveFilm
            var answer = try await server.post("multimedia", [AppServer.file(film)])
            var count = 1
            while answer.status == 200, count < 200 {
                answer = try await server.post("multimedia", [AppServer.file(film)])
                count += 1
            }
            server.expectFailure(answer, 429, details: "processor time")
            #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(count > 1)
            #expect(
                try await server.post(
                    "multimedia", [AppServer.file(JournalSamples.jpeg)], user: "ann"
                ).status == 200)
        }
    }

    @Test func `without the program that reads files, uploads say so`() async throws {
        try await AppServer.with(inspectorPath: "/nowhere/sluice-inspect") { server in
            let answer = try await server.post(
                "multimedia", [AppServer.file(JournalSamples.jpeg)])
            server.expectFailure(answer, 503, details: "sluice-inspect")
            #expect(answer.headers["retry-after"] != nil)
            #expect(try server.journalRows() == 0)
        }
    }
}
