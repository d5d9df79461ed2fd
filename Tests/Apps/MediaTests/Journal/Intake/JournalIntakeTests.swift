import Inspections
@testable import Media
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JournalIntakeTests {
    private func small() throws -> Journal {
        var configuration = JournalConfiguration()
        configuration.fileBytesMax = 2000
        configuration.voiceNoteBytesMax = 5000
        configuration.profilePictureBytesMax = 1000
        configuration.discardedBytesMax = 10_000
        return try Journal(configuration)
    }

    /// A JPEG of that many bytes.
    private func jpeg(_ count: Int) throws -> [UInt8] {
        let bytes = try Corpus.bytes("plain.jpg")
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    @Test func `a body gives the same entry in pieces of any size`() async throws {
        let journal = try Journal()
        let body = try FormBody.make { body in
            body.text("mood", "happy")
            body.file("file", try Corpus.bytes("gps.jpg"), filename: "a.jpg")
            body.text("tags", "a,b")
            body.file("voiceNote", try Corpus.bytes("note.mp3"), filename: "n.mp3")
        }
        for chunk in [1, 2, 3, 7, 61, 1000, body.count] {
            let entry = try await journal.read(.mood, body, chunk: chunk)
            #expect(entry.fields.mood == "happy" && entry.fields.tags == ["a", "b"])
            #expect(entry.files.map(\.name) == ["a.jpg", "n.mp3"])
            #expect(entry.files.map(\.type) == [.jpeg, .mp3])
            #expect(entry.bytes == 4260 + 3573 && entry.problems.isEmpty)
        }
        // However often it is sent, there are two contents.
        #expect(journal.scratch.objects().count == 2)
    }

    @Test(arguments: [
        (JournalKind.upload, "file", 2000), (.mood, "image", 2000), (.profilePicture, "file", 1000),
    ])
    func `a file may have as many bytes as the limit and not one more`(
        kind: JournalKind, part: String, limit: Int
    ) async throws {
        let journal = try small()
        for chunk in [1, 999, 100_000] {
            let exact = try await journal.read(
                kind,
                try FormBody.make {
                    $0.text("mood", "m")
                    $0.file(part, try jpeg(limit))
                }, chunk: chunk)
            #expect(exact.files.count == 1)
            let failure = try await journal.failure(kind, chunk: chunk) {
                $0.text("mood", "m")
                $0.file(part, try jpeg(limit + 1))
            }
            #expect(
                failure
                    == .file(
                        FileProblem(
                            part: part, name: "image.jpg", fault: .tooLarge(bytesMax: limit))))
        }
        #expect(journal.scratch.objects().count == 1 && journal.scratch.incoming().isEmpty)
    }

    @Test func `a file that is too large does not exclude others`() async throws {
        let journal = try small()
        let entry = try await journal.read(
            .upload,
            try FormBody.make {
                $0.file("file", try jpeg(9000), filename: "large.jpg")
                $0.file("file", try Corpus.bytes("plain.jpg"), filename: "good.jpg")
                $0.file("file", Array("<html>".utf8), filename: "page.html")
                $0.file("file", [], filename: "empty.png")
            })
        #expect(entry.files.map(\.name) == ["good.jpg"])
        #expect(
            entry.problems == [
                FileProblem(part: "file", name: "large.jpg", fault: .tooLarge(bytesMax: 2000)),
                FileProblem(
                    part: "file", name: "page.html",
                    fault: .typeUnsupported(found: nil, accepted: FileRole.picture.accepted)),
                FileProblem(part: "file", name: "empty.png", fault: .empty),
            ])
    }

    @Test func `discarded bytes are limited`() async throws {
        let journal = try small()
        #expect(
            try await journal.failure(.upload) {
                $0.file("file", try jpeg(20_000))
            } == .discardedTooMuch(bytesMax: 10_000))
        #expect(
            try await journal.failure(.upload) {
                $0.file("attachment", [UInt8](repeating: 1, count: 10_001))
            } == .discardedTooMuch(bytesMax: 10_000))
        #expect(journal.scratch.objects().isEmpty && journal.scratch.incoming().isEmpty)
    }

    @Test(arguments: [
        (JournalKind.upload, "file", "note.mp3", false), (.upload, "file", "gps.m4a", false),
        (.upload, "file", "sound.mp4", false), (.upload, "file", "gps.mov", true),
        (.upload, "file", "gps.mp4", true), (.upload, "file", "frames.gif", true),
        (.upload, "image", "clear.webp", true), (.profilePicture, "file", "frames.gif", false),
        (.profilePicture, "file", "gps.mp4", false), (.profilePicture, "file", "clear.webp", true),
        (.profilePicture, "file", "clear.png", true), (.mood, "voiceNote", "note.mp3", true),
        (.mood, "voiceNote", "note.wav", true), (.mood, "voiceNote", "gps.m4a", true),
        (.mood, "voiceNote", "sound.mp4", true), (.mood, "voiceNote", "gps.mp4", false),
        (.mood, "voiceNote", "gps.mov", false), (.mood, "voiceNote", "plain.jpg", false),
    ])
    func `a type is detected from the bytes`(
        kind: JournalKind, part: String, name: String, isTaken: Bool
    ) async throws {
        let journal = try Journal()
        let failure = try await journal.failure(kind) {
            $0.text("mood", "m")
            // The claimed type does not matter.
            $0.file(part, try Corpus.bytes(name), filename: "x.bin", type: "text/html")
        }
        if isTaken {
            #expect(failure == nil)
        } else if case .file(let problem) = failure,
            case .typeUnsupported(let found, _) = problem.fault
        {
            #expect(found != nil)
        } else {
            Issue.record("\(String(describing: failure))")
        }
    }

    @Test func `ten files and not one more`() async throws {
        let journal = try Journal()
        func failure(_ files: Int, voiceNote: Bool = false) async throws -> JournalFailure? {
            try await journal.failure(.mood) {
                $0.text("mood", "m")
                for number in 0..<files {
                    $0.file(number % 2 == 0 ? "file" : "image", try Corpus.bytes("plain.jpg"))
                }
                if voiceNote { $0.file("voiceNote", try Corpus.bytes("note.wav")) }
            }
        }
        #expect(try await failure(10) == nil)
        #expect(try await failure(11) == .filesTooMany(limit: 10))
        #expect(try await failure(9, voiceNote: true) == nil)
        #expect(try await failure(10, voiceNote: true) == .filesTooMany(limit: 10))
    }

    @Test func `one profile picture, one voice note`() async throws {
        let journal = try Journal()
        #expect(
            try await journal.failure(.profilePicture) {
                $0.file("file", try Corpus.bytes("plain.jpg"))
                $0.file("file", try Corpus.bytes("plain.jpg"))
            } == .filesTooMany(limit: 1))
        #expect(
            try await journal.failure(.mood) {
                $0.text("mood", "m")
                $0.file("voiceNote", try Corpus.bytes("note.wav"))
                $0.file("voiceNote", try Corpus.bytes("note.wav"))
            } == .field(FieldFault(named: "voiceNote", .repeated)))
    }

    @Test(arguments: [JournalKind.upload, .profilePicture])
    func `some kinds require a file`(kind: JournalKind) async throws {
        let journal = try Journal()
        #expect(try await journal.failure(kind) { $0.text("title", "t") } == .fileMissing)
        // An empty file control of a form, with and without a name.
        #expect(
            try await journal.failure(kind) { $0.file("file", [], filename: "") } == .fileMissing)
        #expect(
            try await journal.failure(kind) { $0.file("file", [], filename: nil) } == .fileMissing)
    }

    @Test func `a thousand fields are too many`() async throws {
        let journal = try Journal()
        let fault = JournalFailure.field(FieldFault(named: "", .tooManyParts(max: 64)))
        #expect(
            try await journal.failure(.mood) { body in
                body.text("mood", "m")
                for number in 0..<1000 { body.text("field\(number)", "x") }
            } == fault)
        #expect(
            try await journal.failure(.mood) { body in
                body.text("mood", "m")
                for number in 0..<63 { body.text("field\(number)", "x") }
            } == nil)
    }

    @Test func `a wrong field makes no object`() async throws {
        let journal = try Journal()
        #expect(
            try await journal.failure(.mood) {
                $0.file("file", try Corpus.bytes("plain.jpg"))
                $0.text("mood", " ")
            } == .field(FieldFault(.mood, .missing)))
        #expect(
            try await journal.failure(.mood) {
                $0.text("note", String(repeating: "x", count: 16_385))
            }
                == .field(FieldFault(.note, .tooLong(bytesMax: 16_384))))
        #expect(journal.scratch.objects().isEmpty && journal.scratch.incoming().isEmpty)
    }

    @Test func `a body that ends early keeps nothing`() async throws {
        let journal = try Journal()
        let body = try FormBody.make {
            $0.text("mood", "m")
            $0.file("file", try Corpus.bytes("gps.jpg"))
        }
        for count in [0, 10, 100, 300, 2000, body.count - 3] {
            await #expect(throws: JournalFailure.multipart(.truncated(offset: count))) {
                _ = try await journal.read(.mood, Array(body[..<count]))
            }
        }
        #expect(journal.scratch.objects().isEmpty && journal.scratch.incoming().isEmpty)
    }

    @Test func `a boundary inside a file is data`() async throws {
        let journal = try Journal()
        let content =
            try Corpus.bytes("plain.jpg")
            + Array(
                "\r\n-\(FormBody.boundary)\r\n--sluice-6f1c5c0\r\n x--\(FormBody.boundary)".utf8)
        for chunk in [1, 5, 10_000] {
            let entry = try await journal.read(
                .upload, FormBody.make { $0.file("file", content) }, chunk: chunk)
            #expect(entry.bytes == content.count)
        }
    }

    @Test func `names are found in all their places`() async throws {
        let journal = try Journal()
        let long = String(repeating: "n", count: 10_240) + ".jpg"
        let entry = try await journal.read(
            .upload,
            try FormBody.make {
                $0.file("file", try Corpus.bytes("plain.jpg"), filename: "../../etc/x.jpg")
                $0.file("file", try Corpus.bytes("plain.jpg"), filename: long)
                $0.file("file", try Corpus.bytes("plain.jpg"), filename: nil)
            })
        #expect(entry.files[0].name == "x.jpg")
        #expect(entry.files[1].name.utf8.count == 255)
        #expect(entry.files[2].name == "file.jpg")
        // A rule of the multipart reader.
        let failure = try await journal.failure(.upload) {
            $0.file("file", try Corpus.bytes("plain.jpg"), filename: "a\u{0}b.jpg")
        }
        guard case .multipart(.headerInvalid) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [true, false])
    func `keepLocation may follow the files`(isBehind: Bool) async throws {
        let journal = try Journal()
        let original = try Corpus.bytes("gps.jpg")
        func stored(_ value: String?, query: Bool = false) async throws -> [UInt8] {
            let entry = try await journal.read(
                .upload,
                FormBody.make {
                    if let value, !isBehind { $0.text("keepLocation", value) }
                    $0.file("file", original)
                    if let value, isBehind { $0.text("keepLocation", value) }
                }, keepLocation: query)
            let source = try await journal.store.open(entry.files[0].object.name)
            return Array(buffer: try await source.contents())
        }
        #expect(try await stored("true") == original)
        #expect(try await stored("false") != original)
        #expect(try await stored(nil) != original)
        #expect(try await stored(nil, query: true) == original)
    }

    @Test func `a film that records a track is refused unless it may`() async throws {
        let journal = try Journal()
        var film = try Corpus.bytes("turned.mp4")
        let place = try #require(
            film.firstIndex(of: "avc1", from: film.firstIndex(of: "stsd") ?? 0))
        film.replaceSubrange(place..<place + 4, with: Array("gpmd".utf8))
        let failure = try await journal.failure(.upload) {
            $0.file("file", film, filename: "way.mp4")
        }
        #expect(
            failure
                == .file(FileProblem(part: "file", name: "way.mp4", fault: .locationNotRemovable)))
        let kept = try await journal.failure(.upload) {
            $0.file("file", film, filename: "way.mp4")
            $0.text("keepLocation", "1")
        }
        #expect(kept == nil)
    }
}
