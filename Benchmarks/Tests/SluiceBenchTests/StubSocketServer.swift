import Foundation
import Glibc

/// A WebSocket server that sends `news` once and answers every text with `ok ` and the text. Uses
/// one thread for each socket. Reads whole frames only, and only small ones.
final class StubSocketServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let answersMax: Int
    private let refuses: Bool

    /// - Parameters:
    ///   - answersMax: the number of answers on each socket; later texts get none.
    ///   - refuses: whether handshakes are answered with 403.
    init(answersMax: Int = .max, refuses: Bool = false) {
        self.answersMax = answersMax
        self.refuses = refuses
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        precondition(isListening, "BUG: errno=\(errno)")
        port = UInt16(bigEndian: address.sin_port)
    }

    func start() {
        Thread.detachNewThread {
            while true {
                let client = accept(self.listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread {
                    self.serve(client)
                    close(client)
                }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        var bytes: [UInt8] = []
        let separator = Array("\r\n\r\n".utf8)
        while bytes.firstRange(of: separator) == nil {
            guard receive(client, into: &bytes) else { return }
        }
        bytes.removeFirst(bytes.firstRange(of: separator)!.upperBound)
        guard !refuses else { return say("HTTP/1.1 403 Forbidden\r\n\r\n", client) }
        say(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", client)
        sayFrame("news", client)
        var answers = 0
        while true {
            while let text = Self.takeText(&bytes) {
                if answers < answersMax { sayFrame("ok " + text, client) }
                answers += 1
            }
            guard receive(client, into: &bytes) else { return }
        }
    }

    /// Removes and returns the first frame, if it is complete; it must be masked and short.
    private static func takeText(_ bytes: inout [UInt8]) -> String? {
        guard bytes.count >= 6 else { return nil }
        let count = Int(bytes[1] & 0x7F)
        precondition(bytes[0] == 0x81 && bytes[1] & 0x80 != 0 && count < 126, "BUG: no text frame")
        guard bytes.count >= 6 + count else { return nil }
        let mask = Array(bytes[2..<6])
        let text = (0..<count).map { bytes[6 + $0] ^ mask[$0 % 4] }
        bytes.removeFirst(6 + count)
        return String(decoding: text, as: UTF8.self)
    }

    private func receive(_ client: Int32, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }

    private func sayFrame(_ text: String, _ client: Int32) {
        let bytes = [0x81, UInt8(text.utf8.count)] + Array(text.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private func say(_ text: String, _ client: Int32) {
        _ = send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }
}
