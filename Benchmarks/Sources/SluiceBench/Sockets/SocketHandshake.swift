import Glibc

/// The HTTP handshake of a WebSocket.
///
/// - Source: RFC 6455, section 1.3. The nonce is that section's example, whose answer is known. A
///   random nonce would detect answers from a cache, which does not matter on loopback.
enum SocketHandshake {
    private static let nonce = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    enum Result: Equatable {
        case incomplete
        /// The handshake succeeded; frames begin at this byte.
        case open(bytes: Int)
        case refused(status: Int)
    }

    static func request(path: String, port: Int, headLines: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(nonce)\r\n"
            + headLines + "\r\n"
    }

    static func parse(_ bytes: UnsafeRawBufferPointer) -> Result {
        let text = String(decoding: bytes.prefix(16 * 1024), as: UTF8.self)
        guard let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) else { return .incomplete }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let isAccepted = lines.contains { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "sec-websocket-accept"
                && parts[1].drop { $0 == " " } == accept
        }
        guard status == 101, isAccepted else { return .refused(status: status) }
        return .open(bytes: text.utf8.distance(from: text.startIndex, to: end.upperBound))
    }
}
