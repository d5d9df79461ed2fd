import CGD
import MediaStorage
import NIOCore
import Postgres
import Testing

@testable import Multimedia

@Suite(.timeLimit(.minutes(10)))
struct ThumbnailTests {
    /// An upload's file, by what the journal knows of it.
    private func stored(_ name: String, in journal: Journal) async throws -> JournalFile {
        let upload = try await journal.create(.upload) {
            $0.file("file", try Corpus.bytes(name), filename: name)
        }.decoded(AppUpload.self)
        return try #require(
            try await journal.library.find(file: upload.files[0].data.fileId, user: "u1"))
    }

    private func made(_ outcome: ThumbnailOutcome) throws -> StoredMedia {
        guard case .made(let media) = outcome else {
            Issue.record("\(outcome)")
            throw CancellationError()
        }
        return media
    }

    private func width(_ pixels: Int) throws -> ThumbnailWidth {
        try #require(ThumbnailWidth("\(pixels)"))
    }

    @Test func `widths are 16 to 2048`() {
        for text in ["16", "2048", "0200"] { #expect(ThumbnailWidth(text) != nil) }
        for text in ["", "15", "2049", "-16", "+16", "1e2", "200.0", " 16", "99999", "x", "٢٠٠"] {
            #expect(ThumbnailWidth(text) == nil, "\(text)")
        }
    }

    @Test(arguments: 1...8)
    func `whichever way it lies, it comes upright`(orientation: Int) async throws {
        let bytes = try Corpus.bytes("orientation-\(orientation).jpg")
        let outcome = bytes.withUnsafeBytes {
            ThumbnailImage.make(of: $0, type: .jpeg, width: 48, pixelsMax: 1 << 20)
        }
        let encoded = try outcome.get()
        #expect(encoded.type == .jpeg)
        let image = try Picture(encoded.bytes, .jpeg)
        #expect(image.width == 48 && image.height == 32)
        // Red, green / blue, white, in the middles of the quarters.
        #expect(image.isNear(12, 8, red: 255, green: 0, blue: 0))
        #expect(image.isNear(36, 8, red: 0, green: 255, blue: 0))
        #expect(image.isNear(12, 24, red: 0, green: 0, blue: 255))
        #expect(image.isNear(36, 24, red: 255, green: 255, blue: 255))
        // Turned pixels and an orientation would turn it twice.
        let facts = encoded.bytes.withUnsafeBytes { ImageFacts.read($0) }
        #expect(facts?.orientation == 1 && facts?.hasLocation == false)
    }

    @Test(arguments: [
        ("plain.jpg", MediaType.jpeg), ("clear.png", .png), ("clear.webp", .png),
        ("frames.gif", .jpeg), ("gps.webp", .jpeg), ("gps.png", .jpeg),
    ])
    func `each kind of image has one`(name: String, type: MediaType) async throws {
        let journal = try Journal()
        let file = try await stored(name, in: journal)
        let media = try made(try await journal.library.thumbnail(of: file, width: width(32)))
        #expect(media.file.contentType == type.rawValue)
        #expect(media.file.etag != file.media.etag)
        let picture = try Picture(
            Array(buffer: try await media.source.contents()), type)
        #expect(picture.width == 32)
        // What shines through still does.
        if name.hasPrefix("clear") {
            #expect(picture.alpha(4, 4) == 127 && picture.alpha(28, 16) == 0)
        }
    }

    @Test func `it is made once`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let first = try made(try await journal.library.thumbnail(of: file, width: width(40)))
        #expect(journal.scratch.objects().count == 2)
        let again = try made(try await journal.library.thumbnail(of: file, width: width(40)))
        #expect(again.file == first.file)
        #expect(try await journal.count("journal_thumbnail") == 1)
        // Named by a row: the sweep leaves it.
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 0)
    }

    @Test func `asked for by many at once, it is still made once`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let width = try width(50)
        let files = try await withThrowingTaskGroup(of: MediaFile.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try made(try await journal.library.thumbnail(of: file, width: width)).file
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(files.count == 16 && files.allSatisfy { $0 == files[0] })
        #expect(try await journal.count("journal_thumbnail") == 1)
        #expect(journal.scratch.objects().count == 2)
    }

    @Test func `an image that is narrow enough is its own`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        let media = try made(try await journal.library.thumbnail(of: file, width: width(96)))
        #expect(media.file == file.media)
        #expect(try await journal.count("journal_thumbnail") == 0)
    }

    @Test func `films have none, nor what can't be decoded`() async throws {
        let journal = try Journal()
        let film = try await stored("gps.mp4", in: journal)
        guard case .unsupported = try await journal.library.thumbnail(of: film, width: width(32))
        else { throw CancellationError() }
        var broken = try Corpus.bytes("clear.png")
        let data = try #require(broken.firstIndex(of: "IDAT"))
        for place in data + 4..<broken.count - 16 { broken[place] = 0xAA }
        let upload = try await journal.create(.upload) { $0.file("file", broken) }
            .decoded(AppUpload.self)
        let file = try #require(
            try await journal.library.find(file: upload.files[0].data.fileId, user: "u1"))
        guard case .unreadable = try await journal.library.thumbnail(of: file, width: width(32))
        else { throw CancellationError() }
        #expect(try await journal.count("journal_thumbnail") == 0)
    }

    @Test func `a bomb is not decoded`() async throws {
        let journal = try Journal()
        // 12 KB that would be 400 MB.
        let file = try await stored("large.png", in: journal)
        guard
            case .tooManyPixels(let limit) = try await journal.library.thumbnail(
                of: file, width: width(32))
        else { throw CancellationError() }
        #expect(limit == 50_000_000)
        // A record that says less does not help it.
        let bytes = try Corpus.bytes("large.png")
        let outcome = bytes.withUnsafeBytes {
            ThumbnailImage.make(of: $0, type: .png, width: 32, pixelsMax: limit)
        }
        #expect(outcome == .failure(.tooManyPixels))
    }

    @Test func `as many widths are kept as are allowed`() async throws {
        var configuration = JournalConfiguration()
        configuration.thumbnailsPerFileMax = 3
        let journal = try Journal(configuration)
        let file = try await stored("plain.jpg", in: journal)
        for pixels in 20...26 {
            _ = try made(try await journal.library.thumbnail(of: file, width: width(pixels)))
        }
        #expect(try await journal.count("journal_thumbnail") == 3)
        #expect(try await journal.count("media_file") == 4)
    }

    @Test func `thumbnails go with their file`() async throws {
        let journal = try Journal()
        let file = try await stored("plain.jpg", in: journal)
        for pixels in [20, 30] {
            _ = try made(try await journal.library.thumbnail(of: file, width: width(pixels)))
        }
        #expect(try await journal.library.removeFile(file.id, user: "u1") != nil)
        for table in ["journal_thumbnail", "journal_file", "media_file", "upload"] {
            #expect(try await journal.count(table) == 0)
        }
        guard case .gone = try await journal.library.thumbnail(of: file, width: width(40)) else {
            throw CancellationError()
        }
        #expect(try await journal.count("media_file") == 0)
    }

    @Test func `those for whom there is no room are sent away`() async throws {
        let queue = ThumbnailQueue(waitingMax: 2)
        let (hold, holder) = AsyncStream.makeStream(of: Void.self)
        let results = await withTaskGroup(of: Int?.self) { group in
            group.addTask {
                await queue.run {
                    for await _ in hold {}
                    return 0
                }
            }
            // The first has its turn before the others come.
            while !queue.isBusy { await Task.yield() }
            for number in 1...4 {
                group.addTask { await queue.run { number } }
            }
            var results: [Int?] = []
            // Two are sent away at once; then the first ends, and two follow.
            while results.count < 2, let next = await group.next() { results.append(next) }
            holder.finish()
            for await next in group { results.append(next) }
            return results
        }
        #expect(results.prefix(2).allSatisfy { $0 == nil })
        #expect(results.compactMap { $0 }.count == 3)
        await queue.shutdown()
        #expect(await queue.run { 1 } == nil)
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

    /// 0 to 127; 127 shines through.
    func alpha(_ x: Int32, _ y: Int32) -> Int32 {
        gdImageGetTrueColorPixel(image, x, y) >> 24 & 0x7F
    }

    func isNear(_ x: Int32, _ y: Int32, red: Int32, green: Int32, blue: Int32) -> Bool {
        let pixel = gdImageGetTrueColorPixel(image, x, y)
        return zip([pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255], [red, green, blue])
            .allSatisfy { abs($0 - $1) < 40 }
    }
}
