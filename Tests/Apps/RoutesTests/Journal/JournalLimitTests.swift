import Foundation
import Media
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Every limit, at its last byte and one byte beyond it.
@Suite(.timeLimit(.minutes(10)), .serialized) struct JournalLimitTests {
    private static func parts(_ kind: String, _ content: [UInt8]) -> [FormBody.Part] {
        kind == "voiceNote"
            ? [
                AppServer.text("mood", "m"),
                AppServer.file(
                    content, name: "voiceNote", filename: "v.wav", type: "audio/wav"),
            ] : [AppServer.file(content)]
    }

    private static func content(_ kind: String, _ bytes: Int) -> [UInt8] {
        if kind != "voiceNote" { return JournalSamples.jpeg(bytes: bytes) }
        let sound = JournalSamples.wav(seconds: 1)
        return sound + [UInt8](repeating: 0, count: bytes - sound.count)
    }

    @Test(arguments: [
        ("multimedia", 50 << 20), ("voiceNote", 25 << 20), ("profile-picture", 10 << 20),
    ])
    func `a file may have the size in the contract, and not a byte more`(
        kind: String, bytes: Int
    ) async throws {
        try await AppServer.with { server in
            let path = kind == "voiceNote" ? "moods" : kind
            let most = try await server.post(path, Self.parts(kind, Self.content(kind, bytes)))
            #expect(most.status == 200, "\(most.body)")
            #expect(
                try server.value("select max(bytes)::text from sluice.media_file") == "\(bytes)")
            let rows = try server.journalRows()
            let more = try await server.post(
                path, Self.parts(kind, Self.content(kind, bytes + 1)))
            server.expectFailure(more, 413, details: "\(bytes) bytes")
            #expect(try server.journalRows() == rows)
            #expect(try server.files().objects == 1)
            try await server.expectNothingUnderWay()
        }
    }

    @Test(arguments: ["multimedia", "moods", "memories", "events"])
    func `ten files are accepted and eleven are not`(kind: String) async throws {
        try await AppServer.with { server in
            let fields = [
                AppServer.text("mood", "m"), AppServer.text("title", "t"),
                AppServer.text("date", "2026-01-24"),
            ]
            let files = (0..<11).map { number in
                AppServer.file(
                    JournalSamples.jpeg(bytes: 300, seed: UInt8(number)),
                    name: number % 2 == 0 ? "file" : "image", filename: "\(number).jpg")
            }
            let ten = try await server.post(kind, fields + files.prefix(10))
            #expect(ten.status == 200, "\(ten.body)")
            #expect(
                try server.value("select count(*)::text from sluice.media_file") == "10")
            let rows = try server.journalRows()
            server.expectFailure(try await server.post(kind, fields + files), 400, details: "10")
            #expect(try server.journalRows() == rows)
            try await server.expectNothingUnderWay()
        }
    }

    /// The server need not receive a body that it discards.
    @Test func `a body that does not end is not read for ever`() async throws {
        try await AppServer.with(journal: {
            $0.fileBytesMax = 100_000
            $0.discardedBytesMax = 100_000
        }) { server in
            let form = FormBody.bytes([
                AppServer.file(JournalSamples.jpeg(bytes: 20_000_000))
            ])
            try await onThread {
                let client = try server.client()
                try client.send(
                    "POST \(AppServer.journal)/multimedia/swift HTTP/1.1\r\nHost: localhost\r\n"
                        + FormBody.fields.map { $0 + "\r\n" }.joined()
                        + "Transfer-Encoding: chunked\r\n\r\n")
                var sent = 0
                for piece in stride(from: 0, to: 1_000_000, by: 50_000) {
                    let bytes = Array(form[piece..<piece + 50_000])
                    try client.send("c350\r\n")
                    try client.send(bytes)
                    try client.send("\r\n")
                    sent += bytes.count
                }
                let answer = try client.receiveAnswer()
                server.expectFailure(answer, 413)
            }
            #expect(try server.journalRows() == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test(arguments: [
        ("moods", "mood", 256), ("memories", "title", 1024), ("events", "title", 1024),
        ("moods", "note", 16_384), ("moods", "reason", 16_384), ("moods", "tags", 8192),
        ("memories", "location", 1024), ("memories", "description", 16_384),
    ])
    func `a text may have its documented length, and not a byte more`(
        kind: String, field: String, bytes: Int
    ) async throws {
        try await AppServer.with { server in
            func send(_ count: Int) async throws -> ParsedAnswer {
                // Tags consist of many short texts.
                let unit = field == "tags" ? String(repeating: "x", count: 127) + "," : "x"
                let text = String(repeating: unit, count: count / unit.utf8.count)
                let rest = String(repeating: "y", count: count - text.utf8.count)
                var parts = [AppServer.text(field, text + rest)]
                for (name, value) in [("mood", "m"), ("title", "t"), ("date", "2026-01-24")]
                where name != field {
                    parts.append(AppServer.text(name, value))
                }
                return try await server.post(kind, parts)
            }
            let most = try await send(bytes)
            #expect(most.status == 200, "\(most.body)")
            server.expectFailure(try await send(bytes + 1), 400, details: field)
        }
    }

    @Test(arguments: [
        ("moodIntensity", "1"), ("moodIntensity", "10"),
        ("createdAt", "0"), ("createdAt", "99999999999"),
        ("createdAt", "100000000000"), ("createdAt", "1640995200.5"),
        ("voiceNoteDuration", "0"), ("tags", ",,,"),
    ])
    func `a number at its limit is accepted`(
        field: String, text: String
    ) async throws {
        try await AppServer.with { server in
            let answer = try await server.post(
                "moods", [AppServer.text("mood", "m"), AppServer.text(field, text)])
            #expect(answer.status == 200, "\(answer.body)")
            guard field == "createdAt" else { return }
            let mood = try #require(answer.json?["mood"] as? [String: Any])
            let value = try #require(Double(text))
            // Values below 1e11 are seconds.
            #expect(
                mood["createdAt"] as? Int == Int(value < 1e11 ? (value * 1000).rounded() : value))
        }
    }
}
