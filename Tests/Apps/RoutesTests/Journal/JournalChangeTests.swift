import Foundation
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Changes of records: `PATCH`.
@Suite(.timeLimit(.minutes(10))) struct JournalChangeTests {
    private static func change(
        _ path: String, _ body: String, on server: AppServer
    ) async throws -> ParsedAnswer {
        try await server.ask("PATCH", path, body: Array(body.utf8))
    }

    /// Makes a record with every field and a picture; returns its path.
    private static func made(_ kind: String, on server: AppServer) async throws -> String {
        let fields = [
            "moods": ["mood", "note", "reason", "tags", "interests", "moodIntensity", "createdAt"],
            "memories": ["title", "description", "location", "tags", "createdAt"],
            "events": ["title", "date", "description", "location", "tags"],
        ]
        let values = ["moodIntensity": "3", "createdAt": "1640995200", "date": "2026-01-24"]
        let parts = try #require(fields[kind]).map { AppServer.text($0, values[$0] ?? "old") }
        let answer = try await server.post(kind, parts + [AppServer.file(JournalSamples.jpeg)])
        let record = try #require(answer.json?.allValues.compactMap { $0 as? [String: Any] }.first)
        return "\(AppServer.journal)/\(kind)/\(try #require(record["id"] as? String))"
    }

    @Test(
        arguments: [
            (
                "moods", "mood",
                #"{"mood":"ünder","note":null,"tags":["a, b"," c ",""],"interests":"x, y","#
                    + #""moodIntensity":10,"createdAt":1640995200001,"file":1}"#,
                #"{"mood":"ünder","note":null,"tags":["a","b","c"],"interests":["x","y"],"#
                    + #""moodIntensity":10,"createdAt":1640995200001}"#
            ),
            ("moods", "mood", #"{"moodIntensity":null}"#, #"{"moodIntensity":null}"#),
            (
                "memories", "memory", #"{"description":"new","tags":[]}"#,
                #"{"description":"new","tags":[]}"#
            ),
            (
                "memories", "memory", #"{"location":"","createdAt":1.5}"#,
                #"{"location":null,"createdAt":1500}"#
            ),
            (
                "events", "event", #"{"date":"2026-02-01T10:00:00+02:00","title":"t","tags":null}"#,
                #"{"date":"2026-02-01T10:00:00+02:00","title":"t","tags":[]}"#
            ),
        ])
    func `the given fields change and the others stay`(
        kind: String, word: String, body: String, expected: String
    ) async throws {
        try await AppServer.with { server in
            let path = try await Self.made(kind, on: server)
            func read() async throws -> NSDictionary {
                try #require(try await server.ask("GET", path).json)
            }
            let before = try #require(try await read().mutableCopy() as? NSMutableDictionary)
            let answer = try await Self.change(path, body, on: server)
            #expect(answer.status == 200, "\(answer.body)")
            let wanted = try #require(
                try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? [String: Any])
            let record = try #require(before[word] as? [String: Any])
            before[word] = record.merging(wanted) { $1 }
            #expect(answer.json == before, "\(answer.body)")
            #expect(try await read() == before)
        }
    }

    @Test func `a changed event is listed by its new date`() async throws {
        try await AppServer.with { server in
            let first = try await Self.made("events", on: server)
            _ = try await Self.made("events", on: server)
            _ = try await Self.change(first, #"{"date":"2026-03-01"}"#, on: server)
            let list = try await server.ask("GET", "\(AppServer.journal)/events")
            let dates = (list.json?["events"] as? [[String: Any]])?.map { $0["date"] as? String }
            #expect(dates == ["2026-03-01", "2026-01-24"])
        }
    }

    @Test(
        arguments: [
            ("moods", #"{"mood":" "}"#, "mood is missing or blank"),
            ("moods", #"{"mood":null}"#, "mood is missing or blank"),
            ("moods", #"{"createdAt":null}"#, "createdAt is missing or blank"),
            ("moods", #"{"moodIntensity":11}"#, "moodIntensity is out of range"),
            ("moods", #"{"moodIntensity":1.5}"#, "moodIntensity is not an integer"),
            ("moods", #"{"moodIntensity":"5"}"#, "moodIntensity is not a number"),
            ("moods", #"{"tags":[1]}"#, "tags must be a string or an array of strings"),
            ("moods", #"{"tags":{}}"#, "tags must be a string or an array of strings"),
            ("moods", #"{"note":5}"#, "note must be a string"),
            ("moods", #"{"note":"\u0000"}"#, "note is not text"),
            ("moods", #"{"note":"a","note":"b"}"#, "note comes more than once"),
            ("moods", #"{"title":"t","voiceNoteDuration":1}"#, "has none of the fields createdAt"),
            ("moods", "{}", "has none of the fields createdAt, interests, mood"),
            ("moods", "[]", "body is not a JSON object"),
            ("moods", #"{"note":"#, "body is not JSON: fault at byte 8"),
            ("events", #"{"date":"tomorrow"}"#, "date is not a date of ISO 8601"),
            ("events", #"{"date":null}"#, "date is missing or blank"),
            ("memories", #"{"title":""}"#, "title is missing or blank"),
        ])
    func `a wrong change names the field and changes nothing`(
        kind: String, body: String, details: String
    ) async throws {
        try await AppServer.with { server in
            let path = try await Self.made(kind, on: server)
            let before = try await server.ask("GET", path).body
            server.expectFailure(
                try await Self.change(path, body, on: server), 400, details: details)
            #expect(try await server.ask("GET", path).body == before)
        }
    }

    @Test func `limits are those of forms`() async throws {
        try await AppServer.with { server in
            let path = try await Self.made("moods", on: server)
            func texts(_ count: Int, _ bytes: Int) -> String {
                let text = "\"\(String(repeating: "a", count: bytes))\""
                return "[\(repeatElement(text, count: count).joined(separator: ","))]"
            }
            for (body, status, details) in [
                (#"{"tags":\#(texts(100, 81))}"#, 200, ""),
                (#"{"tags":\#(texts(101, 1))}"#, 400, "tags must not have more than 100 items"),
                (#"{"tags":\#(texts(1, 257))}"#, 400, "longer than 256 bytes"),
                (#"{"tags":\#(texts(33, 256))}"#, 400, "longer than 8192 bytes"),
                (#"{"note":\#(texts(1, 16 << 10).dropFirst().dropLast())}"#, 200, ""),
                (#"{"note":\#(texts(1, 16 << 10 + 1).dropFirst().dropLast())}"#, 400, "note must"),
                (#"{"x":\#(texts(1, 256 << 10))}"#, 413, ""),
            ] {
                let answer = try await Self.change(path, body, on: server)
                #expect(answer.status == status, "\(answer.body)")
                #expect(details.isEmpty || answer.body.contains(details), "\(answer.body)")
            }
        }
    }

    @Test func `another user's record, another kind and another id are not found`() async throws {
        try await AppServer.with { server in
            let path = try await Self.made("moods", on: server)
            let body = #"{"note":"n","title":"t"}"#
            for other in [
                path.replacing("/kim/", with: "/ann/"),
                path.replacing("/moods/", with: "/memories/"),
                "\(AppServer.journal)/moods/none",
            ] {
                server.expectFailure(try await Self.change(other, body, on: server), 404)
            }
            let files = path.replacing("/moods/", with: "/multimedia/")
            server.expectFailure(try await Self.change(files, body, on: server), 405)
            server.expectFailure(
                try await server.ask("PATCH", path, [], body: Array(body.utf8)), 401)
        }
    }
}
