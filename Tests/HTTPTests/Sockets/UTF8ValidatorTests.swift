import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct UTF8ValidatorTests {
    /// Whether the pieces are UTF-8 together, and each prefix is valid as far as it goes.
    private func isValid(_ pieces: [ArraySlice<UInt8>]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces {
            guard Array(piece).withUnsafeBytes({ validator.accept($0.bytes) }) else { return false }
        }
        return validator.isComplete
    }

    private static let texts: [[UInt8]] = [
        [], Array("plain ASCII, longer than eight bytes".utf8), Array("κόσμε".utf8),
        Array("日本語 🇫🇷 👩‍👩‍👧 \u{10FFFF}\u{E000}\u{D7FF}\u{7FF}\u{800}\u{FFFF}\u{10000}".utf8),
        [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0x80], [0xFF], [0xFE], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0x61, 0xF0, 0x9F, 0x98],
        Array("abcdefgh".utf8) + [0xC3], Array("abcdefg".utf8) + [0xC3, 0xA9, 0xC3],
    ]

    @Test(arguments: texts) func `it agrees with the standard library, wherever the text is cut`(
        _ bytes: [UInt8]
    ) {
        let expected = String(validating: bytes, as: UTF8.self) != nil
        #expect(isValid([bytes[...]]) == expected)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(isValid(pieces) == expected, "\(first) \(second)")
            }
        }
    }

    @Test func `it agrees with the standard library on mutated texts`() {
        var generator = Dice(seed: 20_260_121)
        let base = Array("añ日🙂b".utf8)
        var valid = 0
        for _ in 0..<20_000 {
            var bytes = base
            for _ in 0...generator.next(below: 3) {
                bytes[generator.next(below: bytes.count)] = UInt8(generator.next(below: 256))
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            if expected { valid += 1 }
            let cut = generator.next(below: bytes.count + 1)
            #expect(isValid([bytes[..<cut], bytes[cut...]]) == expected, "\(bytes)")
        }
        #expect(valid > 100)
    }

    @Test func `a fault is found in the fragment that has it`() {
        var validator = UTF8Validator()
        let start: [UInt8] = [0x61, 0xED]
        #expect(start.withUnsafeBytes { validator.accept($0.bytes) })
        #expect(!validator.isComplete)
        let surrogate: [UInt8] = [0xA0]
        #expect(!surrogate.withUnsafeBytes { validator.accept($0.bytes) })
    }
}

extension Dice {
    /// A number from 0 up to, but not including, `bound`.
    mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
