/// Checks that bytes in pieces are UTF-8 (RFC 3629; the Unicode standard, table 3-7).
///
/// - Complexity: O(bytes); eight at a time where they are ASCII.
struct UTF8Validator {
    /// Bytes that the current character still needs.
    private var missing = 0
    /// The allowed range of the next of them.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// The input so far does not end within a character.
    var isComplete: Bool { missing == 0 }

    /// - Returns: false once no continuation can make the input valid.
    mutating func accept(_ bytes: RawSpan) -> Bool {
        var place = 0
        let count = bytes.byteCount
        while place < count {
            if missing == 0 {
                place = Self.skipASCII(bytes, from: place)
                guard place < count else { return true }
            }
            let byte = bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
            guard missing == 0 ? begin(byte) : goOn(byte) else { return false }
            place += 1
        }
        return true
    }

    private static func skipASCII(_ bytes: RawSpan, from start: Int) -> Int {
        var place = start
        let count = bytes.byteCount
        while place + 8 <= count {
            let eight = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
            if eight & 0x8080_8080_8080_8080 != 0 { break }
            place += 8
        }
        while place < count, bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) < 0x80 {
            place += 1
        }
        return place
    }

    /// The first byte of a character: how many bytes follow, and which second bytes are not an
    /// overlong form, a surrogate or beyond U+10FFFF.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: expect(1)
        case 0xE0: expect(2, 0xA0...0xBF)
        case 0xED: expect(2, 0x80...0x9F)
        case 0xE1...0xEF: expect(2)
        case 0xF0: expect(3, 0x90...0xBF)
        case 0xF1...0xF3: expect(3)
        case 0xF4: expect(3, 0x80...0x8F)
        default: return false
        }
        return true
    }

    private mutating func expect(_ count: Int, _ next: ClosedRange<UInt8> = 0x80...0xBF) {
        missing = count
        allowed = next
    }

    private mutating func goOn(_ byte: UInt8) -> Bool {
        guard allowed.contains(byte) else { return false }
        expect(missing - 1)
        return true
    }
}
