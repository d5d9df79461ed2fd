/// Text in received bytes, examined without creating a string.
extension RawSpan {
    /// The byte at `place`, which must exist.
    subscript(_ place: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: place, as: UInt8.self)
    }

    /// Whether the bytes from `start` on, as far as there are any, match the beginning of `text`.
    func continues(at start: Int, with text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            for place in 0..<min(byteCount - start, text.count)
            where self[start + place] != text[place] {
                return false
            }
            return true
        }
    }

    /// Compares ignoring case; `lower` consists of lower-case letters, digits, `-` and `/`.
    func isField(_ lower: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == lower.utf8CodeUnitCount else { return false }
        return lower.withUTF8Buffer { lower in
            for place in 0..<lower.count {
                let byte = self[range.lowerBound + place]
                let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                if folded != lower[place] { return false }
            }
            return true
        }
    }

    /// The value of 1 to 15 decimal digits; nil for anything else.
    func decimal(at range: Range<Int>) -> Int? {
        guard (1...15).contains(range.count) else { return nil }
        var value = 0
        for place in range {
            let digit = self[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

extension String {
    /// A part of a span that is known to be ASCII.
    init(decoding bytes: RawSpan, _ range: Range<Int>) {
        self = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
