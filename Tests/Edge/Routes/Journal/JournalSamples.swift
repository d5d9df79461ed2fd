import Foundation

/// Small, complete files of the types that the journal accepts.
enum JournalSamples {
    /// 16 × 8 pixels.
    static let jpeg = decoded(
        """
        /9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgEBAQEBAUFBQUFBQYGBgYGBgYGBgYG
        BgYHBwcICAgHBwcGBgcHCAgICAkJCQgICAgJCQoKCgwMCwsODg4RERT/xABMAAEBAAAAAAAAAAAAAAAAAAAABwEB
        AQAAAAAAAAAAAAAAAAAABQcQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCAAIABADASIA
        AhEAAxEA/9oADAMBAAIRAxEAPwCOAL+Lf//Z
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

    /// A JPEG of exactly that many bytes; decoders ignore the bytes after the picture's end.
    static func jpeg(bytes: Int, seed: UInt8 = 0) -> [UInt8] {
        jpeg + [UInt8](repeating: seed, count: bytes - jpeg.count)
    }

    private static func decoded(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            preconditionFailure("BUG: not base64")
        }
        return Array(data)
    }
}
