import Foundation
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Requests that are sent again with their `Idempotency-Key`.
@Suite(.timeLimit(.minutes(10))) struct JournalKeyTests {
    private static func post(
        _ kind: String, _ key: String, _ word: String = "first", user: String = "kim",
        file: [UInt8] = JournalSamples.jpeg, on server: AppServer
    ) async throws -> ParsedAnswer {
        try await server.post(
            kind,
            [
                AppServer.text("mood", word), AppServer.text("title", word),
                AppServer.text("date", "2026-01-24"), AppServer.text("category", word),
                AppServer.file(file), AppServer.file(JournalSamples.png),
            ], user: user, fields: FormBody.fields + ["Idempotency-Key: \(key)"])
    }

    @Test(arguments: ["multimedia", "moods", "memories", "events"])
    func `what is sent again is stored once and answered with what is stored`(
        kind: String
    ) async throws {
        try await AppServer.with { server in
            let first = try await Self.post(kind, "k", on: server)
            #expect(first.status == 200, "\(first.body)")
            let rows = try server.journalRows()
            #expect(rows == 5)
            let again = try await Self.post(kind, "k", on: server)
            #expect(again.status == 200 && again.body == first.body, "\(again.body)")
            // Other fields, and other files.
            server.expectFailure(
                try await Self.post(kind, "k", "second", on: server), 422,
                details: "another request was sent with this Idempotency-Key")
            server.expectFailure(
                try await Self.post(kind, "k", file: JournalSamples.png, on: server), 422,
                details: "Idempotency-Key")
            #expect(try server.journalRows() == rows)
            // Another user, another key, and the same key for another kind are other requests.
            for answer in [
                try await Self.post(kind, "k", user: "ann", on: server),
                try await Self.post(kind, "l", on: server),
                try await Self.post(kind == "moods" ? "events" : "moods", "k", on: server),
            ] {
                #expect(answer.status == 200 && answer.json != first.json)
            }
            #expect(try server.journalRows() == rows * 4)
        }
    }

    @Test func `what was changed or deleted since is answered as it is`() async throws {
        try await AppServer.with { server in
            let first = try await Self.post("moods", "k", on: server)
            let mood = try #require(first.json?["mood"] as? [String: Any])
            let path = "\(AppServer.journal)/moods/\(try #require(mood["id"] as? String))"
            let changed = try await server.ask(
                "PATCH", path, body: Array(#"{"mood":"changed"}"#.utf8))
            #expect(try await Self.post("moods", "k", on: server).json == changed.json)
            #expect(try await server.ask("DELETE", path).status == 200)
            server.expectFailure(
                try await Self.post("moods", "k", on: server), 404, details: "has been deleted")
            #expect(try server.value("select count(*)::text from sluice.mood") == "0")
        }
    }

    @Test func `a key is a new one when the deletion of its entry is remembered no more`()
        async throws
    {
        try await AppServer.with { server in
            func delete(_ answer: ParsedAnswer) async throws {
                let mood = try #require(answer.json?["mood"] as? [String: Any])
                let path = "\(AppServer.journal)/moods/\(try #require(mood["id"] as? String))"
                #expect(try await server.ask("DELETE", path).status == 200)
            }
            let keyed = "select count(*)::text from sluice.keyed_request"
            try await delete(try await Self.post("moods", "k", on: server))
            let other = try await Self.post("moods", "l", on: server)
            #expect(try server.value(keyed) == "2")
            _ = try server.value(
                "update sluice.deleted_journal_entry set deleted_at = now() - interval '31 days'")
            try await delete(other)
            #expect(try server.value(keyed) == "1")
            #expect(try await Self.post("moods", "k", "second", on: server).status == 200)
            server.expectFailure(
                try await Self.post("moods", "k", on: server), 422, details: "Idempotency-Key")
            server.expectFailure(
                try await Self.post("moods", "l", on: server), 404, details: "has been deleted")
        }
    }

    @Test func `a key that is too long is refused`() async throws {
        try await AppServer.with { server in
            let key = String(repeating: "k", count: 255)
            #expect(try await Self.post("moods", key, on: server).status == 200)
            server.expectFailure(
                try await Self.post("moods", key + "k", on: server), 400, details: "255 bytes")
        }
    }

    @Test func `a profile picture is replaced whatever the key`() async throws {
        try await AppServer.with { server in
            func post(_ file: [UInt8]) async throws -> String {
                let answer = try await server.post(
                    "profile-picture", [AppServer.file(file)],
                    fields: FormBody.fields + ["Idempotency-Key: k"])
                return try #require(answer.json?["imageUrl"] as? String)
            }
            let first = try await post(JournalSamples.jpeg)
            let second = try await post(JournalSamples.png)
            #expect(first != second)
            let now = try await server.ask("GET", "\(AppServer.journal)/profile-picture")
            #expect(now.json?["imageUrl"] as? String == second)
        }
    }
}
