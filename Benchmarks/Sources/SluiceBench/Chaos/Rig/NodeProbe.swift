import Foundation

/// Asks a Sluice over HTTP for its health and metrics, or posts a batch.
struct NodeProbe {
    let port: Int

    private static let answerSecondsMax = 2
    private static let storedSecondsMax = 10
    private static let answerBytesMax = 1 << 20

    var isHealthy: Bool { fetch("/health")?.hasPrefix("HTTP/1.1 200") ?? false }

    /// Readings in its spool, and whether each of its lanes commits; nil if it does not answer.
    var state: (spooledReadings: Int, areLanesUp: Bool)? {
        guard let page = fetch("/metrics"), page.hasPrefix("HTTP/1.1 200") else { return nil }
        var spooled: Int?
        var lanes: [Bool] = []
        for line in page.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("sluice_spool_waiting_readings ") {
                spooled = line.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
            } else if line.hasPrefix("sluice_lane_up{") {
                lanes.append(line.hasSuffix(" 1"))
            }
        }
        guard let spooled, !lanes.isEmpty else { return nil }
        return (spooled, lanes.allSatisfy { $0 })
    }

    /// One sample of its metrics page; nil if there is none.
    func sample(_ name: String) -> Double? {
        guard let page = fetch("/metrics"), page.hasPrefix("HTTP/1.1 200") else { return nil }
        for line in page.split(whereSeparator: \.isNewline) where line.hasPrefix(name + " ") {
            return line.split(separator: " ").last.flatMap { Double($0) }
        }
        return nil
    }

    /// Whether it answers any request.
    var isListening: Bool { fetch("/")?.hasPrefix("HTTP/1.1 ") ?? false }

    /// Posts a batch.
    ///
    /// - Returns: the status; nil when there is no answer.
    func ingest(_ body: String, key: String) -> Int? {
        let head =
            "POST /ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            + "X-API-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        guard let answer = exchange(head + body, seconds: Self.storedSecondsMax) else { return nil }
        return Int(answer.dropFirst(9).prefix(3))
    }

    private func fetch(_ path: String) -> String? {
        exchange(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
            seconds: Self.answerSecondsMax)
    }

    private func exchange(_ request: String, seconds: Int) -> String? {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = Self.address(port)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected,
            send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0
        else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while answer.count < Self.answerBytesMax {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// A port on which no process listens now.
    static func freePort() throws(ChaosFailure) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else { throw .systemCallFailed("bind", errno: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
