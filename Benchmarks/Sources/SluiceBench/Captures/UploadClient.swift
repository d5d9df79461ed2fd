import Foundation
import Glibc

/// A blocking connection that uploads files. A file goes from the page cache to the socket.
///
/// `@unchecked Sendable`: one thread uses it at a time.
final class UploadClient: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private let headLines: String
    private var received: [UInt8] = []

    private static let boundary = "----sluice-bench-7d3f1c"
    private static let answerBytesMax = 64 << 20

    init(port: Int, headLines: String) throws {
        self.headLines = headLines
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Uploads one photo as the app does.
    func upload(_ path: String, bytes: Int, id: String) throws {
        let head =
            "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"file\"; "
            + "filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
        let tail = "\r\n--\(Self.boundary)--\r\n"
        let length = head.utf8.count + bytes + tail.utf8.count
        try send(
            "POST /upload/\(id) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headLines)"
                + "Content-Type: multipart/form-data; boundary=\(Self.boundary)\r\n"
                + "Content-Length: \(length)\r\n\r\n" + head)
        try send(file: path, bytes: bytes)
        try send(tail)
        let (status, body) = try answer()
        guard status == 200, body.contains("success") else {
            throw Failure(description: "upload \(id): \(status) \(body.prefix(300))")
        }
    }

    /// Fetches a path.
    func fetch(_ path: String) throws -> [UInt8] {
        try send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headLines)\r\n")
        let (status, body) = try answerBytes()
        guard status == 200 else { throw Failure(description: "GET \(path): \(status)") }
        return body
    }

    private func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            sent += count
        }
    }

    private func send(file path: String, bytes: Int) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(description: "\(path): errno \(errno)") }
        defer { close(file) }
        var offset = 0
        while offset < bytes {
            let left = bytes - offset
            let count = sendfile(descriptor, file, &offset, left)
            guard count > 0 else { throw Failure(description: "sendfile: errno \(errno)") }
        }
    }

    private func answer() throws -> (status: Int, body: String) {
        let (status, body) = try answerBytes()
        return (status, String(decoding: body, as: UTF8.self))
    }

    private func answerBytes() throws -> (status: Int, body: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        while received.count < Self.answerBytesMax {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                let length = Self.field("content-length", of: head).flatMap { Int($0) } ?? 0
                if received.count >= end.upperBound + length {
                    let body = Array(received[end.upperBound..<end.upperBound + length])
                    received.removeFirst(end.upperBound + length)
                    return (Int(head.dropFirst(9).prefix(3)) ?? 0, body)
                }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        throw Failure(description: "no answer: errno \(errno)")
    }

    private static func field(_ name: String, of head: String) -> String? {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { continue }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}
