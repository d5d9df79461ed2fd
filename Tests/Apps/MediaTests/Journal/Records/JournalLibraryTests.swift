import Foundation
@testable import Media
import NIOCore
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JournalLibraryTests {
    let journal: Journal
    let library: JournalLibrary

    init() throws {
        journal = try Journal()
        library = journal.library
    }

    @Test func `an upload is what the app decodes`() async throws {
        let upload = try await journal.create(.upload) {
            $0.file("file", try Corpus.bytes("plain.jpg"), filename: "mood_image0.jpg")
            $0.file("file", try Corpus.bytes("gps.mov"), filename: "film.mov")
            $0.text("category", "mood")
            $0.text("title", "A title")
            $0.text("tags", "a, b")
        }.decoded(AppUpload.self)
        #expect(upload.success && upload.count == 2 && upload.errors == nil)
        let image = upload.files[0].data
        #expect(image.url == Journal.filesURL + image.fileId && image.appUrl == image.url)
        #expect(image.key == image.fileId && image.fileId.count == 32)
        #expect(image.name == "mood_image0.jpg" && image.size == 766 && image.type == "image/jpeg")
        #expect(image.width == 96 && image.height == 64 && image.duration == nil)
        #expect(image.tags == ["a", "b"])
        let film = upload.files[1].data
        #expect(film.type == "video/quicktime" && film.width == 96)
        #expect(abs((film.duration ?? 0) - 2) < 0.11)
        // Made for several files.
        let groupID = try #require(upload.groupId)
        #expect(image.groupId == groupID && film.groupId == groupID)
        #expect(try await journal.contents(image.url) == Corpus.bytes("plain.jpg"))
        #expect(try await journal.contents(image.url, user: "u2") == nil)
    }

    @Test func `a group id is the client's, or none for one file`() async throws {
        let named = try await journal.create(.upload) {
            $0.text("groupId", "mood_group_xyz")
            $0.file("file", try Corpus.bytes("plain.jpg"))
        }.decoded(AppUpload.self)
        #expect(named.groupId == "mood_group_xyz")
        let single = try await journal.create(.upload) {
            $0.file("file", try Corpus.bytes("plain.jpg"))
        }.decoded(AppUpload.self)
        #expect(single.groupId == nil)
    }

    @Test func `of several files the good ones are stored, and the others named`() async throws {
        let answer = try await journal.create(.upload) {
            $0.file("file", Array("<html>".utf8), filename: "page.html")
            $0.file("file", try Corpus.bytes("plain.jpg"), filename: "good.jpg")
        }
        let upload = try answer.decoded(AppUpload.self)
        #expect(upload.files.map(\.data.name) == ["good.jpg"] && upload.count == 1)
        #expect(upload.errors?.count == 1)
        #expect(upload.errors?.first?.hasPrefix("page.html: ") == true)
    }

    @Test func `a mood is what the app decodes`() async throws {
        let answer = try await journal.create(.mood) {
            $0.text("mood", "happy")
            $0.text("note", "Great \"day\"! 🌞")
            $0.text("tags", "sunny,productive")
            $0.text("moodIntensity", "8")
            $0.text("createdAt", "1640995200")
            $0.text("voiceNoteDuration", "45.6")
            $0.file("voiceNote", try Corpus.bytes("bare.mp3"), filename: "n.mp3")
            $0.file("image", try Corpus.bytes("plain.jpg"))
        }
        let mood = try answer.decoded(AppMood.self)
        #expect(mood.success && mood.errors == nil && mood.imageUrls?.count == 1)
        #expect(mood.mood.note == "Great \"day\"! 🌞" && mood.mood.tags == ["sunny", "productive"])
        #expect(mood.mood.interests == [] && mood.mood.moodIntensity == 8)
        #expect(mood.mood.createdAt == 1_640_995_200_000 && mood.mood.voiceNoteDuration == 45.6)
        let voiceNote = try #require(mood.mood.voiceNote)
        #expect(try await journal.contents(voiceNote) == Corpus.bytes("bare.mp3"))
        // Integers are written as such.
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.contains("\"moodIntensity\":8,"))
        #expect(text.contains("\"createdAt\":1640995200000,"))
    }

    @Test func `a mood with nothing but its word has nulls and empty arrays`() async throws {
        let before = Int(Date().timeIntervalSince1970 * 1000)
        let object = try await journal.create(.mood) {
            $0.text("mood", "sad")
            // Ignored without a voice note.
            $0.text("voiceNoteDuration", "3")
        }.object()
        let mood = try #require(object["mood"] as? [String: Any])
        for key in ["note", "reason", "voiceNote", "voiceNoteDuration", "moodIntensity"] {
            #expect(mood[key] is NSNull, "\(key)")
        }
        for key in ["tags", "interests", "imageUrls", "files"] {
            #expect((mood[key] as? [Any])?.isEmpty == true, "\(key)")
        }
        #expect((object["imageUrls"] as? [Any])?.isEmpty == true && object["errors"] is NSNull)
        let createdAt = try #require(mood["createdAt"] as? Int)
        #expect(abs(createdAt - before) < 60_000)
    }

    @Test func `a voice note without a duration has that of its file`() async throws {
        let mood = try await journal.create(.mood) {
            $0.text("mood", "m")
            $0.file("voiceNote", try Corpus.bytes("note.wav"), filename: "n.wav")
        }.decoded(AppMood.self)
        #expect(mood.mood.voiceNoteDuration == 1.5)
        // The voice note is not an image.
        #expect(mood.imageUrls == [])
    }

    @Test func `a memory and an event are what the app decodes`() async throws {
        let memory = try await journal.create(.keepsake) {
            $0.text("title", "Beach")
            $0.text("location", "Nahant")
            $0.text("createdAt", "253402300799999")
            $0.file("file", try Corpus.bytes("clear.png"))
        }.decoded(AppMemory.self)
        #expect(memory.memory.title == "Beach" && memory.memory.location == "Nahant")
        #expect(memory.memory.createdAt == 253_402_300_799_999 && memory.imageUrls?.count == 1)
        let event = try await journal.create(.calendarEntry) {
            $0.text("title", "Party")
            $0.text("date", "2026-02-01T20:00:00+01:00")
            $0.text("tags", ",x, ,y,")
        }.decoded(AppEvent.self)
        #expect(event.event.date == "2026-02-01T20:00:00+01:00" && event.event.tags == ["x", "y"])
        #expect(event.imageUrls == [])
    }

    @Test func `a user has one picture`() async throws {
        #expect(try await library.profilePicture(user: "u1", filesURL: Journal.filesURL) == nil)
        let first = try await journal.create(.profilePicture) {
            $0.file("file", try Corpus.bytes("plain.jpg"))
        }.decoded(AppPicture.self)
        #expect(first.message == "Profile picture updated successfully")
        let second = try await journal.create(.profilePicture) {
            $0.file("file", try Corpus.bytes("clear.png"))
        }.decoded(AppPicture.self)
        let now = try #require(
            try await library.profilePicture(user: "u1", filesURL: Journal.filesURL)
        ).object()
        #expect(now["imageUrl"] as? String == second.imageUrl)
        #expect(try await journal.contents(first.imageUrl) == nil)
        #expect(try await journal.contents(second.imageUrl) == Corpus.bytes("clear.png"))
        _ = try await journal.media.sweep()
        #expect(try await journal.count("journal_file") == 1)
        let id = String(second.imageUrl.dropFirst(Journal.filesURL.count))
        #expect(try await library.removeFile(id, user: "u1") != nil)
        #expect(try await library.profilePicture(user: "u1", filesURL: Journal.filesURL) == nil)
        #expect(try await journal.count("media_file") == 0)
    }

    @Test func `simultaneous profile pictures leave one`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try await journal.create(.profilePicture) {
                        $0.file("file", try Corpus.bytes("plain.jpg"))
                    }
                }
            }
            try await group.waitForAll()
        }
        _ = try await journal.media.sweep()
        #expect(try await journal.count("journal_file") == 1)
        #expect(try await journal.count("media_file") == 1)
        #expect(journal.scratch.objects().count == 1)
    }

    @Test func `single items are found only by their user`() async throws {
        let event = try await journal.create(.calendarEntry) {
            $0.text("title", "t")
            $0.text("date", "2026-01-01")
        }.decoded(AppEvent.self)
        func item(_ kind: JournalKind, _ id: String, _ user: String) async throws -> String? {
            try await library.item(kind, id: id, user: user, filesURL: Journal.filesURL)
        }
        let found = try #require(try await item(.calendarEntry, event.event.id, "u1"))
        #expect(try Data(found.utf8).decoded(AppEvent.self).event.title == "t")
        #expect(try await item(.calendarEntry, event.event.id, "u2") == nil)
        #expect(try await item(.mood, event.event.id, "u1") == nil)
        for id in ["", "x", "../../etc/passwd", "'; drop table", String(repeating: "0", count: 32)]
        {
            #expect(try await item(.calendarEntry, id, "u1") == nil)
            #expect(try await library.find(file: id, user: "u1") == nil)
            #expect(try await library.removeFile(id, user: "u1") == nil)
            #expect(try await library.remove(.mood, id: id, user: "u1") == nil)
        }
    }

    @Test func `a record is deleted with its files`() async throws {
        let mood = try await journal.create(.mood) {
            $0.text("mood", "m")
            $0.file("file", try Corpus.bytes("plain.jpg"))
            $0.file("voiceNote", try Corpus.bytes("note.wav"))
        }.decoded(AppMood.self)
        #expect(try await library.remove(.mood, id: mood.mood.id, user: "u2") == nil)
        #expect(try await journal.count("media_file") == 2)
        #expect(try await library.remove(.mood, id: mood.mood.id, user: "u1") != nil)
        #expect(try await library.remove(.mood, id: mood.mood.id, user: "u1") == nil)
        for table in ["mood", "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 2)
    }

    @Test func `a mood outlives its voice note, an upload does not outlive its files`() async throws
    {
        let mood = try await journal.create(.mood) {
            $0.text("mood", "m")
            $0.file("voiceNote", try Corpus.bytes("note.wav"))
        }.decoded(AppMood.self)
        let note = try #require(mood.mood.voiceNote).dropFirst(Journal.filesURL.count)
        #expect(try await library.removeFile(String(note), user: "u1") != nil)
        let left = try #require(
            try await library.item(
                .mood, id: mood.mood.id, user: "u1", filesURL: Journal.filesURL))
        let decoded = try Data(left.utf8).decoded(AppMood.self)
        #expect(decoded.mood.voiceNote == nil && decoded.mood.voiceNoteDuration == nil)

        let upload = try await journal.create(.upload) {
            $0.file("file", try Corpus.bytes("plain.jpg"))
            $0.file("file", try Corpus.bytes("clear.png"))
        }.decoded(AppUpload.self)
        // At the same time: the last of them deletes the upload too.
        async let first = library.removeFile(upload.files[0].data.fileId, user: "u1")
        async let second = library.removeFile(upload.files[1].data.fileId, user: "u1")
        let removed = try await [first, second]
        #expect(removed.allSatisfy { $0 != nil })
        #expect(try await journal.count("upload") == 0)
        #expect(try await journal.count("journal_file") == 0)
    }
}
