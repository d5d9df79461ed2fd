import Foundation
@testable import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JournalListTests {
    let journal: Journal
    let library: JournalLibrary

    init() throws {
        journal = try Journal()
        library = journal.library
    }

    @Test func `lists begin with the latest, page by page`() async throws {
        for number in 1...5 {
            _ = try await journal.create(.mood) {
                $0.text("mood", "m\(number)")
                $0.text("createdAt", "\(1_600_000_000 + number)")
                if number == 4 { $0.file("file", try Corpus.bytes("plain.jpg")) }
            }
        }
        _ = try await journal.create(.mood, user: "u2") { $0.text("mood", "other") }
        func page(_ limit: String?, _ offset: String?) async throws -> [String: Any] {
            try await library.list(
                .mood, user: "u1", filesURL: Journal.filesURL,
                page: JournalPage(limit: limit, offset: offset)
            ).object()
        }
        let first = try await page("2", nil)
        let moods = try #require(first["moods"] as? [[String: Any]])
        #expect(moods.map { $0["mood"] as? String } == ["m5", "m4"])
        #expect((moods[1]["imageUrls"] as? [String])?.count == 1)
        #expect(first["total"] as? Int == 5 && first["hasMore"] as? Bool == true)
        #expect(first["count"] as? Int == 2 && first["limit"] as? Int == 2)
        let last = try await page("2", "4")
        #expect((last["moods"] as? [[String: Any]])?.count == 1)
        #expect(last["hasMore"] as? Bool == false && last["offset"] as? Int == 4)
        let none = try await page(nil, "9")
        #expect((none["moods"] as? [Any])?.isEmpty == true && none["total"] as? Int == 5)
        #expect(none["limit"] as? Int == 50)
    }

    @Test(
        arguments: [
            ("0", nil, .outOfRange), ("101", nil, .outOfRange), ("x", nil, .notNumber),
            ("1.5", nil, .notInteger), (nil, "-1", .outOfRange), (nil, "1000001", .outOfRange),
        ] as [(String?, String?, FieldFault.Reason)])
    func `another page is refused`(limit: String?, offset: String?, reason: FieldFault.Reason) {
        #expect(throws: FieldFault(named: limit == nil ? "offset" : "limit", reason)) {
            _ = try JournalPage(limit: limit, offset: offset)
        }
    }

    private struct List: Decodable {
        let files: [AppUpload.File]
    }

    @Test func `uploads are listed file by file, by category and group`() async throws {
        for (category, group) in [("a", "g1"), ("a", "g2"), ("b", "g1")] {
            _ = try await journal.create(.upload) {
                $0.text("category", category)
                $0.text("groupId", group)
                $0.file("file", try Corpus.bytes("plain.jpg"), filename: "0.jpg")
                $0.file("file", try Corpus.bytes("clear.png"), filename: "1.png")
            }
        }
        _ = try await journal.create(.mood) {
            $0.text("mood", "m")
            $0.file("file", try Corpus.bytes("plain.jpg"))
        }
        func names(_ category: String?, _ group: String?) async throws -> [String] {
            try Data(
                try await library.list(
                    .upload, user: "u1", filesURL: Journal.filesURL,
                    page: JournalPage(category: category, groupID: group)
                ).utf8
            ).decoded(List.self).files.map(\.data.name)
        }
        #expect(
            try await names(nil, nil) == ["0.jpg", "1.png", "0.jpg", "1.png", "0.jpg", "1.png"])
        #expect(try await names("a", nil).count == 4)
        #expect(try await names("a", "g1") == ["0.jpg", "1.png"])
        #expect(try await names("c", nil) == [])
    }
}
