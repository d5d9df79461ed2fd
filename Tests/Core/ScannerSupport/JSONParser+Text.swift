import Scanner

extension JSONParser {
    /// Parses one string with its quotes.
    mutating func text() throws(ScanError) -> JSONText {
        try expect("\"")
        var codeUnits: [UInt32] = []
        while !take("\"") {
            guard let byte = next, byte >= 0x20 else { throw fault }
            if byte == UInt8(ascii: "\\") {
                codeUnits.append(try escape())
            } else if byte < 0x80 {
                codeUnits.append(UInt32(byte))
                offset += 1
            } else {
                codeUnits.append(try multiByteCharacter())
            }
        }
        return JSONText(joining: codeUnits)
    }

    private mutating func escape() throws(ScanError) -> UInt32 {
        try expect("\\")
        let meaning: UInt32
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            meaning = UInt32(bytes[offset])
        case UInt8(ascii: "b"): meaning = 0x08
        case UInt8(ascii: "f"): meaning = 0x0C
        case UInt8(ascii: "n"): meaning = 0x0A
        case UInt8(ascii: "r"): meaning = 0x0D
        case UInt8(ascii: "t"): meaning = 0x09
        case UInt8(ascii: "u"):
            offset += 1
            var unit: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }),
                    bytes[offset] < 0x80
                else { throw fault }
                unit = unit * 16 + UInt32(digit)
                offset += 1
            }
            return unit
        default: throw fault
        }
        offset += 1
        return meaning
    }

    /// Source: the Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    private mutating func multiByteCharacter() throws(ScanError) -> UInt32 {
        let start = offset
        let lead = bytes[start]
        let following: [ClosedRange<UInt8>]
        let any: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: following = [any]
        case 0xE0: following = [0xA0...0xBF, any]
        case 0xE1...0xEC, 0xEE...0xEF: following = [any, any]
        case 0xED: following = [0x80...0x9F, any]
        case 0xF0: following = [0x90...0xBF, any, any]
        case 0xF1...0xF3: following = [any, any, any]
        case 0xF4: following = [0x80...0x8F, any, any]
        default: throw .invalidUTF8(offset: start)
        }
        var codePoint = UInt32(lead) & (0xFF >> UInt32(following.count + 2))
        offset += 1
        for allowed in following {
            guard let byte = next else { throw .truncated(offset: bytes.count) }
            guard allowed.contains(byte) else { throw .invalidUTF8(offset: start) }
            codePoint = codePoint << 6 | UInt32(byte & 0x3F)
            offset += 1
        }
        return codePoint
    }
}
