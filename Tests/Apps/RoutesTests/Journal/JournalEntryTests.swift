import Foundation
import Media
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

/// Answers to clients that send forms.
@Suite(.timeLimit(.minutes(10))) struct JournalEntryTests {
    @Test func `uploaded files are answered with everything that a client shows of them`()
        async throws
    {
        try await AppServer.with { server in
            let answer = try await server.post(
                "multimedia",
                [
                    AppServer.file(JournalSamples.jpeg, filename: "a b.jpg"),
                    AppServer.text("category", "mood"), AppServer.text("tags", "a, b,,c "),
                    AppServer.file(
                        JournalSamples.png, name: "image", filename: "b.jpg", type: "text/plain"),
                    AppServer.text("title", "Ünïcode"), AppServer.text("unknown", "x"),
                ])
            #expect(answer.status == 200, "\(answer.body)")
            let json = try #require(answer.json)
            #expect(json["success"] as? Bool == true)
            #expect(json["count"] as? Int == 2)
            #expect(json["errors"] is NSNull)
            let group = try #require(json["groupId"] as? String)
            #expect(!group.isEmpty)
            let files = try #require(json["files"] as? [[String: [String: Any]]])
            let data = files.compactMap { $0["data"] }
            #expect(data.map { $0["name"] as? String } == ["a b.jpg", "b.jpg"])
            #expect(data.map { $0["type"] as? String } == ["image/jpeg", "image/png"])
            #expect(
                data.map { $0["size"] as? Int } == [
                    JournalSamples.jpeg.count, JournalSamples.png.count,
                ])
            #expect(data.map { $0["width"] as? Int } == [16, 1])
            #expect(data.map { $0["height"] as? Int } == [8, 1])
            for one in data {
                let id = try #require(one["fileId"] as? String)
                #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil)
                #expect(one["key"] as? String == id)
                let url = "http://test.example:81\(AppServer.journal)/multimedia/files/\(id)"
                #expect(one["url"] as? String == url)
                #expect(one["appUrl"] as? String == url)
                #expect(one["category"] as? String == "mood")
                #expect(one["title"] as? String == "Ünïcode")
                #expect(one["tags"] as? [String] == ["a", "b", "c"])
                #expect(one["groupId"] as? String == group)
            }
            let first = try await server.ask(
                "GET", "\(AppServer.journal)/multimedia/files/\(data[0]["fileId"] ?? "")", [])
            #expect(first.status == 200)
        }
    }

    @Test func `a mood is returned as it was sent, with its pictures and its voice note`()
        async throws
    {
        try await AppServer.with { server in
            let answer = try await server.post(
                "moods",
                [
                    AppServer.text("mood", "happy"), AppServer.text("note", "Great\r\nday!"),
                    AppServer.text("reason", "sun"), AppServer.text("tags", " a ,b"),
                    AppServer.text("interests", "c"), AppServer.text("moodIntensity", "10"),
                    AppServer.text("createdAt", "1640995200"),
                    AppServer.file(JournalSamples.jpeg),
                    AppServer.file(
                        JournalSamples.wav(seconds: 1.5), name: "voiceNote", filename: "v.wav",
                        type: "audio/x-wav"),
                ])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.body.contains(/"createdAt" ?: ?1640995200000[,}]/))
            #expect(answer.json?["success"] as? Bool == true)
            #expect(answer.json?["errors"] is NSNull)
            let mood = try #require(answer.json?["mood"] as? [String: Any])
            #expect(mood["mood"] as? String == "happy")
            #expect(mood["note"] as? String == "Great\r\nday!")
            #expect(mood["reason"] as? String == "sun")
            #expect(mood["tags"] as? [String] == ["a", "b"])
            #expect(mood["interests"] as? [String] == ["c"])
            #expect(mood["moodIntensity"] as? Int == 10)
            #expect(mood["voiceNoteDuration"] as? Double == 1.5)
            let voice = try #require(mood["voiceNote"] as? String)
            let urls = try #require(answer.json?["imageUrls"] as? [String])
            #expect(urls.count == 1 && !urls.contains(voice))
            for url in urls + [voice] {
                let path = String(url.dropFirst("http://test.example:81".count))
                #expect(try await server.ask("GET", path, []).status == 200)
            }
        }
    }

    @Test func `an absent optional value is null, and lists are present`() async throws {
        try await AppServer.with { server in
            let mood = try await server.post("moods", [AppServer.text("mood", "calm")])
            #expect(mood.status == 200, "\(mood.body)")
            let data = try #require(mood.json?["mood"] as? [String: Any])
            for key in ["note", "reason", "voiceNote", "voiceNoteDuration", "moodIntensity"] {
                #expect(data[key] is NSNull, "\(key)")
            }
            #expect((data["tags"] as? [String]) == [] && (data["interests"] as? [String]) == [])
            #expect(mood.json?["imageUrls"] as? [String] == [])
            let created = try #require(data["createdAt"] as? Int)
            #expect(abs(created - Int(Date().timeIntervalSince1970 * 1000)) < 60_000)

            let memory = try await server.post("memories", [AppServer.text("title", " t ")])
            #expect(memory.status == 200, "\(memory.body)")
            let kept = try #require(memory.json?["memory"] as? [String: Any])
            #expect(kept["location"] is NSNull && kept["description"] is NSNull)
            #expect(kept["tags"] as? [String] == [])

            let date = "2026-01-24T18:30:00.5+02:00"
            let event = try await server.post(
                "events", [AppServer.text("title", "t"), AppServer.text("date", date)])
            #expect(event.status == 200, "\(event.body)")
            let entry = try #require(event.json?["event"] as? [String: Any])
            #expect(entry["date"] as? String == date)
        }
    }

    @Test func `a profile picture replaces the one before`() async throws {
        try await AppServer.with { server in
            let path = "\(AppServer.journal)/profile-picture"
            server.expectFailure(try await server.ask("GET", path), 404)
            var urls: [String] = []
            for picture in [JournalSamples.jpeg, JournalSamples.webp, JournalSamples.png] {
                let answer = try await server.post(
                    "profile-picture", [AppServer.file(picture)])
                #expect(answer.status == 200, "\(answer.body)")
                #expect(
                    answer.json?["message"] as? String == "Profile picture updated successfully")
                urls.append(try #require(answer.json?["imageUrl"] as? String))
                let told = try await server.ask("GET", path)
                #expect(told.json?["imageUrl"] as? String == urls.last)
            }
            #expect(Set(urls).count == 3)
        }
    }

    @Test func `a group id is the client's, or made for more than one file`() async throws {
        try await AppServer.with { server in
            let two = [
                AppServer.file(JournalSamples.jpeg), AppServer.file(JournalSamples.png),
            ]
            let one = try await server.post("multimedia", [two[0]])
            #expect(one.json?["groupId"] is NSNull)
            let named = try await server.post(
                "multimedia", [two[0], AppServer.text("groupId", "my group")])
            #expect(named.json?["groupId"] as? String == "my group")
            let first = try await server.post("multimedia", two)
            let second = try await server.post("multimedia", two)
            let groups = [first, second].compactMap { $0.json?["groupId"] as? String }
            #expect(Set(groups).count == 2)
        }
    }

    @Test func `if only some files are stored, the answer is a success that names them`()
        async throws
    {
        try await AppServer.with(journal: { $0.fileBytesMax = 5000 }) { server in
            for kind in ["multimedia", "moods", "memories", "events"] {
                let answer = try await server.post(
                    kind,
                    [
                        AppServer.text("mood", "m"), AppServer.text("title", "t"),
                        AppServer.text("date", "2026-01-24"),
                        AppServer.file(Array("<html>".utf8), filename: "first.jpg"),
                        AppServer.file(
                            JournalSamples.jpeg(bytes: 5001), filename: "second.jpg"),
                        AppServer.file(JournalSamples.jpeg(bytes: 5000), filename: "third.jpg"),
                        AppServer.file([], filename: "fourth.jpg"),
                    ])
                #expect(answer.status == 200, "\(answer.body)")
                let errors = try #require(answer.json?["errors"] as? [String])
                #expect(errors.count == 3)
                for (text, name) in zip(errors, ["first.jpg", "second.jpg", "fourth.jpg"]) {
                    #expect(text.hasPrefix(name), "\(text)")
                }
                if kind == "multimedia" {
                    #expect(answer.json?["count"] as? Int == 1)
                } else {
                    #expect((answer.json?["imageUrls"] as? [String])?.count == 1)
                }
            }
        }
    }

    @Test(arguments: [
        ([JournalSamples.wav(seconds: 1), JournalSamples.jpeg(bytes: 5001)], 422),
        ([JournalSamples.jpeg(bytes: 5001), JournalSamples.wav(seconds: 1)], 413),
        ([[], JournalSamples.jpeg(bytes: 5001)], 400),
    ])
    func `if no file is stored, the first file's failure is answered and no record made`(
        files: [[UInt8]], status: Int
    ) async throws {
        try await AppServer.with(journal: { $0.fileBytesMax = 5000 }) { server in
            for kind in ["multimedia", "moods", "memories", "events"] {
                let fields = [
                    AppServer.text("mood", "m"), AppServer.text("title", "t"),
                    AppServer.text("date", "2026-01-24"),
                ]
                let answer = try await server.post(
                    kind, fields + files.map { AppServer.file($0) })
                server.expectFailure(answer, status)
            }
            #expect(try server.journalRows() == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `the same file twice is stored once and has two ids`() async throws {
        try await AppServer.with { server in
            let first = try await server.upload()
            let second = try await server.upload(user: "ann")
            #expect(first.id != second.id)
            #expect(try server.files().objects == 1)
            let tags = try await [
                server.ask("HEAD", first.path, []).headers["etag"],
                server.ask("HEAD", second.path, []).headers["etag"],
            ]
            #expect(tags[0] == tags[1] && tags[0]?.hasPrefix("\"") == true)
        }
    }

    @Test func `URLs begin as configured and hold the user encoded`() async throws {
        try await AppServer.with(routes: { $0.publicURL = "https://j.example.org/x/" }) {
            server in
            let answer = try await server.post(
                "multimedia", [AppServer.file(JournalSamples.jpeg)], user: "k%20%C3%AF%2Fm")
            let files = try #require(answer.json?["files"] as? [[String: [String: Any]]])
            let url = try #require(files.first?["data"]?["url"] as? String)
            #expect(
                url.hasPrefix(
                    "https://j.example.org/x/api/users/user/k%20%C3%AF%2Fm/multimedia/files/"),
                "\(url)")
            let path = String(url.dropFirst("https://j.example.org/x".count))
            #expect(try await server.ask("GET", path, []).status == 200)
        }
    }
}
