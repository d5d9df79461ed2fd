import Foundation
import Instruments
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Connections that request files: in pieces, pipelined, slow, or closed early.
@Suite(.timeLimit(.minutes(10))) struct MediaConnectionTests {
    private static let key = "X-API-Key: \(AppServer.key)"

    private static func receive(
        from client: TCPClient
    ) throws -> (status: String, content: [UInt8]) {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try client.receive(count: 1) }
        let lines = String(decoding: head.dropLast(4), as: UTF8.self)
            .components(separatedBy: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }
        let count = length.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        return (lines[0].components(separatedBy: " ")[1], try client.receive(count: count))
    }

    /// A server with a photo of that many bytes.
    private func withPhoto(
        _ bytes: Int, configure: (inout HTTPConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (AppServer, String, [UInt8]) async throws -> Void
    ) async throws {
        try await AppServer.with(configure: configure) { server in
            let photo = FormBody.jpeg(bytes)
            let upload = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo(photo))
            #expect(upload.status == 200)
            let path = "/media/memories/a/photo.jpg"
            try await body(server, path, photo)
        }
    }

    @Test func `pipelined requests are answered in their order`() async throws {
        try await withPhoto(70_000) { server, path, photo in
            try await onThread {
                let client = try server.client()
                let file = "GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n"
                let ingest =
                    "POST /ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
                let root = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                try client.send(file + file + ingest + file + root + file + ingest + root)
                let status = try (0..<8).map { _ in
                    let answer = try Self.receive(from: client)
                    if answer.content.count > 1000 { #expect(answer.content == photo) }
                    return answer.status
                }
                #expect(status == ["200", "200", "401", "200", "200", "200", "401", "200"])
            }
        }
    }

    @Test func `a request is understood wherever its bytes are cut`() async throws {
        try await withPhoto(9000) { server, path, photo in
            try await onThread {
                let request = Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n".utf8)
                let client = try server.client()
                for cut in 1..<request.count {
                    try client.send(Array(request[..<cut]))
                    // Usually long enough for the first piece to be read separately.
                    Thread.sleep(forTimeInterval: 0.001)
                    try client.send(Array(request[cut...]))
                    let answer = try Self.receive(from: client)
                    try #require(answer.content == photo, "cut at \(cut)")
                }
                let late = try server.client()
                try late.send(request + request[..<30])
                let first = try Self.receive(from: late)
                #expect(first.content == photo)
                try late.send(Array(request[30...]) + request)
                for _ in 0..<2 {
                    let answer = try Self.receive(from: late)
                    #expect(answer.content == photo)
                }
            }
        }
    }

    @Test func `a client that closes its sending side gets its file, and then the end`()
        async throws
    {
        try await withPhoto(3 << 20) { server, path, photo in
            try await onThread {
                let client = try server.client(receiveBytes: 65_536)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n")
                client.closeSending()
                let answer = try Self.receive(from: client)
                #expect(answer.content == photo)
                try client.expectEnd()
            }
        }
    }

    @Test func `a slow client has its time, however large the file`() async throws {
        try await withPhoto(16 << 20) { configuration in
            configuration.idleTimeout = .seconds(5)
            configuration.lingerTimeout = .seconds(5)
            configuration.acknowledgeWithin = .seconds(5)
        } _: { server, path, photo in
            try await onThread {
                let client = try server.client(receiveBytes: 65_536)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n")
                var received: [UInt8] = []
                for _ in 0..<8 {
                    Thread.sleep(forTimeInterval: 0.8)
                    received += try client.receive(count: 1 << 20)
                }
                received += try client.receive(count: 8 << 20)
                #expect(
                    received.firstRange(of: [13, 10, 13, 10]).map {
                        received[$0.upperBound...].elementsEqual(
                            photo.prefix(received.count - $0.upperBound))
                    } == true)
            }
        }
    }

    @Test func `a client that reads nothing is disconnected, and so is one that leaves`()
        async throws
    {
        try await withPhoto(16 << 20) { configuration in
            configuration.sendTimeout = .seconds(1)
        } _: { server, path, _ in
            try await onThread {
                let request = "GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n"
                let stuck = try server.client(receiveBytes: 65_536)
                try stuck.send(request)
                for count in [0, 1, 100_000] {
                    let client = try server.client()
                    try client.send(request)
                    _ = try client.receive(count: count)
                    client.reset()
                }
                let isClosed = eventuallyBlocking {
                    server.registry.render().contains("\nsluice_http_connections 0\n")
                }
                #expect(isClosed)
                _ = stuck
            }
        }
    }
}
