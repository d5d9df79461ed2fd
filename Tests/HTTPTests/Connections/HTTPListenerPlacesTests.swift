import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// What clients see of a server that has no place left.
@Suite(.timeLimit(.minutes(10)), .serialized) struct HTTPListenerPlacesTests {
    private static func get(_ path: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    /// Asks on a connection of its own.
    private static func ask(
        _ request: String, of server: RunningServer, from address: String
    ) async throws -> ParsedAnswer {
        try await onThread {
            let client = try TCPClient(port: server.port, patience: 2, from: address)
            try client.send(request)
            return try client.receiveAnswer()
        }
    }

    @Test func `idle connections of one address keep nobody out`() async throws {
        try await RunningServer.with(.hold) { configuration in
            configuration.connectionsMax = 200
        } _: { server in
            // In flight for the whole test, and older than all others.
            let busy = try TCPClient(port: server.port, from: "127.0.0.1")
            try busy.send(Samples.post())
            try await server.eventually { server.sink.heldCount == 1 }
            let idle = try await onThread {
                try (0..<200).map { number in
                    let client = try TCPClient(port: server.port, from: "127.0.0.1")
                    // Some have asked before, on either path; some never say a word.
                    if number % 3 == 0 {
                        try client.send(Self.get("/"))
                        #expect(try client.receiveAnswer().status == 200)
                    }
                    return client
                }
            }
            try await server.eventually {
                (150...160).contains(server.metric("sluice_http_connections") ?? 0)
            }
            let others = try await onThread {
                try (2..<60).map { number in
                    let client = try TCPClient(
                        port: server.port, patience: 1, from: "127.0.0.\(number)")
                    try client.send(Self.get("/docs"))
                    #expect(try client.receiveAnswer().status == 200)
                    return client
                }
            }
            for path in ["/", "/health", "/metrics"] {
                let answer = try await Self.ask(Self.get(path), of: server, from: "127.0.0.1")
                #expect(answer.status == 200)
            }
            #expect((server.metric("sluice_http_connections_evicted_total") ?? 0) >= 30)
            #expect(server.metric("sluice_http_connections_refused_total") == 0)
            server.sink.commitHeld()
            #expect(try await onThread { try busy.receiveAnswer().status } == 200)
            withExtendedLifetime((idle, others)) {}
        }
    }

    @Test func `while all connections have a request, probes are answered and others get a 503`()
        async throws
    {
        try await RunningServer.with(.hold) { configuration in
            configuration.connectionsMax = 5
            configuration.surplusMax = 32
        } _: { server in
            let busy = try (1...5).map {
                try TCPClient(port: server.port, from: "127.0.0.\($0)")
            }
            for client in busy { try client.send(Samples.post()) }
            try await server.eventually { server.sink.heldCount == 5 }
            for request in [Samples.post(), Self.get("/docs")] {
                let refused = try await onThread {
                    let client = try TCPClient(port: server.port, patience: 5, from: "127.0.0.6")
                    try client.send(request)
                    // The connection ends with the answer.
                    return try client.receiveAll()
                }
                #expect(refused.map(\.status) == [503])
                #expect(refused.first?.headers["retry-after"] != nil)
                #expect(refused.first?.headers["connection"] == "close")
            }
            #expect(server.metric("sluice_http_connections_refused_total") == 2)
            // Silent connections of one address take no room from its probes, nor from others'.
            let silent = try (0..<40).map { _ in
                try TCPClient(port: server.port, from: "127.0.0.7")
            }
            for path in ["/health", "/", "/metrics"] {
                let answer = try await Self.ask(Self.get(path), of: server, from: "127.0.0.8")
                #expect(answer.status == 200)
                #expect(answer.headers["connection"] == "close")
            }
            withExtendedLifetime(silent) {}
            server.sink.commitHeld()
            for client in busy {
                #expect(try await onThread { try client.receiveAnswer().status } == 200)
            }
            // Now they rest, and the next one gets the place of the first.
            let isAnswered = try await eventually {
                try await Self.ask(Self.get("/docs"), of: server, from: "127.0.0.9").status == 200
            }
            #expect(isAnswered)
        }
    }

    @Test func `a head that never ends and an answer that is not taken up give way`()
        async throws
    {
        try await RunningServer.with { configuration in
            configuration.connectionsMax = 5
        } _: { server in
            let half = try (1...3).map { number in
                let client = try TCPClient(port: server.port, from: "127.0.0.\(number)")
                try client.send(number == 3 ? "GET /docs HTTP/1.1\r\n" : "POST /ingest HT")
                return client
            }
            let refused = try (4...5).map { number in
                let client = try TCPClient(port: server.port, from: "127.0.0.\(number)")
                // Answered with a 401 while the body is still to come.
                try client.send(
                    "POST /ingest HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                #expect(try client.receiveAnswer().status == 401)
                return client
            }
            let isAnswered = try await eventually {
                try await Self.ask(Self.get("/docs"), of: server, from: "127.0.0.6").status == 200
            }
            #expect(isAnswered)
            withExtendedLifetime((half, refused)) {}
        }
    }

    /// Of one address, as many as come within a second or two.
    @Test(arguments: ["", "POST /ingest HTTP/1.1\r\nHost: a\r\n"])
    func `a burst of connections cuts off nobody who works`(_ head: String) async throws {
        try await RunningServer.with { configuration in
            configuration.connectionsMax = 100
            configuration.surplusMax = 20
        } _: { server in
            let isOver = Atomic(false)
            let worker = Task {
                try await onThread {
                    let client = try TCPClient(port: server.port, patience: 20, from: "127.0.0.1")
                    var count = 0
                    while !isOver.load(ordering: .relaxed) || count < 2 {
                        try client.send(Self.get("/docs"))
                        #expect(try client.receiveAnswer().status == 200)
                        count += 1
                        usleep(20_000)
                    }
                    return count
                }
            }
            try await server.eventually {
                (server.metric("sluice_http_connections") ?? 0) >= 1
            }
            let burst = try await onThread {
                try (0..<1500).map { _ in
                    let client = try TCPClient(port: server.port, from: "127.0.0.1")
                    // The server may have closed it already.
                    try? client.send(head)
                    return client
                }
            }
            let answer = try await Self.ask(Self.get("/health"), of: server, from: "127.0.0.2")
            #expect(answer.status == 200)
            isOver.store(true, ordering: .relaxed)
            #expect(try await worker.value >= 2)
            withExtendedLifetime(burst) {}
        }
    }
}
