import Inspections
import Media
import TestSupport
import Testing

struct MediaTypeTests {
    private static func bytes(_ text: String, _ rest: [UInt8] = []) -> [UInt8] {
        Array(text.utf8) + rest
    }

    private static func box(_ brands: String...) -> [UInt8] {
        let size = UInt8(8 + 4 * (brands.count + 1))
        let version: [UInt8] = [0, 0, 0, 0]
        return [0, 0, 0, size] + bytes("ftyp") + bytes(brands[0]) + version
            + brands.dropFirst().flatMap { bytes($0) } + [0, 0, 0, 8] + bytes("mdat")
    }

    @Test(arguments: [
        ([0xFF, 0xD8, 0xFF, 0xE0], MediaType.jpeg),
        ([0x89] + bytes("PNG\r\n\u{1A}\n"), .png),
        (bytes("GIF89a"), .gif), (bytes("GIF87a"), .gif),
        (bytes("RIFF") + [1, 2, 3, 4] + bytes("WEBPVP8 "), .webp),
        (bytes("RIFF") + [1, 2, 3, 4] + bytes("WAVEfmt "), .wav),
        (box("heic", "mif1"), .heic), (box("mif1", "heic"), .heic), (box("avif"), .avif),
        (box("M4A ", "isom"), .m4a), (box("isom", "mp41"), .mp4), (box("mp42", "M4A "), .m4a),
        (box("qt  "), .mov), (box("3gp4"), .threeGP),
        ([0, 0, 0, 8] + bytes("wide") + [0, 0, 0, 0] + bytes("mdat"), .mov),
        ([0x1A, 0x45, 0xDF, 0xA3], .webm),
        (bytes("ID3") + [4, 0, 0], .mp3), ([0xFF, 0xFB, 0x90, 0x00], .mp3),
        ([0xFF, 0xF3, 0x40, 0xC0], .mp3), ([0xFF, 0xF1, 0x50, 0x80], .aac),
        (bytes("fLaC"), .flac), (bytes("OggS"), .ogg),
        (bytes("FORM") + [0, 0, 0, 9] + bytes("AIFF"), .aiff), (bytes("caff"), .caf),
        (bytes("#!AMR\n"), .amr), ([0x49, 0x49, 0x2A, 0], .tiff), ([0x4D, 0x4D, 0, 0x2A], .tiff),
        (bytes("BM") + [9, 9, 9, 9, 0, 0, 0, 0, 54, 0, 0, 0], .bmp),
    ])
    func `the first bytes determine the type`(content: [UInt8], expected: MediaType) {
        #expect(MediaType(content: content) == expected)
        #expect(MediaType(content: content + [UInt8](repeating: 7, count: 100)) == expected)
    }

    @Test(arguments: [
        [], [0xFF], [0xFF, 0xD8], bytes("<html>"), bytes("%PDF-1.7"), bytes("RIFF1234AVI "),
        bytes("RIFF"), bytes("PK\u{3}\u{4}"), [0x7F] + bytes("ELF"), box("zzzz"), bytes("BMW car"),
        [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bytes("\0\0\0\u{8}ftyp"),
    ])
    func `other bytes have no type`(content: [UInt8]) {
        #expect(MediaType(content: content) == nil)
    }

    @Test func `no beginning of any file traps`() {
        var dice = Dice(seed: 1)
        for _ in 0..<2000 {
            var content = [Self.box("isom", "M4A "), Self.bytes("RIFF1234WAVE"), Self.bytes("ID3")]
                .randomElement(using: &dice)!
            content[Int.random(in: 0..<content.count, using: &dice)] = UInt8(
                truncatingIfNeeded: dice.next())
            for length in 0...content.count { _ = MediaType(content: content.prefix(length)) }
        }
    }

    @Test(arguments: [
        ("image/jpeg", MediaType.jpeg), ("image/jpg", .jpeg), ("audio/x-m4a", .m4a),
        ("audio/mp4", .m4a), ("audio/mpeg", .mp3), ("audio/x-wav", .wav), ("video/quicktime", .mov),
    ])
    func `clients' spellings are known`(declared: String, expected: MediaType) {
        #expect(MediaType(declared: declared) == expected)
    }

    @Test(arguments: MediaType.allCases)
    func `every type is known by its own name and extension`(type: MediaType) {
        #expect(MediaType(declared: type.rawValue) == type)
        #expect(MediaType(fileExtension: type.fileExtension) == type)
    }

    @Test func `a type that is not a medium is refused`() {
        #expect(MediaType(declared: "text/html") == nil)
        #expect(MediaType(fileExtension: "html") == nil)
        #expect(MediaType(fileExtension: "") == nil)
    }
}
