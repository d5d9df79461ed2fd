import CEpoll
import Foundation
import Glibc
import Load

/// Fetches one path repeatedly over many connections, on one thread. The kernel counts and
/// discards the bytes, so that the processors are left to the server.
struct Downloader {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How far a connection has read its present answer.
    private struct Exchange {
        var descriptor: Int32 = -1
        var head: [UInt8] = []
        var bodyBytesLeft = 0
        var isInBody = false
    }

    let port: Int
    let request: [UInt8]
    /// Bytes of each answer's body.
    let bodyBytes: Int
    let connections: Int

    private static let headBytesMax = 8192
    private static let discardBytes = 4 << 20

    init(port: Int, path: String, headLines: String, bodyBytes: Int, connections: Int) {
        self.port = port
        request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headLines)\r\n".utf8)
        self.bodyBytes = bodyBytes
        self.connections = connections
    }

    /// - Returns: bytes of bodies a second, over `seconds` once there are as many answers as
    ///   connections.
    func rate(seconds: Double) throws -> Double {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        var exchanges = [Exchange](repeating: Exchange(), count: connections)
        defer {
            for exchange in exchanges where exchange.descriptor >= 0 { close(exchange.descriptor) }
            close(epoll)
        }
        for number in 0..<connections {
            exchanges[number].descriptor = try connected()
            var event = epoll_event(
                events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(number)))
            epoll_ctl(epoll, EPOLL_CTL_ADD, exchanges[number].descriptor, &event)
            try ask(exchanges[number].descriptor)
        }
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var (bytes, answers) = (0, 0)
        var start: UInt64?
        var now = monotonicNanoseconds()
        let giveUp = now + UInt64((seconds + 60) * 1e9)
        while now < giveUp {
            let count = epoll_wait(epoll, &events, Int32(events.count), 1000)
            for event in events.prefix(Int(max(0, count))) {
                let number = Int(event.data.u64)
                let (taken, isDone) = try take(&exchanges[number])
                bytes += taken
                guard isDone else { continue }
                answers += 1
                try ask(exchanges[number].descriptor)
            }
            now = monotonicNanoseconds()
            if let start {
                let elapsed = Double(now - start) * 1e-9
                if elapsed >= seconds { return Double(bytes) / elapsed }
            } else if answers >= connections {
                (start, bytes) = (now, 0)
            }
        }
        throw Failure(description: "too slow: \(answers) answers on \(connections) connections")
    }

    /// - Returns: bytes of the body that were received, and whether the answer is complete.
    private func take(_ exchange: inout Exchange) throws -> (Int, Bool) {
        var before = 0
        if !exchange.isInBody {
            before = try takeHead(&exchange)
            guard exchange.isInBody else { return (0, false) }
        }
        var taken = before
        while exchange.bodyBytesLeft > 0 {
            // With MSG_TRUNC the kernel discards the bytes of a TCP socket instead of copying
            // them.
            let count = recv(
                exchange.descriptor, nil, min(exchange.bodyBytesLeft, Self.discardBytes),
                Int32(MSG_TRUNC | MSG_DONTWAIT))
            if count < 0 && errno == EAGAIN { return (taken, false) }
            guard count > 0 else { throw Failure(description: "recv: \(count), errno \(errno)") }
            exchange.bodyBytesLeft -= count
            taken += count
        }
        exchange.isInBody = false
        return (taken, true)
    }

    /// - Returns: bytes of the body that arrived with the head.
    private func takeHead(_ exchange: inout Exchange) throws -> Int {
        var buffer = [UInt8](repeating: 0, count: Self.headBytesMax)
        let count = recv(exchange.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 && errno == EAGAIN { return 0 }
        guard count > 0 else { throw Failure(description: "recv: \(count), errno \(errno)") }
        exchange.head += buffer[..<count]
        guard let end = exchange.head.firstRange(of: [13, 10, 13, 10]) else {
            guard exchange.head.count < Self.headBytesMax else {
                throw Failure(description: "an answer's head exceeds \(Self.headBytesMax) bytes")
            }
            return 0
        }
        let head = String(decoding: exchange.head[..<end.lowerBound], as: UTF8.self)
        let length = "content-length: \(bodyBytes)"
        guard head.hasPrefix("HTTP/1.1 200 "), head.lowercased().contains(length) else {
            throw Failure(description: "unexpected answer: \(head.prefix(300))")
        }
        let before = exchange.head.count - end.upperBound
        exchange.head.removeAll(keepingCapacity: true)
        exchange.isInBody = true
        exchange.bodyBytesLeft = bodyBytes - before
        return before
    }

    private func ask(_ descriptor: Int32) throws {
        let sent = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        guard sent == request.count else {
            throw Failure(description: "send: \(sent), errno \(errno)")
        }
    }

    private func connected() throws -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else { throw Failure(description: "connect: errno \(errno)") }
        return descriptor
    }
}
