/// A WebSocket frame as a client receives it.
struct ServerFrame: Equatable, CustomStringConvertible {
    let opcode: UInt8
    let payload: [UInt8]

    var text: String { String(decoding: payload, as: UTF8.self) }

    /// The code of a close frame; nil when it has none.
    var closeCode: Int? {
        opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
    }

    var description: String {
        opcode == 8 ? "close \(closeCode ?? 0)" : "\(opcode):\(text)"
    }

    static func text(_ text: String) -> ServerFrame {
        ServerFrame(opcode: 1, payload: Array(text.utf8))
    }

    struct Malformed: Error { let head: [UInt8] }

    /// The size of a frame, once its first ten bytes, or all of its bytes, are known.
    private static func measure(_ head: [UInt8]) throws -> (head: Int, payload: Int)? {
        guard head.count >= 2 else { return nil }
        // A server sends frames that are final, without reserved bits and unmasked.
        guard head[0] & 0x70 == 0, head[0] & 0x80 != 0, head[1] & 0x80 == 0 else {
            throw Malformed(head: head)
        }
        let extra = head[1] == 126 ? 2 : head[1] == 127 ? 8 : 0
        guard extra > 0 else { return (2, Int(head[1])) }
        guard head.count >= 2 + extra else { return nil }
        return (2 + extra, head[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) })
    }

    /// Takes one frame from the front of `bytes`; nil while it is incomplete.
    static func take(from bytes: inout [UInt8]) throws -> ServerFrame? {
        guard let size = try measure(Array(bytes.prefix(10))),
            bytes.count >= size.head + size.payload
        else { return nil }
        let frame = ServerFrame(
            opcode: bytes[0] & 15,
            payload: Array(bytes[size.head..<(size.head + size.payload)]))
        bytes.removeFirst(size.head + size.payload)
        return frame
    }

    static func receive(from client: TCPClient) throws -> ServerFrame {
        var head = try client.receive(count: 2)
        if let extra = [126: 2, 127: 8][head[1]] { head += try client.receive(count: extra) }
        guard let size = try measure(head) else { throw Malformed(head: head) }
        return ServerFrame(opcode: head[0] & 15, payload: try client.receive(count: size.payload))
    }
}
