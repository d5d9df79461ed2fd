/// A WebSocket frame as a client sends it, valid or not (RFC 6455, section 5.2).
struct SentFrame {
    var opcode: UInt8
    var payload: [UInt8]
    var isFinal = true
    var reserved: UInt8 = 0
    var mask: [UInt8]? = [0x12, 0x34, 0x56, 0x78]

    static func text(_ text: String) -> SentFrame {
        SentFrame(opcode: 1, payload: Array(text.utf8))
    }

    static func close(_ code: UInt16, _ reason: String = "") -> SentFrame {
        SentFrame(
            opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
    }

    static func ping(_ payload: String = "") -> SentFrame {
        SentFrame(opcode: 9, payload: Array(payload.utf8))
    }

    /// One message in that many frames.
    static func fragments(_ parts: [[UInt8]]) -> [SentFrame] {
        parts.enumerated().map { place, part in
            SentFrame(
                opcode: place == 0 ? 1 : 0, payload: part, isFinal: place == parts.count - 1)
        }
    }

    var bytes: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125: bytes.append(masked | UInt8(payload.count))
        case ...65_535:
            bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(masked | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        guard let mask else { return bytes + payload }
        bytes += mask
        for (place, byte) in payload.enumerated() { bytes.append(byte ^ mask[place % 4]) }
        return bytes
    }
}
