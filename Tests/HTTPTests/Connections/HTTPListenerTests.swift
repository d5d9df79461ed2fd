import Ingest
import Instruments
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// The whole server, with real sockets.
@Suite(.timeLimit(.minutes(10))) struct HTTPListenerTests {
    @Test func `the seed's sample is accepted`() async throws {
        try await RunningServer.with { server in
            let answer = try await onThread {
                let client = try server.client()
                try client.send(Samples.post(fields: ["Content-Type: application/json"]))
                return try client.receiveAnswer()
            }
            #expect(answer.status == 200)
            #expect(answer.number("stored") == 3)
            try await server.expectNothingHeld()
        }
    }

    @Test func `routes and batches on one connection are answered in order`() async throws {
        try await RunningServer.with { server in
            let get = { @Sendable (path: String) in "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }
            let one = Samples.post(Samples.body(readings: 1))
            let statuses = try await onThread {
                let client = try server.client()
                for _ in 0..<20 {
                    try client.send(
                        get("/health") + one + get("/nowhere") + one + get("/metrics")
                            + Samples.post("x") + get("/"))
                }
                return try (0..<140).map { _ in try client.receiveAnswer().status }
            }
            let expected = [200, 200, 404, 200, 200, 400, 200]
            #expect(statuses == Array(repeating: expected, count: 20).flatMap { $0 })
            try await server.expectNothingHeld()
        }
    }

    @Test func `the first request is answered first, although the second arrived long ago`()
        async throws
    {
        try await RunningServer.with(.hold) { server in
            let client = try server.client()
            try client.send(
                Samples.post(Samples.body(readings: 1)) + Samples.post(Samples.body(readings: 2)))
            for expected in 1...2 {
                try await server.eventually { server.sink.heldCount == 1 }
                server.sink.commitHeld()
                let answer = try await onThread { try client.receiveAnswer() }
                #expect(answer.number("records") == expected)
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `one commit answers many connections`() async throws {
        try await RunningServer.with(.hold) { server in
            let clients = try (0..<64).map { _ in try server.client() }
            for (index, client) in clients.enumerated() {
                try client.send(Samples.post(Samples.body(readings: index)))
            }
            try await server.eventually { server.sink.heldCount == 64 }
            server.sink.commitHeld()
            let records = try await onThread {
                try clients.map { try $0.receiveAnswer().number("records") }
            }
            #expect(records == (0..<64).map { $0 })
            try await server.expectNothingHeld()
        }
    }

    @Test func `ten thousand tiny requests in a row`() async throws {
        try await RunningServer.with { server in
            let client = try server.client()
            let request = Array(Samples.post(Samples.body(readings: 1)).utf8)
            async let sent: Void = onThread {
                for _ in 0..<100 {
                    try client.send(Array(repeatElement(request, count: 100).joined()))
                }
            }
            let stored = try await onThread {
                try (0..<10_000).reduce(0) { sum, _ in
                    try sum + (client.receiveAnswer().number("stored") ?? 0)
                }
            }
            try await sent
            #expect(stored == 10_000)
            try await server.expectNothingHeld()
        }
    }

    @Test func `many clients with bodies in many pieces`() async throws {
        try await RunningServer.with { server in
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for seed in 0..<24 {
                    group.addTask { try await onThread { try Self.visit(server, seed: seed) } }
                }
                return try await group.reduce(0, +)
            }
            #expect(server.ledger.snapshot.stored == total)
            try await server.expectNothingHeld()
        }
    }

    /// Sends forty batches of various sizes, in pieces of various sizes: plain, chunked or
    /// compressed.
    private static func visit(_ server: RunningServer, seed: Int) throws -> Int {
        var random = Dice(seed: UInt64(seed))
        let client = try server.client()
        var stored = 0
        for _ in 0..<40 {
            let readings = Int(random.next() % 200)
            let body = Samples.body(readings: readings)
            let request: [UInt8]
            switch random.next() % 3 {
            case 0: request = Array(Samples.post(body).utf8)
            case 1: request = Array(Samples.chunkedPost(body, every: 1000).utf8)
            default:
                let compressed = Samples.compress(Array(body.utf8), .gzip)
                request = Samples.post(compressed: compressed, "gzip")
            }
            var rest = request[...]
            while !rest.isEmpty {
                let count = 1 + Int(random.next() % 3000)
                try client.send(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let answer = try client.receiveAnswer()
            #expect(answer.number("stored") == readings, "seed \(seed)")
            stored += readings
        }
        return stored
    }

    @Test func `a client that has closed its sending side is answered`() async throws {
        try await RunningServer.with { server in
            for request in [Samples.post(), "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
                let statuses = try await onThread {
                    let client = try server.client()
                    try client.send(request)
                    client.closeSending()
                    return try client.receiveAll().map(\.status)
                }
                #expect(statuses == [200])
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `clients that disconnect leave nothing behind`() async throws {
        try await RunningServer.with { server in
            try await onThread {
                let request = Array(Samples.post(Samples.body(readings: 300)).utf8)
                for step in 0..<60 {
                    let client = try server.client()
                    try client.send(Array(request.prefix(request.count * step / 59)))
                    if step % 2 == 0 { client.reset() } else { client.close() }
                }
            }
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
            try await server.expectNothingHeld()
        }
    }

    @Test func `clients that disconnect while they wait leave nothing behind`() async throws {
        try await RunningServer.with(.hold) { server in
            let clients = try (0..<20).map { _ in try server.client() }
            for client in clients { try client.send(Samples.post()) }
            try await server.eventually { server.sink.heldCount == 20 }
            for (index, client) in clients.enumerated() where index % 2 == 0 { client.reset() }
            try await server.eventually { server.metric("sluice_http_connections") == 10 }
            #expect(server.ledger.snapshot.pending == 60)
            server.sink.commitHeld()
            for (index, client) in clients.enumerated() where index % 2 == 1 {
                #expect(try await onThread { try client.receiveAnswer().status } == 200)
            }
            // Those who have left are counted by their own loop.
            try await server.eventually { server.ledger.snapshot.stored == 60 }
            try await server.expectNothingHeld()
        }
    }

    @Test func `an address in use is an error`() async throws {
        try await RunningServer.with { server in
            await #expect(throws: (any Error).self) {
                try await RunningServer.with(configure: { $0.port = server.port }) { _ in }
            }
        }
    }
}
