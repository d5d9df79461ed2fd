import CGD
@testable import Inspecting
import Inspections
@testable import Media
import NIOCore
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ThumbnailTests {
    private func stored(_ name: String, in journal: Journal) async throws -> JournalFile {
        try await journal.upload(Corpus.bytes(name))
    }

    private func made(_ outcome: ThumbnailOutcome) throws -> StoredMedia {
        guard case .made(let media) = outcome else {
            Issue.record("\(outcome)")
            throw CancellationError()
        }
        return media
    }

    @Test func `a width is rounded up to one of six`() {
        for (text, pixels) in [
            ("16", 64), ("64", 64), ("65", 128), ("0200", 256), ("257", 512), ("1024", 1024),
            ("1025", 2048), ("2048", 2048),
        ] {
            #expect(ThumbnailWidth(text)?.pixels == pixels, "\(text)")
        }
        for text in ["", "15", "2049", "-16", "+16", "1e2", "200.0", " 16", "99999", "x", "٢٠٠"] {
            #expect(ThumbnailWidth(text) == nil, "\(text)")
        }
        #expect(
            Set(ThumbnailWidth.range.compactMap { ThumbnailWidth("\($0)")?.pixels })
                == Set(ThumbnailWidth.made))
    }

    @Test(arguments: 1...8)
    func `every orientation gives an upright picture`(orientation: Int) async throws {
        let bytes = try Corpus.bytes("orientation-\(orientation).jpg")
        let outcome = bytes.withUnsafeBytes {
            ThumbnailImage.make(of: $0, type: .jpeg, width: 48, pixelsMax: 1 << 20)
        }
        let encoded = try outcome.get()
        #expect(encoded.type == .jpeg)
        let image = try Picture(encoded.bytes, .jpeg)
        #expect(image.width == 48 && image.height == 32)
        // Red, green / blue, white, at the centres of the quarters.
        #expect(image.isNear(12, 8, red: 255, green: 0, blue: 0))
        #expect(image.isNear(36, 8, red: 0, green: 255, blue: 0))
        #expect(image.isNear(12, 24, red: 0, green: 0, blue: 255))
        #expect(image.isNear(36, 24, red: 255, green: 255, blue: 255))
        // Rotated pixels together with an orientation tag would rotate it twice.
        let facts = encoded.bytes.withUnsafeBytes { ImageFacts.read($0) }
        #expect(facts?.orientation == 1 && facts?.hasLocation == false)
    }

    @Test(arguments: [
        ("plain.jpg", MediaType.jpeg), ("clear.png", .png), ("clear.webp", .png),
        ("frames.gif", .jpeg),
    ])
    func `each kind of image has a thumbnail`(name: String, type: MediaType) async throws {
        let journal = try Journal()
        let file = try await stored(name, in: journal)
        let media = try made(try await journal.thumbnail(file, 64))
        #expect(media.file.contentType == type.rawValue)
        #expect(media.file.etag != file.media.etag)
        let picture = try Picture(
            Array(buffer: try await media.source.contents()), type)
        #expect(picture.width == 64)
        // Transparent pixels stay transparent.
        if name.hasPrefix("clear") {
            #expect(picture.alpha(8, 8) == 127 && picture.alpha(56, 32) == 0)
        }
    }

    @Test(arguments: [("gps.webp", MediaType.webp), ("gps.png", .png)])
    func `a rotated, opaque picture becomes an upright JPEG`(
        name: String, type: MediaType
    ) throws {
        let encoded = try Corpus.bytes(name).withUnsafeBytes {
            ThumbnailImage.make(of: $0, type: type, width: 32, pixelsMax: 1 << 20)
        }.get()
        #expect(encoded.type == .jpeg)
        let picture = try Picture(encoded.bytes, .jpeg)
        #expect(picture.width == 32 && picture.height == 48)
    }

    @Test func `it is made once`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let first = try made(try await journal.thumbnail(file, 40))
        #expect(journal.scratch.objects().count == 2)
        let again = try made(try await journal.thumbnail(file, 40))
        #expect(again.file == first.file)
        #expect(try await journal.count("journal_thumbnail") == 1)
        // A row names it, so the sweep keeps it.
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 0)
    }

    @Test func `concurrent requests make it once`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let files = try await withThrowingTaskGroup(of: MediaFile.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try made(try await journal.thumbnail(file, 50)).file
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(files.count == 16 && files.allSatisfy { $0 == files[0] })
        #expect(try await journal.count("journal_thumbnail") == 1)
        #expect(journal.scratch.objects().count == 2)
    }

    @Test func `an image that is narrow enough is its own thumbnail`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let media = try made(try await journal.thumbnail(file, 96))
        #expect(media.file == file.media)
        #expect(try await journal.count("journal_thumbnail") == 0)
    }

    @Test func `films and files that can't be decoded have no thumbnail`() async throws {
        let journal = try Journal()
        let film = try await stored("gps.mp4", in: journal)
        guard case .unsupported = try await journal.thumbnail(film, 64)
        else { throw CancellationError() }
        var broken = try Corpus.bytes("clear.png")
        let data = try #require(broken.firstIndex(of: "IDAT"))
        for place in data + 4..<broken.count - 16 { broken[place] = 0xAA }
        let file = try await journal.upload(broken)
        guard case .unreadable = try await journal.thumbnail(file, 64)
        else { throw CancellationError() }
        #expect(try await journal.count("journal_thumbnail") == 0)
    }

    @Test func `a bomb is not decoded`() async throws {
        let journal = try Journal()
        // 12 KB that would decode to 400 MB.
        let file = try await stored("large.png", in: journal)
        guard
            case .tooManyPixels(let limit) = try await journal.thumbnail(file, 64)
        else { throw CancellationError() }
        #expect(limit == 50_000_000)
        // A record with fewer pixels does not help it.
        let bytes = try Corpus.bytes("large.png")
        let outcome = bytes.withUnsafeBytes {
            ThumbnailImage.make(of: $0, type: .png, width: 32, pixelsMax: limit)
        }
        #expect(outcome == .failure(.tooManyPixels))
    }

    @Test func `whatever widths are requested, a file has at most six`() async throws {
        let journal = try Journal()
        let file = try await journal.upload(HostilePicture.jpeg(width: 3000, height: 30))
        for pixels in ThumbnailWidth.made.flatMap({ [$0 - 40, $0] }) {
            let media = try made(try await journal.thumbnail(file, pixels))
            let picture = try Picture(Array(buffer: try await media.source.contents()), .jpeg)
            #expect(picture.width >= pixels && ThumbnailWidth.made.contains(picture.width))
        }
        #expect(try await journal.count("journal_thumbnail") == 6)
        #expect(try await journal.count("media_file") == 7)
    }

    @Test func `thumbnails are deleted with their file`() async throws {
        let journal = try Journal()
        let file = try await journal.upload(HostilePicture.jpeg(width: 300, height: 30))
        for pixels in [64, 128] { _ = try made(try await journal.thumbnail(file, pixels)) }
        #expect(try await journal.library.removeFile(file.id, user: "u1") != nil)
        for table in ["journal_thumbnail", "journal_file", "media_file", "upload"] {
            #expect(try await journal.count(table) == 0)
        }
        guard case .gone = try await journal.thumbnail(file, 256) else {
            throw CancellationError()
        }
        #expect(try await journal.count("media_file") == 0)
    }

    @Test func `requests beyond the limit are refused`() async throws {
        let u1 = InspectionClient(user: "u1")
        let lane = InspectionLane(
            InspectionTurns(atOnceMax: 1, waitingMax: 2, waitingPerUserMax: 2))
        let (begun, beginner) = AsyncStream.makeStream(of: Void.self)
        let (hold, holder) = AsyncStream.makeStream(of: Void.self)
        let results = await withTaskGroup(of: Int?.self) { group in
            group.addTask {
                await lane.turn(of: u1) {
                    beginner.finish()
                    for await _ in hold {}
                    return 0
                }
            }
            // The first has its turn before the others arrive.
            for await _ in begun {}
            for number in 1...4 {
                group.addTask { await lane.turn(of: u1) { number } }
            }
            var results: [Int?] = []
            // Two are refused at once; then the first ends, and two follow.
            while results.count < 2, let next = await group.next() { results.append(next) }
            holder.finish()
            for await next in group { results.append(next) }
            return results
        }
        #expect(results.prefix(2).allSatisfy { $0 == nil })
        #expect(results.compactMap { $0 }.count == 3)
        await lane.shutdown()
        #expect(await lane.turn(of: u1) { 1 } == nil)
    }
}

/// A decoded image.
private final class Picture {
    private let image: gdImagePtr

    init(_ bytes: [UInt8], _ type: MediaType) throws {
        let decoded = bytes.withUnsafeBytes { bytes in
            let pointer = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return type == .jpeg
                ? gdImageCreateFromJpegPtr(Int32(bytes.count), pointer)
                : gdImageCreateFromPngPtr(Int32(bytes.count), pointer)
        }
        image = try #require(decoded)
    }

    deinit { gdImageDestroy(image) }

    var width: Int { Int(image.pointee.sx) }
    var height: Int { Int(image.pointee.sy) }

    /// 0 to 127; 127 is transparent.
    func alpha(_ x: Int32, _ y: Int32) -> Int32 {
        gdImageGetTrueColorPixel(image, x, y) >> 24 & 0x7F
    }

    func isNear(_ x: Int32, _ y: Int32, red: Int32, green: Int32, blue: Int32) -> Bool {
        let pixel = gdImageGetTrueColorPixel(image, x, y)
        return zip([pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255], [red, green, blue])
            .allSatisfy { abs($0 - $1) < 40 }
    }
}
