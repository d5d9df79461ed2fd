import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Refusals that a real client, with real buffers, must be able to read.
@Suite(.timeLimit(.minutes(10))) struct HTTPListenerRefusalTests {
    private static let large = 100 * 1024 * 1024

    /// Sends the whole request before it reads an answer, as simple clients do.
    @Test(arguments: [("no", 401), (FakeKeys.good, 413)])
    func `a client that sends a hundred megabytes first reads why it was refused`(
        key: String, status: Int
    ) async throws {
        try await RunningServer.with(configure: { $0.lingerTimeout = .seconds(600) }) { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send(Samples.head(length: Self.large, key: key))
                let piece = [UInt8](repeating: 0x20, count: 1 << 20)
                for _ in 0..<100 { try client.send(piece) }
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [status])
            #expect(answers.first?.headers["connection"] == "close")
            try await server.expectNothingHeld()
        }
    }

    @Test func `a client that reads while it sends need not send everything`() async throws {
        try await RunningServer.with { server in
            let client = try server.client()
            try client.send(Samples.head(length: Self.large, key: "no"))
            let answer = try await onThread { try client.receiveAnswer() }
            #expect(answer.status == 401)
            try await onThread { try client.expectEnd() }
            client.close()
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
        }
    }

    @Test func `a chunked body without an end is cut off at the limit`() async throws {
        try await RunningServer.with { configuration in
            configuration.lingerBytesMax = 4 << 20
        } _: { server in
            let wasCut = try await onThread {
                let client = try server.client()
                try client.send(
                    Samples.head(length: nil, key: "no", fields: ["Transfer-Encoding: chunked"]))
                #expect(try client.receiveAnswer().status == 401)
                let piece = Array("100000\r\n".utf8) + [UInt8](repeating: 0x20, count: 1 << 20)
                do {
                    for _ in 0..<64 { try client.send(piece + Array("\r\n".utf8)) }
                    return false
                } catch is TCPClient.Failed {
                    return true
                }
            }
            #expect(wasCut)
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
        }
    }

    @Test func `a client that never closes is cut off in time`() async throws {
        try await RunningServer.with { configuration in
            configuration.lingerTimeout = .milliseconds(300)
        } _: { server in
            let client = try server.client()
            try client.send(Samples.head(length: Self.large, key: "no"))
            // The server may close the connection before this thread learns that it was accepted.
            #expect(try await onThread { try client.receiveAnswer().status } == 401)
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
        }
    }

    @Test func `a short refused body does not cost the connection`() async throws {
        try await RunningServer.with { server in
            let statuses = try await onThread {
                let client = try server.client()
                return try (0..<50).map { index in
                    let body = String(repeating: " ", count: 60_000)
                    let isWrong = index % 2 == 0
                    try client.send(
                        isWrong ? Samples.post(body, key: "no") : Samples.post())
                    return try client.receiveAnswer().status
                }
            }
            #expect(statuses == (0..<50).map { $0 % 2 == 0 ? 401 : 200 })
        }
    }

    @Test func `a client that goes on sending reads the fault in the middle of its large body`()
        async throws
    {
        try await RunningServer.with { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send(Samples.head(length: 15 << 20))
                try client.send(#"{"metadata":{"device_id":"x"},"data":[}"#)
                let piece = [UInt8](repeating: 0x20, count: 1 << 20)
                for _ in 0..<14 { try client.send(piece) }
                client.closeSending()
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [400])
            #expect(answers.first?.number("offset") == 38)
            try await server.expectNothingHeld()
        }
    }

    @Test(
        arguments: [
            ("http://localhost/health", ["Host: localhost"], 200),
            ("http://localhost/health?a=http://b", ["Host: LocalHost"], 200),
            ("http://evil.example/health", ["Host: localhost"], 400),
            ("http://localhost/health", ["Host: evil.example"], 400),
            ("http://localhost:81/health", ["Host: localhost"], 400),
            ("http://localhost@evil.example/health", ["Host: localhost"], 400),
            ("http://localhost/health", ["Host: localhost", "Host: localhost"], 400),
            ("http://localhost/health", [], 400),
            ("ftp://localhost/health", ["Host: localhost"], 400),
            ("//evil.example/health", ["Host: localhost"], 404), ("*", ["Host: localhost"], 404),
        ] as [(String, [String], Int)])
    func `a target and Host name one host`(
        _ target: String, _ hosts: [String], _ status: Int
    ) async throws {
        try await RunningServer.with { server in
            for (method, version) in [("GET", "1.1"), ("GET", "1.0"), ("POST", "1.1")] {
                let answer = try await onThread {
                    let client = try server.client()
                    let lines = ["\(method) \(target) HTTP/\(version)"] + hosts
                    try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
                    return try client.receiveAnswer()
                }
                #expect(answer.status == (method == "POST" && status == 200 ? 405 : status))
            }
        }
    }

    @Test func `a client that sends and never reads fills no memory`() async throws {
        try await RunningServer.with { configuration in
            configuration.sendTimeout = .seconds(2)
        } _: { server in
            let sent = try await onThread {
                let client = try TCPClient(port: server.port, receiveBytes: 4096, patience: 1)
                let request =
                    "POST /ingest HTTP/1.1\r\nHost: localhost\r\ncontent-length: 0\r\n\r\n"
                let piece = Array(String(repeating: request, count: 1000).utf8)
                var sent = 0
                do {
                    while sent < 256 << 20 {
                        try client.send(piece)
                        sent += piece.count
                    }
                } catch is TCPClient.Failed {}
                return sent
            }
            // The kernel's buffers take this much, and no more.
            #expect(sent < 64 << 20)
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
        }
    }

    @Test func `a head that arrives too slowly gets a 408`() async throws {
        try await RunningServer.with { configuration in
            // Without a byte by then there is no answer.
            configuration.headTimeout = .seconds(3)
        } _: { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send("POST /ingest HTTP/1.1\r\nX-API-Key:")
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [408])
        }
    }

    @Test func `a body that stops gets a 408`() async throws {
        try await RunningServer.with { configuration in
            configuration.bodyTimeout = .milliseconds(300)
        } _: { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send(Samples.post().dropLast(20).description)
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [408])
            try await server.expectNothingHeld()
        }
    }

    @Test func `a batch without an outcome gets a 503`() async throws {
        try await RunningServer.with(.hold) { configuration in
            configuration.acknowledgeWithin = .milliseconds(200)
        } _: { server in
            let client = try server.client()
            try client.send(Samples.post())
            let answer = try await onThread { try client.receiveAnswer() }
            #expect(answer.status == 503)
            #expect(server.metric("sluice_http_acknowledgements_late_total") == 1)
            server.sink.commitHeld()
            try await server.eventually { server.ledger.snapshot.stored == 3 }
            try await server.expectNothingHeld()
        }
    }
}
