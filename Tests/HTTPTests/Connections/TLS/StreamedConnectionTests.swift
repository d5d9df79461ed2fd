import Instruments
import Readings
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Behaviour of HTTP/2 clients that no library would show.
@Suite(.timeLimit(.minutes(10))) struct StreamedConnectionTests {
    /// Starts a server with its own certificate.
    private static func with(
        _ behaviour: FakeSink.Behaviour = .commit,
        configure: @escaping (inout HTTPConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        let pair = try TestCertificate()
        try await RunningServer.with(behaviour) { configuration in
            configuration.tls = pair.configuration
            configure(&configuration)
        } _: { server in
            try await body(server)
            withExtendedLifetime(pair) {}
        }
    }

    private static func connections(_ server: RunningServer) -> Int? {
        server.metric("sluice_http_connections")
    }

    /// Waits until the server has closed the connection.
    private static func expectClosed(
        _ client: FrameClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isClosed = try await eventually { client.isClosed }
        #expect(isClosed, "\(client.frames)", sourceLocation: sourceLocation)
    }

    @Test func `silent connections end, although they acknowledge nothing`() async throws {
        try await Self.with { configuration in
            configuration.connectionsMax = 5
            configuration.idleTimeout = .milliseconds(500)
        } _: { server in
            var clients: [FrameClient] = []
            for _ in 0..<5 { clients.append(try await FrameClient(port: server.port)) }
            for client in clients {
                try await Self.expectClosed(client)
                #expect(client.frames(.goAway).map(\.errorCode) == [0])
            }
            try await server.eventually { Self.connections(server) == 0 }
            // And there is room for new connections.
            // On a busy machine one may end before it asks.
            let isAnswered = try await eventually {
                let next = try await FrameClient(port: server.port)
                try? await next.send(FrameClient.request("/", stream: 1))
                _ = try await eventually { next.isClosed || !next.frames(.headers).isEmpty }
                return next.frames(.headers).map(\.status) == [200]
            }
            #expect(isAnswered)
        }
    }

    @Test func `a connection ends when its client closes its side`() async throws {
        try await Self.with { server in
            let client = try await FrameClient(port: server.port)
            try await client.send(FrameClient.request("/", stream: 1))
            let isAnswered = try await eventually { !client.frames(.data).isEmpty }
            #expect(isAnswered)
            await client.closeSending()
            try await server.eventually { Self.connections(server) == 0 }
        }
    }

    @Test func `a connection that the server ends is gone once its client has said goodbye`()
        async throws
    {
        try await Self.with { server in
            // Otherwise TLS waits for five seconds. The machine may stall.
            var quickest = Duration.seconds(1000)
            for _ in 0..<5 where quickest > .seconds(4) {
                let client = try await FrameClient(port: server.port)
                // A PING has eight bytes.
                try await client.send(FrameClient.Frame(.ping, [1, 2, 3]))
                try await Self.expectClosed(client)
                let start = ContinuousClock.now
                try await server.eventually { Self.connections(server) == 0 }
                quickest = min(quickest, .now - start)
            }
            #expect(quickest < .seconds(4))
        }
    }

    @Test func `an open stream gets its answer, although its client has closed its side`()
        async throws
    {
        try await Self.with(.hold) { server in
            let client = try await FrameClient(port: server.port)
            try await client.send(
                FrameClient.request(
                    "/ingest", stream: 1, method: "POST", endsStream: false,
                    [("x-api-key", FakeKeys.good)]),
                FrameClient.Frame(.data, flags: 1, stream: 1, Array(Samples.body.utf8)))
            try await server.eventually { server.sink.heldCount == 1 }
            await client.closeSending()
            server.sink.commitHeld()
            let isAnswered = try await eventually {
                client.frames(.headers).map(\.status) == [200]
            }
            #expect(isAnswered)
            try await server.eventually { Self.connections(server) == 0 }
        }
    }

    /// Frames that no client may send, and the error code of each.
    private static let faults: [(FrameClient.Frame, Int)] = [
        // Data on a stream that was never opened.
        (FrameClient.Frame(.data, stream: 1, [1]), 1),
        // A PING has eight bytes.
        (FrameClient.Frame(.ping, [1, 2, 3]), 6),
        // Not a field block.
        (FrameClient.Frame(.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), 9),
    ]

    @Test(arguments: 0..<3) func `an error is reported once, and ends the connection`(_ fault: Int)
        async throws
    {
        let (frame, code) = Self.faults[fault]
        try await Self.with { server in
            let client = try await FrameClient(port: server.port)
            // The following frames arrive in many pieces.
            try? await client.send(frame)
            for _ in 0..<300 where !client.isClosed {
                try? await client.send(FrameClient.Frame(.ping, Array(repeating: 7, count: 8)))
            }
            try await Self.expectClosed(client)
            #expect(client.frames(.goAway).map(\.errorCode) == [code], "\(client.frames)")
            try await server.eventually { Self.connections(server) == 0 }
        }
    }

    @Test func `a stop waits for no silent client`() async throws {
        try await Self.with(.hold) { server in
            let silent = try await FrameClient(port: server.port)
            let busy = try await FrameClient(port: server.port)
            try await busy.send(
                FrameClient.request(
                    "/ingest", stream: 1, method: "POST", endsStream: false,
                    [("x-api-key", FakeKeys.good)]),
                FrameClient.Frame(.data, flags: 1, stream: 1, Array(Samples.body.utf8)))
            try await server.eventually { server.sink.heldCount == 1 }
            await server.stop()
            try await Self.expectClosed(silent)
            #expect(silent.frames(.goAway).map(\.errorCode) == [0, 0])
            #expect(!busy.isClosed)
            server.sink.commitHeld()
            try await Self.expectClosed(busy)
            #expect(busy.frames(.headers).map(\.status) == [200])
        }
    }

    @Test func `the rules for heads are those of HTTP1`() async throws {
        try await Self.with { server in
            func extra(_ count: Int) -> [(String, String)] { (0..<count).map { ("x-\($0)", "a") } }
            let length = "\(Samples.body.utf8.count)"
            let cases: [(fields: [(String, String)], status: Int)] = [
                ([], 200), ([("content-length", length)], 200),
                // Host and the key count among the hundred fields.
                (extra(98), 200), (extra(99), 431), (extra(300), 431),
                ([("content-length", "+" + length)], 400), ([("content-length", length + "x")], 0),
                ([("content-length", length), ("content-length", length)], 400),
                ([("host", "a"), ("host", "a")], 400), ([("host", "a b")], 400),
            ]
            for (fields, status) in cases {
                let name = #"sluice_http_requests_total{route="/ingest",status="\#(status)"}"#
                let before = server.metric(name) ?? 0
                let client = try await FrameClient(port: server.port)
                try await client.send(
                    FrameClient.request(
                        "/ingest", stream: 1, method: "POST", endsStream: false,
                        [("x-api-key", FakeKeys.good)] + fields),
                    FrameClient.Frame(.data, flags: 1, stream: 1, Array(Samples.body.utf8)))
                let isAnswered = try await eventually {
                    // 0: NIO itself resets the stream.
                    status == 0
                        ? !client.frames(.reset).isEmpty : server.metric(name) == before + 1
                }
                #expect(isAnswered, "\(fields)")
                client.close()
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `a head that can't be understood is refused at once`() async throws {
        try await Self.with { server in
            let client = try await FrameClient(port: server.port)
            // Without :authority.
            let fields = [(":method", "GET"), (":scheme", "https"), (":path", "/")]
            try await client.send(
                FrameClient.Frame(.headers, flags: 5, stream: 1, FrameClient.block(fields)),
                FrameClient.request("/", stream: 3))
            for (stream, status) in [(1, 400), (3, 200)] {
                let isAnswered = try await eventually {
                    client.frames(.headers, stream: stream).map(\.status) == [status]
                }
                #expect(isAnswered, "\(stream)")
            }
        }
    }

    @Test func `the unsent bytes in the streams of a connection have a limit`() async throws {
        let limit = 30_000
        try await Self.with { configuration in
            configuration.streamedUnsentBytesMax = limit
        } _: { server in
            let client = try await FrameClient(port: server.port, windowBytes: 0)
            let page = server.registry.render().utf8.count
            // As many as fit, and one more.
            let taken = limit / page + 1
            for number in 0..<taken {
                try await client.send(FrameClient.request("/metrics", stream: 2 * number + 1))
                try await server.eventually {
                    (server.metric("sluice_http_unsent_bytes") ?? 0) >= (number + 1) * page
                }
            }
            for number in taken..<(taken + 20) {
                try await client.send(FrameClient.request("/metrics", stream: 2 * number + 1))
            }
            let isRefused = try await eventually { client.frames(.reset).count == 20 }
            #expect(isRefused, "\(client.frames(.reset).count)")
            // REFUSED_STREAM
            #expect(client.frames(.reset).allSatisfy { $0.errorCode == 7 })
            #expect(server.metric("sluice_http_streams_refused_total") == 20)
            #expect((server.metric("sluice_http_unsent_bytes") ?? .max) < limit + 2 * page)

            // A client that reads again is answered again.
            try await client.send(
                FrameClient.Frame(.settings, [0, 4] + FrameClient.number(1 << 20)))
            try await client.send(FrameClient.Frame(.window, FrameClient.number(1 << 20)))
            try await server.eventually { server.metric("sluice_http_unsent_bytes") == 0 }
            try await client.send(
                FrameClient.request("/health", stream: 2 * (taken + 20) + 1))
            let isAnswered = try await eventually {
                client.frames(.headers, stream: 2 * (taken + 20) + 1).map(\.status) == [200]
            }
            #expect(isAnswered)
        }
    }

    @Test func `the unsent bytes of all connections have a limit, but not for batches`()
        async throws
    {
        try await Self.with { configuration in
            configuration.unsentBytesMax = 60_000
        } _: { server in
            var clients: [FrameClient] = []
            let page = server.registry.render().utf8.count
            @Sendable func refused() -> Int {
                server.metric(#"sluice_http_requests_total{route="/metrics",status="503"}"#) ?? 0
            }
            while refused() == 0 {
                let client = try await FrameClient(port: server.port, windowBytes: 0)
                try await client.send(FrameClient.request("/metrics", stream: 1))
                clients.append(client)
                let count = clients.count
                try await server.eventually {
                    refused() == 1
                        || (server.metric("sluice_http_unsent_bytes") ?? 0) >= count * page
                }
                try #require(count < 100)
            }
            let next = try await FrameClient(port: server.port)
            try await next.send(FrameClient.request("/metrics", stream: 1))
            try await server.eventually { refused() == 2 }
            try await next.send(
                FrameClient.request("/health", stream: 3),
                FrameClient.request(
                    "/ingest", stream: 5, method: "POST", endsStream: false,
                    [("x-api-key", FakeKeys.good)]),
                FrameClient.Frame(.data, flags: 1, stream: 5, Array(Samples.body.utf8)))
            for stream in [3, 5] {
                let isAnswered = try await eventually {
                    next.frames(.headers, stream: stream).map(\.status) == [200]
                }
                #expect(isAnswered)
            }
            for client in clients { client.close() }
            try await server.eventually { server.metric("sluice_http_unsent_bytes") == 0 }
        }
    }

    @Test func `pipelined answers that the client does not read are made one at a time`()
        async throws
    {
        try await RunningServer.with { server in
            let page = server.registry.render().utf8.count
            let client = try server.client(receiveBytes: 4096)
            let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
            // More than the kernel's buffers hold.
            let count = 64 * (1 << 20) / page
            let sending = Task.detached {
                for _ in 0..<(count / 100) {
                    guard (try? client.send(String(repeating: request, count: 100))) != nil else {
                        return
                    }
                }
            }
            // Waits until the server answers no more of them.
            let route = #"sluice_http_requests_total{route="/metrics",status="200"}"#
            var answered = 0
            let hasStopped = try await eventually {
                let before = answered
                answered = server.metric(route) ?? 0
                try await Task.sleep(for: .milliseconds(300))
                return answered > 0 && answered == before
            }
            #expect(hasStopped && answered < count)
            #expect((server.metric("sluice_http_unsent_bytes") ?? .max) <= (1 << 16) + 2 * page)
            client.reset()
            _ = await sending.value
            try await server.eventually { server.metric("sluice_http_unsent_bytes") == 0 }
        }
    }
}
