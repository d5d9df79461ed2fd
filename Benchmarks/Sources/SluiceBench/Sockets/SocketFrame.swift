/// Writes and parses WebSocket frames on the client's side.
///
/// - Source: RFC 6455, sections 5.2 and 5.3. A fragmented frame is broken: the server sends nothing
///   long here.
enum SocketFrame {
    enum Opcode {
        static let text: UInt8 = 1
        static let close: UInt8 = 8
        static let ping: UInt8 = 9
        static let pong: UInt8 = 10
    }

    enum Result: Equatable {
        /// More bytes are needed.
        case incomplete
        /// One complete frame.
        case frame(opcode: UInt8, payload: Range<Int>)
        /// Masked, fragmented, too long, or with an extension that was not negotiated.
        case broken
    }

    /// Appends one frame, masked as required of clients.
    static func put(
        _ payload: [UInt8], opcode: UInt8, mask: UInt32, into frame: inout [UInt8]
    ) {
        frame.append(0x80 | opcode)
        switch payload.count {
        case ..<126:
            frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF:
            frame.append(0x80 | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { frame += $0 }
        default:
            frame.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame += $0 }
        }
        withUnsafeBytes(of: mask.bigEndian) { frame += $0 }
        for (index, byte) in payload.enumerated() {
            frame.append(byte ^ UInt8(truncatingIfNeeded: mask >> (24 - 8 * UInt32(index & 3))))
        }
    }

    /// Parses the frame at the start.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard bytes.count >= 2 else { return .incomplete }
        guard bytes[0] & 0xF0 == 0x80, bytes[1] & 0x80 == 0 else { return .broken }
        var length = Int(bytes[1])
        var start = 2
        if length >= 126 {
            let lengthBytes = length == 126 ? 2 : 8
            guard bytes.count >= 2 + lengthBytes else { return .incomplete }
            length = 0
            for place in 2..<2 + lengthBytes {
                guard length <= Int.max >> 8 else { return .broken }
                length = length << 8 | Int(bytes[place])
            }
            start += lengthBytes
        }
        guard length <= Self.payloadBytesMax else { return .broken }
        guard bytes.count >= start + length else { return .incomplete }
        return .frame(opcode: bytes[0] & 0x0F, payload: start..<start + length)
    }

    /// A longer payload is broken.
    private static let payloadBytesMax = 1 << 20
}
