/// A WebSocket client with a plain blocking socket.
struct SocketClient: Sendable {
    let tcp: TCPClient

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    /// The required answer to ``key`` (RFC 6455, section 1.3).
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    static func handshake(
        _ path: String, key: String = key, version: String = "13", method: String = "GET",
        fields: [String] = []
    ) -> String {
        let lines =
            [
                "\(method) \(path) HTTP/1.1", "Host: localhost", "Upgrade: websocket",
                "Connection: keep-alive, Upgrade", "Sec-WebSocket-Key: \(key)",
                "Sec-WebSocket-Version: \(version)",
            ] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Connects and upgrades; blocks.
    static func open(
        _ server: RunningServer, _ path: String = "/test/anna", receiveBytes: Int? = nil
    ) throws -> SocketClient {
        let tcp = try server.client(receiveBytes: receiveBytes)
        try tcp.send(handshake(path))
        let head = try receiveHead(tcp)
        guard head.hasPrefix("HTTP/1.1 101 "),
            head.lowercased().contains("sec-websocket-accept: \(accept.lowercased())")
        else { throw TCPClient.Ended(received: head) }
        return SocketClient(tcp: tcp)
    }

    static func receiveHead(_ tcp: TCPClient) throws -> String {
        var head: [UInt8] = []
        while !head.reversed().starts(with: [10, 13, 10, 13]) {
            head += try tcp.receive(count: 1)
        }
        return String(decoding: head, as: UTF8.self)
    }

    func send(_ frame: SentFrame) throws { try tcp.send(frame.bytes) }
    func send(_ text: String) throws { try send(.text(text)) }

    /// The next frame that is no ping; pings are answered, as every client library does.
    func receive() throws -> ServerFrame {
        while true {
            let frame = try ServerFrame.receive(from: tcp)
            guard frame.opcode == 9 else { return frame }
            try send(SentFrame(opcode: 10, payload: frame.payload))
        }
    }

    /// Receives all frames until the server closes; answers pings only.
    func receiveAll() throws -> [ServerFrame] {
        var frames: [ServerFrame] = []
        while true {
            do {
                frames.append(try receive())
            } catch is TCPClient.Ended {
                return frames
            }
        }
    }
}
