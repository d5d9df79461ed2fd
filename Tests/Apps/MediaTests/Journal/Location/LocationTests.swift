import Foundation
@testable import Inspecting
import Inspections
@testable import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LocationTests {
    let scratch = Scratch()
    let store: DirectoryStore

    init() throws { store = try DirectoryStore(path: scratch.path + "/media", threads: 2) }

    static let located = [
        "gps.jpg", "gps-big-endian.jpg", "gps-two.jpg", "gps.png", "gps-compressed.png",
        "gps-text.png", "gps.webp", "gps.gif", "gps.mp4", "gps.mov", "gps-keys.mov", "gps.m4a",
    ]

    /// The place in all forms that the files contain.
    private static let traces: [[UInt8]] = [
        Array("42.36".utf8), Array("42,21".utf8), Array("71.09".utf8), Array("71,5".utf8),
        Array("42/1".utf8),
        // 42/1, 21/1 in both byte orders.
        [42, 0, 0, 0, 1, 0, 0, 0, 21, 0, 0, 0], [0, 0, 0, 42, 0, 0, 0, 1, 0, 0, 0, 21],
        // loci: degrees as 16.16.
        [0, 42, 0x5C, 0x36],
    ]

    private static func hasTrace(_ bytes: [UInt8]) -> Bool {
        traces.contains { trace in
            bytes.indices.contains { bytes[$0...].starts(with: trace) }
        }
    }

    @Test(arguments: located)
    func `no trace of the place is left, and no other byte has moved`(name: String) async throws {
        let original = try Corpus.bytes(name)
        let inspected = try await Inspected(original, in: store)
        #expect(inspected.isLocationSettled)
        #expect(inspected.bytes.count == original.count)
        #expect(inspected.bytes != original)
        // A search can't see into compressed pieces; the test with other readers covers them.
        if name != "gps-compressed.png" {
            #expect(Self.hasTrace(original), "the test finds nothing")
        }
        #expect(!Self.hasTrace(inspected.bytes))
    }

    @Test(arguments: located)
    func `the place stays where it is to be kept`(name: String) async throws {
        let original = try Corpus.bytes(name)
        let inspected = try await Inspected(original, keepsLocation: true, in: store)
        #expect(inspected.bytes == original && inspected.isLocationSettled)
    }

    @Test(arguments: [
        "plain.jpg", "orientation-6.jpg", "clear.png", "clear.webp", "frames.gif", "bare.mp3",
    ])
    func `a file without a place is stored unchanged`(name: String) async throws {
        let original = try Corpus.bytes(name)
        #expect(try await Inspected(original, in: store).bytes == original)
    }

    @Test func `a file that lost its place is stored under the digest of its new content`()
        async throws
    {
        let inspected = try await Inspected(Corpus.bytes("gps.jpg"), in: store)
        let again = try await store.begin()
        try await again.write(inspected.bytes.span.bytes)
        #expect(try await again.finish().digest == inspected.object.digest)
    }

    @Test(arguments: ["gps.jpg", "gps-big-endian.jpg", "gps.png", "gps.webp"])
    func `camera, time and orientation stay`(name: String) async throws {
        let bytes = try await Inspected(Corpus.bytes(name), in: store).bytes
        let facts = bytes.withUnsafeBytes { ImageFacts.read($0) }
        #expect(facts?.orientation == 6 && facts?.hasLocation == false)
        #expect(bytes.firstIndex(of: "Corpus") != nil)
        #expect(bytes.firstIndex(of: "2026:01:24 10:30:00") != nil)
    }

    /// Pillow has its own code to read EXIF.
    @Test(
        arguments: located.filter {
            !$0.hasSuffix("mp4") && !$0.hasSuffix("mov") && !$0.hasSuffix("m4a")
        })
    func `another reader finds no place and the same picture`(name: String) async throws {
        let bytes = try await Inspected(Corpus.bytes(name), in: store).bytes
        let path = "\(scratch.path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let original = Corpus.directory.appendingPathComponent(name).path
        let answer = try Python.run(
            """
            import sys
            from PIL import Image
            places, pixels = [], []
            for path in sys.argv[1:]:
                image = Image.open(path)
                found = []
                for frame in range(getattr(image, "n_frames", 1)):
                    image.seek(frame)
                    exif = image.getexif()
                    found.append(bool(exif.get_ifd(0x8825)) or 0x8825 in exif)
                    xmp = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
                    found.append(b"GPS" in (xmp if isinstance(xmp, bytes) else xmp.encode()))
                    pixels.append((path, frame, image.convert("RGBA").tobytes()))
                places.append(any(found))
            half = len(pixels) // 2
            same = [p[1:] for p in pixels[:half]] == [p[1:] for p in pixels[half:]]
            print(places[0], places[1], same)
            """, [original, path])
        // Pillow can't read EXIF in hexadecimal text chunks, nor GIF's XMP. For these files only
        // the picture is compared.
        let isRead = !["gps-text.png", "gps.gif"].contains(name)
        #expect(isRead ? answer == "True False True\n" : answer.hasSuffix(" False True\n"))
    }

    /// A track that records places is not edited; such a film is refused.
    @Test(arguments: ["gpmd", "camm", "rtmd", "jpeg", "mjpa", "png "])
    func `a film with a track of places is not settled`(name: String) async throws {
        var film = try Corpus.bytes("turned.mp4")
        let place = try #require(
            film.firstIndex(of: "avc1", from: film.firstIndex(of: "stsd") ?? 0))
        film.replaceSubrange(place..<place + 4, with: Array(name.utf8))
        #expect(try await !Inspected(film, in: store).isLocationSettled)
        #expect(
            try await Inspected(film, keepsLocation: true, in: store).isLocationSettled)
    }

    @Test(arguments: ["text", "sbtl", "subt", "camm"])
    func `a film with subtitles, which drones write places into, is not settled`(
        handler: String
    ) async throws {
        var film = try Corpus.bytes("turned.mp4")
        let place = try #require(
            film.firstIndex(of: "vide", from: film.firstIndex(of: "hdlr") ?? 0))
        film.replaceSubrange(place..<place + 4, with: Array(handler.utf8))
        #expect(try await !Inspected(film, in: store).isLocationSettled)
    }

    @Test func `a GIF whose XMP packet is too long to edit is not settled`() async throws {
        var gif = try Corpus.bytes("gps.gif")
        let start = try #require(gif.firstIndex(of: "XMP DataXMP")) + 11
        gif.insert(contentsOf: [UInt8](repeating: UInt8(ascii: " "), count: 17 << 20), at: start)
        #expect(try await !Inspected(gif, in: store).isLocationSettled)
    }

    @Test func `XMP stays unless it mentions a place or holds a picture`() {
        for text in [
            "<a x='1' exif:GPSLatitude = \"42,21N\"/>", "<drone:GpsLongtitude v='7'/>",
            "<photoshop:City>Boston</photoshop:City>", "<xmpGImg:image>/9j/</xmpGImg:image>",
            "<\u{0}g\u{0}p\u{0}s\u{0}", "<Iptc4xmpExt:LocationShown/>",
        ] {
            #expect(!XMPLocation.mayStay(Array(text.utf8)), "\(text)")
        }
        for text in ["<dc:title>kept</dc:title>", "<hdrgm:Version>1.0</hdrgm:Version>", ""] {
            #expect(XMPLocation.mayStay(Array(text.utf8)), "\(text)")
        }
    }

    /// Inspects in this process, where a trap is a crash of the test.
    private static func answer(
        _ file: inout [UInt8], _ type: MediaType, erasesLocation: Bool = true
    ) -> InspectionAnswer {
        let order = InspectionOrder(
            wish: .report(erasesLocation: erasesLocation), type: type,
            limits: InspectionLimits(memoryBytesMax: 0, processorSecondsMax: 0, secondsMax: 0))
        return file.withUnsafeMutableBytes { Inspection.answer(to: order, $0) }
    }

    /// Whatever the numbers in a file: no trap, an end, and edits that the server accepts.
    @Test func `broken files are read or refused`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var dice = Dice(seed: seed)
        for round in 0..<1500 {
            let name = try #require(
                (Self.located + ["note.mp3", "note.wav", "pieces.mp4"]).randomElement(using: &dice))
            var bytes = try Corpus.bytes(name)
            for _ in 0..<Int.random(in: 1...12, using: &dice) {
                // Damage matters most in headers.
                let place = Int.random(in: 0..<min(bytes.count, 3000), using: &dice)
                bytes[place] =
                    [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &dice)]
                    .randomElement(using: &dice) ?? 0
            }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &dice)) }
            guard let type = MediaType(content: bytes) else { continue }
            let original = bytes
            let answer = Self.answer(&bytes, type)
            let read = InspectionAnswer(
                answer.encoded, to: .report(erasesLocation: true), fileBytes: bytes.count)
            #expect(read == answer, "seed \(seed) round \(round) \(name)")
            guard case .report(let report) = answer, report.isLocationSettled else { continue }
            // The edits are all that has changed.
            var edited = original
            for edit in report.edits {
                let content =
                    switch edit.content {
                    case .bytes(let bytes): bytes
                    case .fill(let byte, let count): [UInt8](repeating: byte, count: count)
                    }
                edited.replaceSubrange(edit.offset..<edit.offset + edit.count, with: content)
            }
            #expect(edited == bytes, "seed \(seed) round \(round) \(name)")
        }
    }

    // MARK: What is beside and between

    /// Files that name the place where ``located`` ones don't.
    private static func hidden() throws -> [(name: String, bytes: [UInt8])] {
        let place = Array("+42.3602-071.0942/".utf8)
        let (jpeg, film) = (try Corpus.bytes("gps.jpg"), try Corpus.bytes("gps.mp4"))
        let plain = try Corpus.bytes("plain.jpg")
        let (sound, wave) = (try Corpus.bytes("bare.mp3"), try Corpus.bytes("note.wav"))
        func big(_ number: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, marker] + big(content.count + 2, 2) + content
        }
        func tag(_ frames: [(String, [UInt8])]) -> [UInt8] {
            var body: [UInt8] = []
            for (name, content) in frames {
                body += Array(name.utf8)
                body += big(content.count, 4)
                body += [0, 0]
                body += content
            }
            let size: [UInt8] = [21, 14, 7, 0].map { UInt8(body.count >> $0 & 127) }
            let head: [UInt8] = Array("ID3".utf8) + [3, 0, 0]
            return head + size + body
        }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + big(content.count, 4).reversed() + content
        }
        func longer(_ wave: [UInt8], by more: [UInt8]) -> [UInt8] {
            let whole = wave + more
            return Array(whole[..<4]) + big(whole.count - 8, 4).reversed() + whole[8...]
        }
        func text(_ name: String, _ content: [UInt8]) throws -> [UInt8] {
            let png = try Corpus.bytes("clear.png")
            let end = try #require(png.firstIndex(of: "IEND")) - 4
            // exiftool reads a chunk whatever its checksum.
            var bytes = Array(png[..<end])
            bytes += big(content.count, 4)
            bytes += Array(name.utf8)
            bytes += content
            bytes += [0, 0, 0, 0]
            return bytes + png[end...]
        }
        return [
            ("motion photo.jpg", jpeg + film), ("second picture.jpg", plain + jpeg),
            (
                "Samsung.jpg",
                plain + [0, 0, 0x30, 0x0A, 16, 0, 0, 0] + Array("MotionPhoto_Data".utf8) + film
            ),
            (
                "comment.jpg",
                plain[..<2] + segment(0xFE, place)
                    + segment(
                        0xED,
                        Array("Photoshop 3.0\u{0}8BIM\u{4}\u{4}\u{0}\u{0}".utf8)
                            + [0, 0, 0, 11, 0x1C, 2, 0x5A, 0, 6] + Array("Boston\u{0}".utf8))
                    + plain[2...]
            ),
            ("more.png", try Corpus.bytes("clear.png") + jpeg),
            ("more.webp", try Corpus.bytes("clear.webp") + jpeg),
            ("more.gif", try Corpus.bytes("frames.gif") + jpeg),
            ("more.mp4", try Corpus.bytes("turned.mp4") + jpeg),
            ("more.mov", try Corpus.bytes("gps.mov") + [0, 0, 0, 32] + Array("SEFT".utf8) + place),
            ("more.wav", wave + jpeg),
            ("text.png", try text("tEXt", Array("Location\u{0}".utf8) + place)),
            ("long text.png", try text("iTXt", Array("Where".utf8) + [0, 0, 0, 0, 0] + place)),
            (
                "tags.mp3",
                tag([
                    ("TXXX", [0] + Array("location\u{0}".utf8) + place),
                    ("COMM", [0] + Array("eng\u{0}".utf8) + place),
                    ("GEOB", [0] + Array("a\u{0}b\u{0}c\u{0}".utf8) + jpeg),
                ]) + sound
            ),
            ("old tag.mp3", sound + Array("TAG".utf8) + place + [UInt8](repeating: 0, count: 107)),
            ("APE tag.mp3", sound + Array("APETAGEX".utf8) + place),
            (
                "information.wav",
                longer(wave, by: chunk("LIST", Array("INFO".utf8) + chunk("ICMT", place)))
            ),
            (
                "broadcast.wav",
                longer(wave, by: chunk("bext", place + [UInt8](repeating: 0, count: 584)))
            ),
        ]
    }

    /// The texts of tags that exiftool prints which are, or name, a place.
    private func placesThatExiftoolFinds(_ bytes: [UInt8], _ name: String) throws -> [String] {
        let path = "\(scratch.path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try Program.output("exiftool", ["-a", "-u", "-U", "-ee", "-G1", "-s", path])
            .split(separator: "\n").map(String.init)
            .filter { line in
                let line = line.lowercased()
                let name = line.split(separator: ":")[0]
                return ["gps", "location", "latitude", "longitude", "city", "country"]
                    .contains { name.contains($0) }
                    || ["42.36", "42 deg", "71.09", "boston"].contains { line.contains($0) }
            }
    }

    @Test func `no place is left beside the picture or the sound, says exiftool`() async throws {
        let names = Self.located + ["note.mp3", "note.wav"]
        let files = try names.map { ($0, try Corpus.bytes($0)) } + Self.hidden()
        var found = 0
        for (name, original) in files {
            let inspected = try await Inspected(original, in: store)
            #expect(inspected.isLocationSettled, "\(name)")
            #expect(inspected.bytes.count == original.count)
            #expect(!Self.hasTrace(inspected.bytes), "\(name)")
            #expect(inspected.bytes.firstIndex(of: "Boston") == nil)
            if try !placesThatExiftoolFinds(original, name).isEmpty { found += 1 }
            let left = try placesThatExiftoolFinds(inspected.bytes, name)
            #expect(left.isEmpty, "\(name): \(left)")
        }
        // Some, exiftool does not find in the originals either.
        #expect(found >= 18)
    }

    @Test func `what is heard and seen stays`() async throws {
        for (name, original) in try Self.hidden() where !name.hasPrefix("more.mov") {
            let path = "\(scratch.path)/\(name)"
            var prints: [String] = []
            for bytes in [original, try await Inspected(original, in: store).bytes] {
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                prints.append(
                    try Program.output(
                        "ffmpeg",
                        ["-v", "quiet", "-i", path, "-map", "0:v?", "-map", "0:a?"]
                            + ["-t", "1", "-f", "framemd5", "-"]))
            }
            #expect(prints[0] == prints[1], "\(name)")
        }
    }

    // MARK: Work

    /// Structures that point back, overlap, nest, or are empty by the million.
    private static func expensive() throws -> [(name: String, bytes: [UInt8])] {
        func big(_ number: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(content.count + 8, 4) + Array(name.utf8) + content
        }
        let start = box("ftyp", Array("isom\u{0}\u{0}\u{0}\u{0}isommp42".utf8))
        func nested(_ names: [String], header: Int) -> [UInt8] {
            let count = 20_000
            var bytes = start
            for number in 0..<count {
                bytes += big(header * (count - number), 4)
                bytes += Array(names[number % names.count].utf8)
                bytes += [UInt8](repeating: 0, count: header - 8)
            }
            return bytes
        }
        /// A PNG with an EXIF directory of overlapping values.
        func overlapping(_ tag: Int, in directory: Int?) throws -> [UInt8] {
            let count = 60_000
            var block: [UInt8] = Array("MM".utf8) + big(42, 2) + big(8, 4)
            if let directory {
                for (number, width) in [(1, 2), (directory, 2), (4, 2), (1, 4), (26, 4), (0, 4)] {
                    block += big(number, width)
                }
            }
            block += big(count, 2)
            for number in 0..<count {
                for (number, width) in [(tag, 2), (5, 2), (80_000, 4), (30 + number, 4)] {
                    block += big(number, width)
                }
            }
            block += [UInt8](repeating: 1, count: 700_000)
            let png = try Corpus.bytes("clear.png")
            var bytes = Array(png[..<33])
            bytes += big(block.count, 4)
            bytes += Array("eXIf".utf8)
            bytes += block
            bytes += [0, 0, 0, 0]
            return bytes + png[33...]
        }
        let plain = try Corpus.bytes("plain.jpg")
        let gif = try Corpus.bytes("frames.gif")
        // A picture that lists 64 pictures, each of which is most of the file.
        var list = Array("MPF\u{0}MM".utf8)
        let head = [
            (42, 2), (8, 4), (1, 2), (0xB002, 2), (7, 2), (64 * 16, 4), (26, 4), (0, 4),
        ]
        for (number, width) in head { list += big(number, width) }
        for number in 0..<64 {
            list += big(0, 8)
            list += big(4000 + 6 * number, 4)
            list += big(0, 4)
        }
        var pictures: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE2]
        pictures += big(list.count + 2, 2)
        pictures += list
        pictures += plain[2...]
        pictures += [UInt8](repeating: 0, count: 4010 - pictures.count)
        for _ in 0..<64 { pictures += [0xFF, 0xD8, 0xFF, 0xDA, 0, 2] }
        pictures += [UInt8](repeating: 0x11, count: 2 << 20)
        var empty: [UInt8] = []
        for _ in 0..<100_000 { empty += box("junk", []) }
        var blocks: [UInt8] = gif.dropLast() + [0x21, 0xFE]
        for _ in 0..<200_000 { blocks += [1, 0x61] }
        blocks += [0, 0x3B]
        var marks = Array("ID3".utf8) + [UInt8](repeating: 0, count: 7)
        marks += [UInt8](repeating: 0xFF, count: 1 << 18)
        return [
            ("metadata in metadata", nested(["meta"], header: 12)),
            (
                "tracks in tracks",
                nested(["moov", "trak", "mdia", "minf", "stbl"], header: 8)
            ),
            ("overlapping GPS values", try overlapping(2, in: 0x8825)),
            ("overlapping values", try overlapping(0x010F, in: nil)),
            ("pictures in pictures", pictures), ("empty boxes", start + box("moov", empty)),
            ("small blocks", blocks), ("marks only", marks),
        ]
    }

    @Test func `no file takes more than a multiple of its size in work`() throws {
        for (name, bytes) in try Self.expensive() {
            let type = try #require(MediaType(content: bytes), "\(name)")
            var file = bytes
            var isRead = false
            let time = ProcessorTime.measure {
                if case .report = Self.answer(&file, type) { isRead = true }
            }
            #expect(isRead, "\(name)")
            // Without optimization; the first took 22 s with it.
            #expect(time < .seconds(4), "\(name)")
        }
    }

    @Test func `expensive files harm nobody in the program that reads them`() async throws {
        for (name, bytes) in try Self.expensive() {
            let inspected = try await Inspected(bytes, in: store)
            #expect(inspected.type != nil, "\(name)")
        }
    }
}
