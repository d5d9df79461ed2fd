import Access
import Foundation
import Instruments
import JWTKit
import Testing

@testable import Edge

/// A whole file has two ways: from the event loop, and through the router. With a query, which means
/// nothing to it, a request goes through the router; without one it is sent from the loop if it can be.
@Suite(.timeLimit(.minutes(2))) struct FileWayTests {
    private static let key = "X-API-Key: \(RoutesServer.key)"
    private static let secret = "a secret of more than thirty-two bytes"

    private struct Claims: JWTPayload {
        let sub: String

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static func bearer(_ user: String) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return "Authorization: Bearer " + (try await keys.sign(Claims(sub: user)))
    }

    private struct Received: Equatable {
        /// Names in lower case, sorted, without the date.
        var head: [String]
        var content: [UInt8]
        /// The router's side writes its names otherwise.
        var isFromLoop = false

        static func == (one: Received, other: Received) -> Bool {
            one.head == other.head && one.content == other.content
        }
    }

    private static func receive(from client: TCPClient) throws -> Received {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try client.receive(count: 1) }
        let lines = String(decoding: head.dropLast(4), as: UTF8.self).components(
            separatedBy: "\r\n")
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts[0].lowercased() + ":" + parts[1]
        }
        let length = fields.first { $0.hasPrefix("content-length: ") }
        let count = length.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        #expect(fields.contains { $0.hasPrefix("date: ") })
        return Received(
            head: [lines[0]] + fields.filter { !$0.hasPrefix("date: ") }.sorted(),
            content: try client.receive(count: count),
            isFromLoop: lines.contains { $0.hasPrefix("date: ") })
    }

    private static func get(
        _ path: String, _ fields: [String], on client: TCPClient
    ) throws -> Received {
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1"] + fields
        try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        return try receive(from: client)
    }

    /// Asks both ways.
    ///
    /// - Returns: the answer, and whether the first came from the loop.
    @discardableResult
    private static func both(
        _ server: RoutesServer, _ path: String, _ fields: [String]
    ) async throws -> Received {
        try await onThread {
            let client = try server.client()
            let router = try get(path + "?x=1", fields, on: client)
            #expect(!router.isFromLoop)
            let loop = try get(path, fields, on: fields.isEmpty ? client : server.client())
            #expect(loop == router, "\(path) \(fields)")
            return loop
        }
    }

    @Test func `both ways give the same answers, whoever asks for what`() async throws {
        try await RoutesServer.with(access: { access in
            access.applicationKeys = RoutesServer.key
            access.tokenSecret = Self.secret
        }) { server in
            let (own, other) = (try await Self.bearer("kim"), try await Self.bearer("ann"))
            let photo = FormBody.jpeg(20_000)
            for (id, field) in [("keyed", Self.key), ("owned", own)] {
                let answer = try await server.ask(
                    "POST", "/upload/\(id)", [FormBody.field, field],
                    body: FormBody.photo(photo))
                #expect(answer.status == 200)
            }
            let file = try await server.upload(filename: "n\u{e4}me.jpg")
            let media = "/media/memories/keyed/photo.jpg"
            let owned = "/media/memories/owned/photo.jpg"
            let users = "/api/users/user"
            let paths = [
                media, owned, file.path, "/media/memories/none/photo.jpg", media + "/", "/media/x",
                "/media/memories/../photo.jpg", "/media/journal/\(file.id)", "/media//",
                "\(users)/ann/multimedia/files/\(file.id)", file.path + "/",
                "\(users)/kim/multimedia/files/\(String(repeating: "0", count: 32))",
                "\(users)/kim/multimedia/files/x",
            ]
            var fromLoop = 0
            for path in paths {
                for fields in [
                    [], [Self.key], [own], [other], ["X-API-Key: wrong"],
                    ["Authorization: Bearer a.b.c"], [Self.key, "Connection: close"],
                    [Self.key, "Accept: image/*", "Origin: http://elsewhere.example"],
                ] {
                    let answer = try await Self.both(server, path, fields)
                    if answer.isFromLoop { fromLoop += 1 }
                    let isWhole = answer.head[0] == "HTTP/1.1 200 OK"
                    // What a user has not got by name the router looks into.
                    let isRouters =
                        path.hasSuffix("/")
                        || path == media && (fields == [own] || fields == [other])
                    #expect(answer.isFromLoop == (isWhole && !isRouters), "\(path) \(fields)")
                }
            }
            // The key's file for three, the user's for four, the journal's for all eight.
            #expect(fromLoop == 15)
            #expect(try await Self.both(server, owned, [own]).content == photo)
        }
    }

    @Test func `where nobody has to show anything, pages of other sites still get nothing`()
        async throws
    {
        try await RoutesServer.with(access: { _ in }) { server in
            let answer = try await server.ask(
                "POST", "/upload/a", [FormBody.field], host: "127.0.0.1", body: FormBody.photo())
            #expect(answer.status == 200)
            let path = "/media/memories/a/photo.jpg"
            #expect(try await Self.both(server, path, []).isFromLoop)
            let fields = ["Origin: http://elsewhere.example"]
            let refused = try await Self.both(server, path, fields)
            #expect(refused.head[0].hasPrefix("HTTP/1.1 403 "))
        }
    }

    @Test func `what was replaced, deleted or lost is seen by the very next request`() async throws
    {
        try await RoutesServer.with { server in
            let path = "/media/memories/a/photo.jpg"
            for seed in UInt8(1)...4 {
                let photo = FormBody.jpeg(50_000, seed: seed)
                let answer = try await server.ask(
                    "POST", "/upload/a", FormBody.fields, body: FormBody.photo(photo))
                #expect(answer.status == 200)
                let first = try await onThread {
                    try Self.get(path, [Self.key], on: server.client())
                }
                #expect(first.content == photo)
                let again = try await Self.both(server, path, [Self.key])
                #expect(again.isFromLoop && again.content == photo)
            }
            _ = try server.value(
                "update sluice.media_file set object = encode(sha256('lost'), 'hex') returning ''")
            let lost = try await Self.both(server, path, [Self.key])
            #expect(lost.head[0].hasPrefix("HTTP/1.1 500 "))
            _ = try server.value("delete from sluice.media_file returning ''")
            let gone = try await Self.both(server, path, [Self.key])
            #expect(gone.head[0].hasPrefix("HTTP/1.1 404 "))
        }
    }

    /// A server that has a photo of so many bytes, open already.
    private func withPhoto(
        _ bytes: Int, configure: (inout EdgeConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RoutesServer, String, [UInt8]) async throws -> Void
    ) async throws {
        try await RoutesServer.with(configure: configure) { server in
            let photo = FormBody.jpeg(bytes)
            let upload = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo(photo))
            #expect(upload.status == 200)
            let path = "/media/memories/a/photo.jpg"
            try await Self.both(server, path, [Self.key])
            try await body(server, path, photo)
        }
    }

    @Test func `requests that are sent together are answered in their order`() async throws {
        try await withPhoto(70_000) { server, path, photo in
            try await onThread {
                let client = try server.client()
                let file = "GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n"
                let ingest = "POST /ingest HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
                let root = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                try client.send(file + file + ingest + file + root + file + ingest + root)
                let status = try (0..<8).map { _ in
                    let answer = try Self.receive(from: client)
                    if answer.isFromLoop, answer.head[0].hasSuffix("200 OK") {
                        #expect(answer.content == photo)
                    }
                    return answer.head[0].split(separator: " ")[1]
                }
                #expect(status == ["200", "200", "401", "200", "200", "200", "401", "200"])
            }
        }
    }

    @Test func `many that ask together, round after round, all get the file`() async throws {
        try await withPhoto(20_000) { server, path, photo in
            try await onThread {
                let clients = try (0..<4 * LoopFiles.manyMin).map { _ in try server.client() }
                let request = "GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n"
                for _ in 0..<5 {
                    for client in clients { try client.send(request) }
                    for client in clients {
                        let answer = try Self.receive(from: client)
                        #expect(answer.isFromLoop && answer.content == photo)
                    }
                }
            }
        }
    }

    @Test func `a client that sends no more gets its file, and then the end`() async throws {
        try await withPhoto(3 << 20) { server, path, photo in
            try await onThread {
                let client = try server.client(receiveBytes: 65_536)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n")
                client.closeSending()
                let answer = try Self.receive(from: client)
                #expect(answer.isFromLoop && answer.content == photo)
                try client.expectEnd()
            }
        }
    }

    @Test func `a slow client has its time, however large the file`() async throws {
        try await withPhoto(16 << 20) { configuration in
            configuration.idleTimeout = .milliseconds(200)
            configuration.lingerTimeout = .milliseconds(200)
            configuration.acknowledgeWithin = .milliseconds(200)
        } _: { server, path, photo in
            try await onThread {
                let client = try server.client(receiveBytes: 65_536)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n")
                var received: [UInt8] = []
                for _ in 0..<8 {
                    Thread.sleep(forTimeInterval: 0.1)
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

    @Test func `a client that takes nothing is let go, and so is one that leaves`() async throws {
        try await withPhoto(16 << 20) { configuration in
            configuration.sendTimeout = .milliseconds(200)
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
                for _ in 0..<500 {
                    if server.registry.render().contains("\nsluice_http_connections 0\n") { return }
                    Thread.sleep(forTimeInterval: 0.01)
                }
                Issue.record("a connection is still open")
                _ = stuck
            }
        }
    }
}
