import Foundation
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Lists of records that an app shows.
@Suite(.timeLimit(.minutes(10))) struct JournalListTests {
    private static let kinds = [
        ("moods", "moods", "mood"), ("memories", "memories", "memory"),
        ("events", "events", "event"),
    ]

    @Test(arguments: kinds)
    func `records come back page by page, newest first`(
        kind: String, list: String, one: String
    ) async throws {
        try await AppServer.with { server in
            for number in 0..<5 {
                let answer = try await server.post(
                    kind,
                    [
                        AppServer.text("mood", "\(number)"),
                        AppServer.text("title", "\(number)"),
                        AppServer.text("date", "2026-01-1\(number)"),
                        AppServer.text("createdAt", "\(1_640_995_200 + number)"),
                        AppServer.file(JournalSamples.jpeg),
                    ].filter { kind != "events" || $0.name != "createdAt" })
                #expect(answer.status == 200, "\(answer.body)")
            }
            let path = "\(AppServer.journal)/\(kind)"
            func page(_ query: String) async throws -> (names: [String], json: NSDictionary) {
                let answer = try await server.ask("GET", path + query)
                #expect(answer.status == 200, "\(answer.body)")
                let json = try #require(answer.json)
                let records = try #require(json[list] as? [[String: Any]])
                #expect(json["count"] as? Int == records.count)
                #expect(json["total"] as? Int == 5)
                return (records.compactMap { ($0["mood"] ?? $0["title"]) as? String }, json)
            }
            let all = try await page("")
            #expect(all.names == ["4", "3", "2", "1", "0"])
            #expect(all.json["limit"] as? Int == 50 && all.json["hasMore"] as? Bool == false)
            let first = try await page("?limit=2")
            #expect(first.names == ["4", "3"] && first.json["hasMore"] as? Bool == true)
            let last = try await page("?limit=2&offset=4")
            #expect(last.names == ["0"] && last.json["hasMore"] as? Bool == false)
            #expect(try await page("?offset=5").names == [])
            for query in [
                "?limit=0", "?limit=101", "?limit=x", "?offset=-1", "?limit=1.5",
                "?offset=99999999999",
            ] {
                server.expectFailure(try await server.ask("GET", path + query), 400)
            }
            // Another user's list does not contain them.
            let other = try await server.ask("GET", "/api/users/user/ann/\(kind)")
            #expect(other.json?["total"] as? Int == 0)

            let records = try #require(all.json[list] as? [[String: Any]])
            let id = try #require(records[0]["id"] as? String)
            let single = try await server.ask("GET", "\(path)/\(id)")
            #expect(single.status == 200)
            let record = try #require(single.json?[one] as? [String: Any])
            #expect(record["id"] as? String == id)
            let url = try #require((record["imageUrls"] as? [String])?.first)
            server.expectFailure(
                try await server.ask("GET", "/api/users/user/ann/\(kind)/\(id)"), 404)
            server.expectFailure(try await server.ask("GET", "\(path)/none"), 404)
            server.expectFailure(
                try await server.ask("DELETE", "/api/users/user/ann/\(kind)/\(id)"), 404)

            #expect(try await server.ask("DELETE", "\(path)/\(id)").status == 200)
            server.expectFailure(try await server.ask("GET", "\(path)/\(id)"), 404)
            server.expectFailure(try await server.ask("DELETE", "\(path)/\(id)"), 404)
            let gone = String(url.dropFirst("http://test.example:81".count))
            server.expectFailure(try await server.ask("GET", gone, []), 404)
            #expect(try server.value("select count(*)::text from sluice.media_file") == "4")
        }
    }

    @Test func `files are listed by category and group`() async throws {
        try await AppServer.with { server in
            for (category, group) in [("a", "g h"), ("a", "2"), ("b", "2")] {
                let answer = try await server.post(
                    "multimedia",
                    [
                        AppServer.file(JournalSamples.jpeg),
                        AppServer.text("category", category),
                        AppServer.text("groupId", group),
                    ])
                #expect(answer.status == 200)
            }
            let path = "\(AppServer.journal)/multimedia"
            for (query, total) in [
                ("", 3), ("?category=a", 2), ("?groupId=2", 2), ("?category=a&groupId=2", 1),
                ("?groupId=g+h", 1), ("?groupId=g%20h", 1), ("?category=c", 0),
            ] {
                let answer = try await server.ask("GET", path + query)
                #expect(answer.json?["total"] as? Int == total, "\(query)")
                #expect((answer.json?["files"] as? [Any])?.count == total)
            }
        }
    }

    @Test func `a mood's picture can be deleted by itself`() async throws {
        try await AppServer.with { server in
            let created = try await server.post(
                "moods",
                [
                    AppServer.text("mood", "m"), AppServer.file(JournalSamples.jpeg),
                    AppServer.file(JournalSamples.png),
                ])
            let mood = try #require(created.json?["mood"] as? [String: Any])
            let id = try #require(mood["id"] as? String)
            let urls = try #require(created.json?["imageUrls"] as? [String])
            let path = String(urls[0].dropFirst("http://test.example:81".count))
            #expect(try await server.ask("DELETE", path).status == 200)
            let again = try await server.ask("GET", "\(AppServer.journal)/moods/\(id)")
            let left = try #require(again.json?["mood"] as? [String: Any])
            #expect(left["imageUrls"] as? [String] == [urls[1]])
        }
    }
}
