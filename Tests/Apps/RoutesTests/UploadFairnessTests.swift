import Auth
import Foundation
import Inspections
import Instruments
import Media
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

/// Uploads and downloads of a client that gives itself many names, beside those of others.
@Suite(.timeLimit(.minutes(10)), .serialized) struct UploadFairnessTests {
    /// Starts a child that needs for ever for a GIF; other files are inspected.
    private static func endlessProgram() throws -> String {
        let directory = TestCluster.freshDirectory()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/program"
        let real = BuiltProgram.path("sluice-inspect")
        try Data(
            """
            #!/bin/sh
            case "$*" in *gif*) exec /bin/sleep 100000;; esac
            exec '\(real)' "$@"

            """.utf8
        ).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private static func request(
        _ content: [UInt8], user: String, kind: String = "multimedia"
    ) -> [UInt8] {
        let body = FormBody.bytes([AppServer.file(content)])
        let head =
            "POST /api/users/user/\(user)/\(kind)/swift HTTP/1.1\r\nHost: localhost:81\r\n"
            + "\(FormBody.field)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Uploads a small picture.
    ///
    /// - Returns: the time until the answer.
    private static func upload(
        _ server: AppServer, from address: String, user: String
    ) async throws -> Duration {
        try await onThread {
            let start = ContinuousClock.now
            let client = try TCPClient(port: server.port, patience: 60, from: address)
            try client.send(request(JournalSamples.jpeg, user: user))
            let answer = try client.receiveAnswer()
            #expect(answer.status == 200, "\(answer.body)")
            return .now - start
        }
    }

    @Test(arguments: [2, 8])
    func `one address with many names delays nobody else's upload`(names: Int) async throws {
        var limits = InspectorConfiguration()
        limits.reportLimits.secondsMax = 100_000
        limits.reportLimits.processorSecondsMax = 100_000
        let path = try Self.endlessProgram()
        try await AppServer.with(access: { _ in }, inspector: limits, inspectorPath: path) {
            server in
            let endless = try await onThread {
                try (0..<3 * names).map { number in
                    let client = try TCPClient(port: server.port, from: "127.0.0.1")
                    try client.send(
                        Self.request(JournalSamples.gif, user: "name\(number % names)"))
                    return client
                }
            }
            let allWait = try await eventually {
                server.registry.render().contains("\nsluice_uploads \(3 * names)\n")
            }
            #expect(allWait)
            for number in 0..<6 {
                let time = try await Self.upload(server, from: "127.0.0.2", user: "u\(number)")
                // Behind an endless one it would never be answered. The machine may stall.
                #expect(time < .seconds(20), "\(time)")
            }
            withExtendedLifetime(endless) {}
        }
    }

    @Test func `one address leaves places for the uploads of others`() async throws {
        try await AppServer.with(access: { _ in }, routes: { $0.uploadsMax = 5 }) { server in
            let body = Self.request(JournalSamples.jpeg, user: "a")
            let waiting = try await onThread {
                try (0..<4).map { number in
                    let client = try TCPClient(port: server.port, from: "127.0.0.1")
                    try client.send(
                        Array(Self.request(JournalSamples.jpeg, user: "n\(number)").dropLast(9)))
                    return client
                }
            }
            let allWait = try await eventually {
                server.registry.render().contains("\nsluice_uploads 4\n")
            }
            #expect(allWait)
            let fifth = try await onThread {
                let client = try TCPClient(port: server.port, from: "127.0.0.1")
                try client.send(body)
                return try client.receiveAnswer()
            }
            #expect(fifth.status == 429)
            #expect(fifth.headers["retry-after"] != nil)
            _ = try await Self.upload(server, from: "127.0.0.2", user: "b")
            withExtendedLifetime(waiting) {}
        }
    }

    @Test func `one address leaves places for the downloads of others`() async throws {
        try await AppServer.with(
            access: { _ in }, routes: { $0.downloadsMax = 5 }
        ) { server in
            let stored = try await server.ask(
                "POST", "/upload/large", [FormBody.field], host: "localhost:81",
                body: FormBody.photo(FormBody.jpeg(16 << 20)))
            #expect(stored.status == 200)
            let request =
                "GET /media/memories/large/photo.jpg HTTP/1.1\r\nHost: localhost:81\r\n\r\n"
            func status(from address: String) async throws -> (String, TCPClient) {
                try await onThread {
                    let client = try TCPClient(
                        port: server.port, receiveBytes: 4096, from: address)
                    try client.send(request)
                    let line = try client.receive(count: "HTTP/1.1 200".utf8.count)
                    return (String(decoding: line.suffix(3), as: UTF8.self), client)
                }
            }
            var slow: [TCPClient] = []
            for _ in 0..<4 {
                let (code, client) = try await status(from: "127.0.0.1")
                #expect(code == "200")
                slow.append(client)
            }
            let refused = try await status(from: "127.0.0.1").0
            #expect(refused == "503")
            let other = try await status(from: "127.0.0.2").0
            #expect(other == "200")
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `answers that one address does not read leave room for those of others`()
        async throws
    {
        try await AppServer.with(
            configure: { $0.unsentBytesMax = 4 << 20 }, access: { _ in }
        ) { server in
            let stored = try await server.ask(
                "POST", "/upload/large", [FormBody.field], host: "localhost:81",
                body: FormBody.photo(FormBody.jpeg(16 << 20)))
            #expect(stored.status == 200)
            func ask(_ path: String, from address: String) async throws -> (String, TCPClient) {
                try await onThread {
                    let client = try TCPClient(
                        port: server.port, receiveBytes: 4096, from: address)
                    try client.send("GET \(path) HTTP/1.1\r\nHost: localhost:81\r\n\r\n")
                    let line = try client.receive(count: "HTTP/1.1 200".utf8.count)
                    return (String(decoding: line.suffix(3), as: UTF8.self), client)
                }
            }
            var slow: [TCPClient] = []
            let isRefused = try await eventually {
                let (code, client) = try await ask(
                    "/media/memories/large/photo.jpg", from: "127.0.0.1")
                if code == "200" { slow.append(client) }
                return code == "503"
            }
            #expect(isRefused && !slow.isEmpty)
            let own = try await ask("/docs", from: "127.0.0.1").0
            #expect(own == "503")
            let other = try await ask("/docs", from: "127.0.0.2").0
            #expect(other == "200")
            withExtendedLifetime(slow) {}
        }
    }
}
