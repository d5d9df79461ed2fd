import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The journal as an app in Swift uses it: `URLSession`, hand-written forms, `Codable`.
@Suite(.timeLimit(.minutes(10)), .serialized) struct JournalAppTests {
    /// A form as apps encode it.
    private struct Form {
        let boundary = UUID().uuidString
        private(set) var body = Data()

        mutating func append(_ name: String, _ value: String) {
            line("--\(boundary)")
            line("Content-Disposition: form-data; name=\"\(name)\"")
            line("")
            line(value)
        }

        mutating func append(_ name: String, _ filename: String, _ type: String, _ data: Data) {
            line("--\(boundary)")
            line("Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(filename)\"")
            line("Content-Type: \(type)")
            line("")
            body.append(data)
            line("")
        }

        mutating func end() { line("--\(boundary)--") }

        private mutating func line(_ text: String) { body.append(Data((text + "\r\n").utf8)) }
    }

    /// A picture of one pixel.
    private static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
            + "awAAAABJRU5ErkJggg==")!

    private func send(
        _ form: Form, to kind: String, _ server: RunningServer
    ) async throws -> (status: Int, data: Data) {
        var form = form
        form.end()
        let url = try #require(URL(string: "\(server.url)/api/users/user/kim/\(kind)/swift"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue(
            "multipart/form-data; boundary=\(form.boundary)", forHTTPHeaderField: "Content-Type")
        request.httpBody = form.body
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, data)
    }

    private func decoded<Reply: Decodable>(
        _ reply: Reply.Type, _ form: Form, _ kind: String, _ server: RunningServer
    ) async throws -> Reply {
        let answer = try await send(form, to: kind, server)
        #expect(answer.status == 200, "\(String(decoding: answer.data, as: UTF8.self))")
        return try JSONDecoder().decode(reply, from: answer.data)
    }

    @Test func `every answer decodes as an app declares it`() async throws {
        let (environment, _) = try Fixtures.environment("app")
        let server = try await RunningServer.start(environment: environment)
        var form = Form()
        form.append("file", "image0.jpg", "image/jpeg", Self.picture)
        form.append("category", "general")
        let upload = try await decoded(AppUpload.self, form, "multimedia", server)
        #expect(upload.success && upload.count == 1 && upload.errors == nil)
        #expect(upload.groupId == nil)
        let file = try #require(upload.files.first).data
        #expect(file.key == file.fileId && file.appUrl == file.url)
        #expect(file.size == Self.picture.count && file.type == "image/png")
        let (data, _) = try await URLSession.shared.data(from: try #require(URL(string: file.url)))
        #expect(data == Self.picture)

        form = Form()
        form.append("mood", "happy")
        form.append("note", "Great day!")
        form.append("tags", ["sunny", "productive"].joined(separator: ","))
        form.append("moodIntensity", "8")
        form.append("voiceNoteDuration", "45.6")
        form.append("file", "mood_image0.jpg", "image/jpeg", Self.picture)
        form.append("file", "mood_image1.jpg", "image/jpeg", Self.picture)
        let mood = try await decoded(AppMood.self, form, "moods", server)
        #expect(mood.success && mood.mood.mood == "happy" && mood.mood.moodIntensity == 8)
        #expect(mood.mood.tags == ["sunny", "productive"] && mood.mood.interests == [])
        #expect(mood.mood.voiceNote == nil && mood.mood.voiceNoteDuration == nil)
        #expect(mood.imageUrls?.count == 2)
        let now = Int(Date().timeIntervalSince1970 * 1000)
        #expect(abs(mood.mood.createdAt - now) < 60_000)

        form = Form()
        form.append("title", "The lake")
        form.append("file", "memory_image0.jpg", "image/jpeg", Self.picture)
        let memory = try await decoded(AppMemory.self, form, "memories", server)
        #expect(memory.success && memory.memory.title == "The lake")
        #expect(memory.memory.description == nil && memory.imageUrls?.count == 1)

        form = Form()
        form.append("title", "Dinner")
        let date = ISO8601DateFormatter().string(from: Date())
        form.append("date", date)
        let event = try await decoded(AppEvent.self, form, "events", server)
        #expect(event.success && event.event.date == date && event.event.tags == [])

        form = Form()
        form.append("file", "profile_picture.jpg", "image/jpeg", Self.picture)
        let portrait = try await decoded(
            AppPicture.self, form, "profile-picture", server)
        #expect(portrait.success && portrait.message == "Profile picture updated successfully")
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test func `every failure decodes too`() async throws {
        let (environment, _) = try Fixtures.environment("failures")
        let server = try await RunningServer.start(environment: environment)
        var text = Form()
        text.append("file", "a.jpg", "image/jpeg", Data("no picture".utf8))
        var large = Form()
        large.append("file", "a.jpg", "image/jpeg", Self.picture + Data(count: 10 << 20))
        var intensity = Form()
        intensity.append("mood", "m")
        intensity.append("moodIntensity", "11")
        for (form, kind, code) in [
            (text, "profile-picture", 422), (large, "profile-picture", 413),
            (intensity, "moods", 400), (Form(), "moods", 400), (Form(), "nothing", 404),
        ] {
            let answer = try await send(form, to: kind, server)
            #expect(answer.status == code, "\(String(decoding: answer.data, as: UTF8.self))")
            let failure = try JSONDecoder().decode(AppFailure.self, from: answer.data)
            #expect(failure.code == code && !failure.error.isEmpty && !failure.details.isEmpty)
        }
        #expect(try await server.end() == 0)
    }
}
