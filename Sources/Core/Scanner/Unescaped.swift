/// The result of unescaping a JSON string.
struct Unescaped {
    /// What PostgreSQL's text can't hold.
    enum Fault { case unpairedSurrogate, nul }

    var bytes: [UInt8] = []
    /// The first fault in the text.
    private(set) var firstFault: Fault?
    var hasUnpairedSurrogate = false
    var hasNul = false

    /// - Parameter bytes: a string's contents without escapes.
    init(plain bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Parameter text: a string's contents, already validated.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            guard byte == 0x5C else {
                bytes.append(byte)
                index += 1
                continue
            }
            if text[index + 1] == 0x75 {
                index += appendCharacter(text, at: index)
            } else {
                bytes.append(Self.single(text[index + 1]))
                index += 2
            }
        }
    }

    /// The character of a backslash and `byte`; not for `u`.
    @inline(always)
    static func single(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: byte
        }
    }

    /// - Returns: how many bytes of `text` the escape or pair of escapes took.
    private mutating func appendCharacter(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int
    {
        func unit(_ start: Int) -> UInt32 {
            (start..<start + 4).reduce(0) { $0 << 4 | UInt32(Window.hexValue(text[$1]) ?? 0) }
        }
        let first = unit(index + 2)
        var scalar = first
        var taken = 6
        if first & 0xFC00 == 0xD800, index + 12 <= text.count, text[index + 6] == 0x5C,
            text[index + 7] == 0x75
        {
            let second = unit(index + 8)
            if second & 0xFC00 == 0xDC00 {
                scalar = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
                taken = 12
            }
        }
        guard let scalar = Unicode.Scalar(scalar) else {
            hasUnpairedSurrogate = true
            firstFault = firstFault ?? .unpairedSurrogate
            // Not a byte of UTF-8, so that this text equals no other. One character for each.
            bytes.append(0xFF)
            return taken
        }
        if scalar.value == 0 {
            hasNul = true
            firstFault = firstFault ?? .nul
        }
        bytes.append(contentsOf: UTF8.encode(scalar)!)
        return taken
    }
}
