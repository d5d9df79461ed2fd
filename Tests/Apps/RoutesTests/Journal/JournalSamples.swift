import Foundation

@testable import HTTPSupport

/// Small, complete files of the types that the journal accepts.
enum JournalSamples {
    /// 16 × 8 pixels.
    static let jpeg = decoded(
        """
        /9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAgEBAQEBAUFBQUFBQYGBgYGBgYGBgYGBgYHBwcICAgHBwcGBgcHCAgI
        CAkJCQgICAgJCQoKCgwMCwsODg4RERT/xABMAAEBAAAAAAAAAAAAAAAAAAAABwEBAQAAAAAAAAAAAAAAAAAABQcQ
        AQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCAAIABADASIAAhEAAxEA/9oADAMBAAIRAxEA
        PwCOAL+Lf//Z
        """)
    /// 16 × 8 pixels.
    static let webp = decoded(
        """
        UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoQAAgAAgA0JaACdLoAA5gA/vmTb/+QH/+QH/+QH/8gP+IXeyAwAA==
        """)
    /// One pixel.
    static let gif = decoded("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
    /// One pixel.
    static let png = decoded(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E
        rkJggg==
        """)

    /// Silence at eight thousand samples a second, one byte each.
    static func wav(seconds: Double) -> [UInt8] {
        let count = Int(seconds * 8000)
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + number(36 + count, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
            + number(1, 2) + number(1, 2) + number(8000, 4) + number(8000, 4) + number(1, 2)
            + number(8, 2) + Array("data".utf8) + number(count, 4)
            + [UInt8](repeating: 128, count: count)
    }

    /// Without tracks, and with so many boxes that reading it takes a while.
    static let expensiveFilm: [UInt8] = {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let count = content.count + 8
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
                + Array(name.utf8) + content
        }
        var boxes: [UInt8] = []
        let empty = box("free", [])
        for _ in 0..<50_000 { boxes += empty }
        return box("ftyp", Array("isom\u{0}\u{0}\u{0}\u{0}isommp42".utf8)) + box("moov", boxes)
    }()

    /// A JPEG of exactly that many bytes; decoders ignore the bytes after the last row's.
    static func jpeg(bytes: Int, seed: UInt8 = 0) -> [UInt8] {
        jpeg.dropLast(2) + [UInt8](repeating: seed, count: bytes - jpeg.count) + jpeg.suffix(2)
    }

    private static func decoded(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            preconditionFailure("BUG: not base64")
        }
        return Array(data)
    }
}
