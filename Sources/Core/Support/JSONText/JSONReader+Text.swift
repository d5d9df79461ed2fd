extension JSONReader.Value {
    /// The text of a string.
    ///
    /// - Parameter bytes: the bytes that the value was read from.
    /// - Returns: nil for U+0000 or half of a surrogate pair, which no text in PostgreSQL can hold.
    public func text(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let contents = bytes[start + 1..<end - 1]
        return hasEscapes ? Self.unescape(contents) : String(decoding: contents, as: UTF8.self)
    }

    /// Resolves the escapes of a string whose syntax has been checked.
    private static func unescape(_ contents: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var text: [UInt8] = []
        text.reserveCapacity(contents.count)
        var index = contents.startIndex
        while index < contents.endIndex {
            let byte = contents[index]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                index += 1
                continue
            }
            let letter = contents[index + 1]
            index += 2
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(contents, &index) else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            default: text.append(letter)
            }
        }
        return text.contains(0) ? nil : String(decoding: text, as: UTF8.self)
    }

    /// The scalar of one `\uXXXX` or of a pair of them; `index` is after the first `u`.
    private static func scalar(
        _ contents: Slice<UnsafeBufferPointer<UInt8>>, _ index: inout Int
    ) -> Unicode.Scalar? {
        let unit = codeUnit(contents, index)
        index += 4
        guard UTF16.isSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard UTF16.isLeadSurrogate(unit), index + 6 <= contents.endIndex,
            contents[index] == UInt8(ascii: "\\"), contents[index + 1] == UInt8(ascii: "u")
        else { return nil }
        let trail = codeUnit(contents, index + 2)
        guard UTF16.isTrailSurrogate(trail) else { return nil }
        index += 6
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private static func codeUnit(
        _ contents: Slice<UnsafeBufferPointer<UInt8>>, _ start: Int
    ) -> UInt16 {
        (start..<start + 4).reduce(0) { $0 << 4 | (JSONReader.hexDigit(contents[$1]) ?? 0) }
    }
}

extension JSONReader {
    static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
