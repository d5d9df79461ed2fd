import Foundation
import Readings
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct SecureServerTests {
    /// Runs curl against the server; the last line of the output is `VERSION STATUS`.
    private static func curl(
        _ server: RunningServer, _ path: String = "/", version: String = "--http2",
        _ arguments: [String] = [], input: [UInt8] = []
    ) async throws -> String {
        try await onThread {
            try Shell.run(
                "curl",
                [
                    "-sSk", version, "--max-time", "20", "-w", "\n%{http_version} %{http_code}",
                    "https://localhost:\(server.port)\(path)",
                ] + arguments, input: input
            ).output
        }
    }

    /// Starts a server with its own certificate.
    private static func with(
        _ behaviour: FakeSink.Behaviour = .commit, applications: [any SocketApplication] = [],
        configure: @escaping (inout HTTPConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer, TestCertificate) async throws -> Void
    ) async throws {
        let pair = try TestCertificate(name: "first")
        try await RunningServer.with(behaviour, applications: applications) { configuration in
            configuration.tls = pair.configuration
            configure(&configuration)
        } _: { server in
            try await body(server, pair)
        }
    }

    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func `routes and batches are answered`(_ flag: String, _ version: String) async throws {
        try await Self.with { server, _ in
            #expect(
                try await Self.curl(server, version: flag) == "{\"status\":\"ok\"}\n\(version) 200")
            let post = ["-H", "X-API-Key: \(FakeKeys.good)", "-d", Samples.body]
            let json = post + ["-H", "Content-Type: application/json"]
            let answer = try await Self.curl(server, "/ingest", version: flag, json)
            #expect(answer.hasPrefix(#"{"status":"accepted","records":3"#), "\(answer)")
            #expect(answer.hasSuffix("\n\(version) 200"))
            #expect(try await Self.curl(server, "/nowhere", version: flag).hasSuffix(" 404"))
            for path in ["//ingest", "/ingest/", "///ingest//"] {
                let answer = try await Self.curl(
                    server, path, version: flag, json + ["--path-as-is"])
                #expect(answer.hasSuffix("\n\(version) 200"), "\(path): \(answer)")
            }
            try await server.expectNothingHeld()
            #expect(server.sink.readings == 12)
        }
    }

    @Test func `refusals are the same over HTTP2`() async throws {
        try await Self.with { server, _ in
            let good = [
                "-H", "X-API-Key: \(FakeKeys.good)", "-H", "Content-Type: application/json",
            ]
            let cases: [([String], String)] = [
                (["-d", Samples.body], "401"), (good, "405"), (good + ["-d", "{"], "400"),
                (good + ["-d", #"{"data":[]}"#], "422"),
                (good + ["-H", "Content-Encoding: br", "-d", "x"], "415"),
                (good + ["-H", "Expect: 100-continue", "-d", Samples.body], "200"),
            ]
            for (arguments, status) in cases {
                let answer = try await Self.curl(server, "/ingest", arguments + ["-i"])
                #expect(answer.hasSuffix("\n2 \(status)"), "\(answer)")
                #expect(!answer.lowercased().contains("connection:"))
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `a large body is accepted, and one too large is not`() async throws {
        try await Self.with { configuration in
            configuration.bodyBytesMax = 4 << 20
        } _: { server, _ in
            let headers = [
                "-H", "X-API-Key: \(FakeKeys.good)", "-H", "Content-Type: application/json",
                "--data-binary", "@-",
            ]
            let body = Samples.body(readings: 50_000)
            let answer = try await Self.curl(server, "/ingest", headers, input: Array(body.utf8))
            #expect(answer.hasPrefix(#"{"status":"accepted","records":50000"#), "\(answer)")
            let tooLarge = [UInt8](repeating: 0x20, count: 6 << 20)
            #expect(
                try await Self.curl(server, "/ingest", headers, input: tooLarge)
                    .hasSuffix("\n2 413"))
            try await server.expectNothingHeld()
        }
    }

    @Test func `many requests share one connection`() async throws {
        try await Self.with { server, pair in
            let body = pair.directory.appending(path: "body.json").path
            try pair.write(Samples.body, to: body)
            var arguments = ["-sSk", "--http2", "--parallel", "--parallel-max", "50"]
            for _ in 0..<200 {
                arguments += [
                    "https://localhost:\(server.port)/ingest", "-o", "/dev/null", "-d", "@\(body)",
                    "-H", "X-API-Key: \(FakeKeys.good)", "-H", "Content-Type: application/json",
                    "-w", "%{http_version} %{http_code}\\n", "--next", "-sSk", "--http2",
                ]
            }
            arguments.removeLast(3)
            let (all, files) = (arguments, 200)
            let output = try await onThread { try Shell.run("curl", all).output }
            // curl prints its progress although it was told not to.
            let lines = output.split(separator: "\n").filter { $0.hasPrefix("2 ") }
            #expect(lines.count == files)
            #expect(lines.allSatisfy { $0 == "2 200" }, "\(Set(lines))")
            #expect(server.sink.readings == 600)
        }
    }

    @Test func `a WebSocket works over TLS`() async throws {
        try await Self.with(applications: [TestSockets()]) { server, _ in
            let input =
                Array(SocketClient.handshake("/test/anna").utf8)
                + SentFrame.text("hello").bytes + SentFrame.close(1000).bytes
            let output = try await onThread {
                try Shell.run(
                    "openssl",
                    ["s_client", "-quiet", "-connect", "localhost:\(server.port)"], input: input
                ).output
            }
            #expect(output.contains("101 Switching Protocols"))
            #expect(output.contains("echo hello"))
            try await server.eventually { server.metric("sluice_sockets") == 0 }
            #expect(server.metric(#"sluice_socket_closes_total{code="1000"}"#) == 1)
        }
    }

    @Test(arguments: [
        ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-CHACHA20-POLY1305", true),
        ("ECDHE-ECDSA-AES128-SHA", false), ("ECDHE-ECDSA-AES256-SHA", false),
    ])
    func `TLS 1_2 has no suite in CBC mode`(_ suite: String, _ isTaken: Bool) async throws {
        try await Self.with { server, _ in
            let status = try await onThread {
                try Shell.run(
                    "openssl",
                    [
                        "s_client", "-connect", "localhost:\(server.port)", "-tls1_2", "-cipher",
                        suite + ":@SECLEVEL=0",
                    ]
                ).status
            }
            #expect((status == 0) == isTaken)
        }
    }

    private static func subject(_ server: RunningServer) async throws -> String {
        let output = try await onThread {
            try Shell.run(
                "openssl", ["s_client", "-connect", "localhost:\(server.port)", "-tls1_2"]
            ).output
        }
        return output.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init)
            ?? output
    }

    @Test func `new connections get the new certificate`() async throws {
        try await Self.with { server, pair in
            #expect(try await Self.subject(server).contains("first"))
            try pair.issue(name: "second")
            var configuration = HTTPConfiguration()
            configuration.tls = pair.configuration
            server.server.reload(configuration, ReadingLimits())
            #expect(try await Self.subject(server).contains("second"))
        }
    }

    @Test func `the files are watched`() async throws {
        try await Self.with { configuration in
            configuration.tls?.lookInterval = .milliseconds(50)
        } _: { server, pair in
            try pair.issue(name: "second")
            let isNew = try await eventually {
                try await Self.subject(server).contains("second")
            }
            #expect(isNew)
        }
    }

    @Test func `a handshake that does not arrive times out`() async throws {
        try await Self.with { configuration in
            configuration.tls?.handshakeTimeout = .milliseconds(300)
        } _: { server, _ in
            let silent = try server.client()
            try await onThread { try silent.expectEnd() }
        }
    }

    @Test func `a client that speaks plain HTTP is disconnected`() async throws {
        try await Self.with { server, _ in
            let client = try server.client()
            try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await #expect(throws: (any Error).self) {
                try await onThread { try client.receiveAnswer() }
            }
            #expect(try await Self.curl(server).hasSuffix("2 200"))
        }
    }

    @Test func `a stop lets a stream finish and waits for no handshake`() async throws {
        try await Self.with(.hold) { server, _ in
            let silent = try server.client()
            async let answer = Self.curl(
                server, "/ingest",
                [
                    "-H", "X-API-Key: \(FakeKeys.good)", "-H", "Content-Type: application/json",
                    "-d", Samples.body,
                ])
            try await server.eventually { server.sink.heldCount == 1 }
            await server.stop()
            try await Task.sleep(for: .milliseconds(300))
            server.sink.commitHeld()
            #expect(try await answer.hasSuffix("\n2 200"))
            try await onThread { try silent.expectEnd() }
        }
    }

    @Test func `a certificate that can't be used keeps the server from starting`() async throws {
        await #expect(throws: TLSFault.noKey(path: "/dev/null")) {
            try await Self.with { configuration in
                configuration.tls?.keyPath = "/dev/null"
            } _: { _, _ in
                Issue.record("it started")
            }
        }
    }
}
