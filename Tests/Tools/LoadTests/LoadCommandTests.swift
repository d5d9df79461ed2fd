import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import Load

/// `sluice load` as a process, against stub servers.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LoadCommandTests {
    private struct Ended {
        let status: Int32
        let output: String
        let errors: String
    }

    private final class Directory {
        let path = NSTemporaryDirectory() + "sluice-load-\(UUID().uuidString)"
        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test(arguments: ["--watch=101", "--late=-1", "--resent=1e30", "--malformed-readings=nan"])
    func `a percentage out of range is refused by name`(option: String) throws {
        let ended = try load(["--readings", "1", option])
        #expect(ended.status == 64)
        #expect(ended.errors.contains("\(option.prefix { $0 != "=" }) must be 0 to 100"))
    }

    private func load(_ arguments: [String]) throws -> Ended {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltProgram.path("sluice"))
        process.arguments = ["load", "--key", "k"] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both outputs are short, so neither pipe fills while the other one is read.
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }

    private func result(_ path: String) throws -> LoadResult {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            LoadResult.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static let accepted = StubServer.answer(
        200, #"{"status":"accepted","records":10,"stored":9,"duplicates":1,"quarantined":0}"#)

    @Test func `a run writes its result and its report, and keeps its thresholds`() throws {
        let directory = try Directory()
        let server = StubServer { _, _ in .answer(Self.accepted) }
        server.start()
        defer { server.stop() }
        let (json, html) = (directory.path + "/a.json", directory.path + "/a.html")
        let ended = try load([
            "http://127.0.0.1:\(server.port)", "--readings", "500", "--batch", "10", "-c", "2",
            "--json", json, "--html", html, "--threshold", "failed<=0%", "--threshold", "p99<1m",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("50 answers in"))
        #expect(ended.output.contains("✓ p99<1m"))
        #expect(server.received.count == 50)
        let result = try result(json)
        #expect(result.statuses == ["200": 50])
        #expect(result.readings.acknowledged == 500 && result.readings.stored == 450)
        #expect(!result.isCorrectedForCoordinatedOmission)
        let page = try String(contentsOfFile: html, encoding: .utf8)
        try Markup.check(page)
        #expect(page.contains("500 acknowledged"))
    }

    @Test func `a crossed threshold sets the exit status`() throws {
        let server = StubServer { number, _ in
            .answer(number % 2 == 0 ? Self.accepted : StubServer.answer(500, "{}"))
        }
        server.start()
        defer { server.stop() }
        let ended = try load([
            "http://127.0.0.1:\(server.port)", "--readings", "200", "--batch", "10",
            "--threshold", "failed<1%", "--threshold", "lost<1", "-q",
        ])
        #expect(ended.status == 99)
        #expect(ended.output.contains("✗ failed<1%  (50.0 %)"))
        #expect(ended.output.contains("✓ lost<1"))
        #expect(ended.errors.isEmpty)
    }

    @Test func `stages are followed, and several servers share the load`() throws {
        let directory = try Directory()
        let servers = (0..<2).map { _ in StubServer { _, _ in .answer(Self.accepted) } }
        for server in servers { server.start() }
        defer { for server in servers { server.stop() } }
        let json = directory.path + "/a.json"
        let ended = try load(
            servers.map { "http://127.0.0.1:\($0.port)" } + [
                "--stages", "500ms:200,500ms:200", "--arrival", "even", "--batch", "10", "-c", "8",
                "--json", json,
            ])
        #expect(ended.status == 0, "\(ended.errors)")
        let result = try result(json)
        // The areas of a triangle and a rectangle: 50 and 100.
        #expect((145...151).contains(result.requests.answered + result.requests.dropped))
        #expect(result.isCorrectedForCoordinatedOmission)
        #expect(result.targets.count == 2)
        #expect(result.targets.allSatisfy { $0.statuses["200"] ?? 0 > 0 })
        #expect(servers.map(\.received.count) == result.targets.map { $0.statuses["200"] ?? 0 })
    }

    @Test func `JSON is the only text on standard output`() throws {
        let server = StubServer { _, _ in .answer(Self.accepted) }
        server.start()
        defer { server.stop() }
        let ended = try load([
            "http://127.0.0.1:\(server.port)", "--readings", "10", "--batch", "10", "--json", "-",
        ])
        #expect(ended.status == 0)
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
        }
        #expect(ended.errors.contains("1 answers in"))
    }

    @Test func `invalid arguments are rejected before anything is sent`() throws {
        let server = StubServer { _, _ in .answer(Self.accepted) }
        server.start()
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        for (arguments, status) in [
            (["http://192.0.2.7"], 64), ([url, "--threshold", "speed>5"], 64),
            ([url, "--stages", "1s:5", "--duration", "3s"], 64), ([url, "-c", "70000"], 64),
            ([url, "--rate", "0"], 64), ([url, "--json", "/nowhere/a.json"], 73),
            ([url, "--key", "a\r\nX: y"], 64), ([url, "--format", "overland", "--rough"], 64),
            ([url, "--format", "owntracks", "--batch", "2"], 64),
            ([url, "--format", "otlp", "--mix", "10/90"], 64),
            ([url, "--body", "/dev/null", "--verify"], 64),
        ] as [([String], Int32)] {
            #expect(try load(arguments).status == status, "\(arguments)")
        }
        #expect(server.received.isEmpty)
    }

    @Test func `an unreachable server is reported`() throws {
        let ended = try load(["http://127.0.0.1:1", "-d", "300ms", "-q"])
        #expect(ended.status == 69)
        #expect(ended.errors.contains("nobody answered"))
    }

    @Test(
        arguments: [
            (401, 77, "the key is missing or wrong"), (403, 77, "the key has another scope"),
            (404, 69, "the path is wrong"), (503, 69, "sluice doctor"),
            (200, 69, "is it a Sluice server"),
        ] as [(Int, Int32, String)])
    func `a run in which nothing was accepted fails with the likely cause`(
        status: Int, code: Int32, cause: String
    ) throws {
        let server = StubServer { _, _ in .answer(StubServer.answer(status, #"{"detail":"x"}"#)) }
        server.start()
        defer { server.stop() }
        let ended = try load(["http://127.0.0.1:\(server.port)", "-d", "300ms", "-q"])
        #expect(ended.status == code, "\(ended.errors)")
        #expect(ended.errors.contains("nothing was accepted"), "\(ended.errors)")
        #expect(ended.errors.contains("× \(status)") && ended.errors.contains(cause))
    }

    @Test func `a run whose readings were all quarantined fails with their reason`() throws {
        let server = StubServer { _, _ in
            .answer(
                StubServer.answer(
                    200,
                    #"{"status":"accepted","records":10,"stored":0,"duplicates":0,"#
                        + #""quarantined":10,"problems":[{"index":0,"reason":"time_too_old"}]}"#))
        }
        server.start()
        defer { server.stop() }
        let run = ["http://127.0.0.1:\(server.port)", "--readings", "20", "--batch", "10", "-q"]
        let ended = try load(run)
        #expect(ended.status == 69, "\(ended.errors)")
        #expect(
            ended.errors.contains(
                "nothing was stored; all 20 readings were quarantined: time_too_old"))
        #expect(ended.errors.contains("--days-ago"), "\(ended.errors)")
        // Then it is what was asked for.
        #expect(try load(run + ["--malformed-readings", "100"]).status == 0)
    }

    @Test func `a format with one reading a request needs no --batch`() throws {
        let server = StubServer { _, _ in .answer(StubServer.answer(200, "[]")) }
        server.start()
        defer { server.stop() }
        let ended = try load([
            "http://127.0.0.1:\(server.port)", "--format", "owntracks", "--readings", "5", "-q",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(server.received.count == 5)
    }

    @Test func `a file is posted as it is, at the path and with the type of the format`() throws {
        let directory = try Directory()
        let file = directory.path + "/body"
        let text = #"{"locations":[{"type":"Feature"}]}"#
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let server = StubServer { _, _ in
            .answer(StubServer.answer(200, #"{"result":"ok"}"#))
        }
        server.start()
        defer { server.stop() }
        let ended = try load([
            "http://127.0.0.1:\(server.port)", "--format", "overland", "--body", file, "-d",
            "200ms",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        let first = try #require(server.received.first)
        #expect(first.contains(text))
        #expect(try load(["--body", "/nowhere", "-d", "1s"]).status == 64)
        #expect(try load(["--body", file, "--readings", "5"]).status == 64)
    }

    @Test func `a baseline names what got worse, and what makes the runs unequal`() throws {
        let directory = try Directory()
        let server = StubServer { _, _ in .answer(Self.accepted) }
        server.start()
        defer { server.stop() }
        let old = directory.path + "/old.json"
        let run = ["http://127.0.0.1:\(server.port)", "--readings", "300", "--batch", "10", "-q"]
        #expect(try load(run + ["--json", old]).status == 0)
        let same = try load(run + ["--baseline", old, "--tolerance", "1000"])
        #expect(same.output.contains("nothing got worse"), "\(same.output)")

        var better = try result(old)
        better.readings.perSecond *= 1000
        better.configuration.devices = 7
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try encoder.encode(better).write(to: URL(fileURLWithPath: old))
        let worse = try load(run + ["--baseline", old])
        #expect(worse.status == 99)
        #expect(worse.output.contains("worse than in the baseline: "), "\(worse.output)")
        #expect(worse.output.contains("✗ readings/s"))
        #expect(worse.output.contains("not the same run: devices: 7 → 1000"))
        try "{}".write(toFile: old, atomically: true, encoding: .utf8)
        #expect(try load(run + ["--baseline", old]).status == 64)
    }

    @Test func `TLS certificates are verified unless the check is disabled`() async throws {
        let directory = try Directory()
        let server = try await SecureStub(directory: directory.path)
        let url = "https://127.0.0.1:\(server.port)"
        let run = [url, "--readings", "1000", "--batch", "10", "-c", "4", "-q"]
        let refused = try load(run)
        #expect(refused.status == 76)
        #expect(refused.errors.contains("--ca-file"), "\(refused.errors)")
        for trust in [["--insecure"], ["--ca-file", server.certificatePath]] {
            let ended = try load(run + trust)
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output.contains("200: 100"), "\(ended.output)")
        }
        let keyed = try load(run + ["--ca-file", server.keyPath])
        #expect(keyed.status == 64)
        try await server.stop()
    }
}

/// Answers every request over TLS with a 200.
private final class SecureStub: Sendable {
    let port: Int
    let certificatePath: String
    let keyPath: String
    private let channel: any Channel

    init(directory: String) async throws {
        let (certificate, key) = (directory + "/c.pem", directory + "/k.pem")
        (certificatePath, keyPath) = (certificate, key)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "30", "-subj", "/CN=stub", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map {
                .certificate($0)
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        let context = try NIOSSLContext(configuration: configuration)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: context))
                    try operations.configureHTTPServerPipeline()
                    try operations.addHandler(Handler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            let body = ByteBuffer(
                string: #"{"records":10,"stored":10,"duplicates":0,"quarantined":0}"#)
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["Content-Length": "\(body.readableBytes)"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
