import Foundation
import Glibc
import Synchronization

/// A proxy between a client and a server that causes faults as planned, request by request. It
/// closes the connection after each request.
package final class FaultyProxy: Sendable {
    package enum Fault: Sendable {
        /// The answer is passed on.
        case none
        /// The connection is lost before the request is read.
        case refused
        /// The server gets no request; the client gets this status.
        case status(Int)
        /// The request is executed; the connection is lost after that many bytes of the answer.
        case cut(after: Int)
    }

    package let port: Int
    private let socket: Int32
    private let upstream: Int
    private let state: Mutex<(plan: [Fault], requests: [String])>

    /// - Parameter plan: one fault for each request; the last one is repeated.
    package init(to upstream: Int, plan: [Fault]) {
        self.upstream = upstream
        state = Mutex((plan, []))
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = MotoServer.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            precondition(bind(socket, pointer, length) == 0 && listen(socket, 64) == 0)
            getsockname(socket, pointer, &length)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0, let self else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    /// The first lines of all requests so far, without the HTTP version.
    package var requests: [String] { state.withLock { $0.requests } }

    private func serve(_ client: Int32) {
        defer { close(client) }
        guard let request = Self.readRequest(client) else { return }
        let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self)
        let fault = state.withLock { state in
            state.requests.append(line.split(separator: " ").prefix(2).joined(separator: " "))
            return state.plan.count > 1 ? state.plan.removeFirst() : state.plan[0]
        }
        switch fault {
        case .refused:
            return
        case .status(let status):
            Self.send(
                client, Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8)[...])
        case .none:
            Self.send(client, forward(request)[...])
        case .cut(let count):
            Self.send(client, forward(request).prefix(count))
        }
    }

    private func forward(_ request: [UInt8]) -> [UInt8] {
        let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = MotoServer.loopback(port: upstream)
        let connected = withUnsafeBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return connect(server, pointer, socklen_t(bytes.count)) == 0
        }
        guard connected else { return [] }
        Self.send(server, request[...])
        var answer: [UInt8] = []
        while let more = Self.receive(server) { answer += more }
        return answer
    }

    private static func readRequest(_ client: Int32) -> [UInt8]? {
        var request: [UInt8] = []
        while true {
            if let end = request.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased()
                let length = head.split(whereSeparator: \.isNewline)
                    .first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
                if request.count >= end.upperBound + (length ?? 0) { return request }
            }
            guard let more = receive(client) else { return nil }
            request += more
        }
    }

    private static func receive(_ socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func send(_ socket: Int32, _ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
