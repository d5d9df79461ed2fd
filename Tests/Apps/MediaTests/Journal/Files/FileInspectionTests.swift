import Inspections
@testable import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FileInspectionTests {
    let scratch = Scratch()
    let store: DirectoryStore

    init() throws { store = try DirectoryStore(path: scratch.path + "/media", threads: 2) }

    @Test(arguments: [
        ("plain.jpg", MediaType.jpeg, 96, 64), ("gps.png", .png, 64, 96),
        ("clear.png", .png, 96, 64),
        ("clear.webp", .webp, 96, 64), ("gps.gif", .gif, 96, 64), ("frames.gif", .gif, 96, 64),
        ("gps.jpg", .jpeg, 64, 96), ("gps-big-endian.jpg", .jpeg, 64, 96),
        ("orientation-4.jpg", .jpeg, 96, 64), ("orientation-5.jpg", .jpeg, 96, 64),
        ("large.png", .png, 10000, 10000),
    ])
    func `an image has its size, after its orientation`(
        name: String, type: MediaType, width: Int, height: Int
    ) async throws {
        let inspected = try await Inspected(Corpus.bytes(name), in: store)
        #expect(inspected.type == type)
        #expect(inspected.facts == FileFacts(width: width, height: height))
    }

    @Test(arguments: [
        ("gps.mp4", MediaType.mp4, 96, 64, 2.0), ("gps.mov", .mov, 96, 64, 2.0),
        ("gps-keys.mov", .mov, 96, 64, 2.0), ("turned.mp4", .mp4, 64, 96, 2.0),
        ("pieces.mp4", .mp4, 96, 64, 2.0),
    ])
    func `a film has its size and duration`(
        name: String, type: MediaType, width: Int, height: Int, duration: Double
    ) async throws {
        let inspection = try await Inspected(Corpus.bytes(name), in: store)
        #expect(inspection.type == type)
        #expect(inspection.facts.width == width && inspection.facts.height == height)
        #expect(abs(try #require(inspection.facts.duration) - duration) < 0.11)
    }

    @Test(arguments: [
        ("note.wav", MediaType.wav), ("note.mp3", .mp3), ("bare.mp3", .mp3), ("gps.m4a", .m4a),
        // A file of the MP4 family by its brand; it is M4A because it contains only sound.
        ("sound.mp4", .m4a),
    ])
    func `sound has its duration`(name: String, type: MediaType) async throws {
        let inspection = try await Inspected(Corpus.bytes(name), in: store)
        #expect(inspection.type == type)
        #expect(inspection.facts.width == nil && inspection.facts.height == nil)
        // MP3 and AAC pad their last frames.
        #expect(abs(try #require(inspection.facts.duration) - 1.5) < 0.2)
    }

    @Test(arguments: [
        "<html><script>alert(1)</script>", "%PDF-1.7", "MZ", "", "GIF8", "\u{1}",
    ])
    func `an unknown file has no type`(text: String) async throws {
        let inspected = try await Inspected(Array(text.utf8), in: store)
        #expect(inspected.type == nil && inspected.isLocationSettled)
        #expect(inspected.bytes == Array(text.utf8))
    }

    @Test func `truncated files have the type of their beginning`() async throws {
        for name in try Corpus.names() where name != "large.png" {
            let whole = try Corpus.bytes(name)
            for count in [64, 100, 200, whole.count / 2, whole.count - 1] where count <= whole.count
            {
                let cut = Array(whole[..<count])
                let inspected = try await Inspected(cut, in: store)
                #expect(inspected.type != nil, "\(name) \(count)")
                #expect(inspected.bytes.count == count)
            }
        }
    }

    /// A reader that believed such a header would allocate gigabytes.
    @Test func `a film that claims two thousand million samples costs nothing`() async throws {
        var film = try Corpus.bytes("gps.mp4")
        let table = try #require(film.firstIndex(of: "stsz"))
        // One size for all samples, and their number.
        film.replaceSubrange(
            table + 8..<table + 16, with: [0, 0, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF])
        let facts = try await Inspected(film, in: store)
        #expect(facts.type == .mp4)
        #expect(facts.facts.duration == 2)
    }
}

extension [UInt8] {
    /// The offset of the first occurrence of a text.
    func firstIndex(of text: String, from start: Int = 0) -> Int? {
        let text = Array(text.utf8)
        guard count >= text.count else { return nil }
        return (start...(count - text.count)).first {
            self[$0..<$0 + text.count].elementsEqual(text)
        }
    }
}
