import Foundation
import Glibc
import Synchronization

/// Answers requests on loopback according to a script, with one thread for each connection.
final class StubServer: Sendable {
    /// What to do with a request.
    enum Reply: Sendable {
        case answer(String)
        /// Sends the answer in pieces, with a pause between them.
        case pieces([String])
        /// Closes the connection without an answer.
        case hangUp
    }

    let port: UInt16
    private let listener: Int32
    private struct State {
        var bodies: [String] = []
        var requests = 0
        var requestsByConnection: [Int] = []
    }
    private let state = Mutex(State())
    private let reply: @Sendable (_ number: Int, _ head: String) -> Reply

    /// Bodies in the order of their arrival.
    var received: [String] { state.withLock { $0.bodies } }
    /// The number of requests on each connection, in the order of acceptance.
    var requestsByConnection: [Int] { state.withLock { $0.requestsByConnection } }

    init(reply: @escaping @Sendable (_ number: Int, _ head: String) -> Reply) {
        self.reply = reply
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

    /// Serves until ``stop()``. The threads keep the server alive.
    func start() {
        Thread.detachNewThread { self.serve() }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                close(listener)
                return
            }
            let connection = state.withLock { state in
                state.requestsByConnection.append(0)
                return state.requestsByConnection.count - 1
            }
            Thread.detachNewThread {
                self.serve(client, connection)
                close(client)
            }
        }
    }

    private func serve(_ client: Int32, _ connection: Int) {
        var text = ""
        while let head = readHead(client, into: &text) {
            if head.contains("Expect: 100-continue") {
                say("HTTP/1.1 100 Continue\r\n\r\n", client)
            }
            let length =
                head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst("Content-Length: ".count)) } ?? 0
            while text.utf8.count < length, let more = read(client) { text += more }
            let body = String(text.prefix(length))
            text.removeFirst(body.count)
            let number = state.withLock { state in
                state.bodies.append(body)
                state.requests += 1
                state.requestsByConnection[connection] += 1
                return state.requests - 1
            }
            switch reply(number, head) {
            case .answer(let answer): say(answer, client)
            case .pieces(let pieces):
                for piece in pieces {
                    say(piece, client)
                    usleep(20_000)
                }
            case .hangUp:
                return
            }
        }
    }

    private func readHead(_ client: Int32, into text: inout String) -> String? {
        while true {
            // Swift treats CR LF as one Character.
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = String(text[..<end.upperBound])
                text.removeSubrange(..<end.upperBound)
                return head
            }
            guard let more = read(client) else { return nil }
            text += more
        }
    }

    private func read(_ client: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(client, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private func say(_ text: String, _ client: Int32) {
        _ = send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    static func answer(_ status: Int, _ body: String, fields: String = "") -> String {
        "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
