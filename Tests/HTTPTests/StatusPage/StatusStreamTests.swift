import Auth
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct StatusStreamTests {
    /// One chunk (RFC 9112, section 7.1) with one event.
    private static func chunk(_ number: Int, _ report: String) -> String {
        let event = "id: \(number)\nevent: report\ndata: \(report)\n\n"
        return "\r\n\(String(event.utf8.count, radix: 16))\r\n\(event)"
    }

    @Test func `each report is sent as an event when it is made`() async throws {
        try await RoutesServer.with { server in
            let one = try await server.watch()
            let cookie = try await server.session()
            let other = try await server.watch([cookie])
            try await server.feed.waitForWatchers(2)
            for number in 1...3 {
                let report = "{\"number\":\(number)}"
                server.feed.publish(report)
                let expected = Self.chunk(number, report)
                for client in [one, other] {
                    let text = try await onThread {
                        try client.receive(count: expected.utf8.count)
                    }
                    #expect(String(decoding: text, as: UTF8.self) == expected)
                }
            }
            one.close()
            try await server.feed.waitForWatchers(1)
            other.reset()
            try await server.feed.waitForWatchers(0)
        }
    }

    @Test func `the history comes before the first report`() async throws {
        try await RoutesServer.with { server in
            server.feed.remember("{\"ages\":[5]}")
            let client = try await server.watch()
            let history = try await onThread { try client.receive(through: "{\"ages\":[5]}\n\n") }
            #expect(history.contains("event: history\ndata: {"))
            try await server.feed.waitForWatchers(1)
            server.feed.publish("{}")
            let report = try await onThread { try client.receive(through: "data: {}\n\n") }
            #expect(report.contains("event: report"))
            client.close()
        }
    }

    @Test func `a stream has the headers of one`() async throws {
        try await RoutesServer.with { server in
            let answer = try await server.ask("HEAD", "/status/events")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/event-stream")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["x-accel-buffering"] == "no")
            #expect(server.feed.watcherCount == 0)
        }
    }

    @Test func `one watcher too many is told to retry, and admitted when one has left`()
        async throws
    {
        try await RoutesServer.with { server in
            // A HEAD request takes no slot.
            for _ in 0..<StatusRoutes.watchersMax {
                #expect(try await server.ask("HEAD", "/status/events").status == 200)
            }
            var clients: [TCPClient] = []
            for _ in 0..<StatusRoutes.watchersMax { clients.append(try await server.watch()) }
            let refused = try await server.ask("GET", "/status/events")
            #expect(refused.status == 503)
            #expect(refused.headers["retry-after"] != nil)
            #expect(refused.detail == "too many watch the status, come again later")
            // The page is still served.
            #expect(try await server.ask("GET", "/status").status == 200)
            clients.removeLast().close()
            try await server.feed.waitForWatchers(StatusRoutes.watchersMax - 1)
            // Its place is free a little later.
            var next: TCPClient?
            let isAdmitted = try await eventually {
                next = try? await server.watch()
                return next != nil
            }
            #expect(isAdmitted)
            let client = try #require(next)
            try await server.feed.waitForWatchers(StatusRoutes.watchersMax)
            client.close()
            clients.forEach { $0.close() }
            try await server.feed.waitForWatchers(0)
        }
    }

    @Test func `a client that does not read is cut off and delays nobody`() async throws {
        try await RoutesServer.with(configure: { $0.sendTimeout = .seconds(3) }) { server in
            let idle = try await server.watch(receiveBytes: 4096)
            let reader = try await server.watch()
            try await server.feed.waitForWatchers(2)
            let large = "\"" + String(repeating: "x", count: 1_000_000) + "\""
            var number = 0
            while server.feed.watcherCount == 2 {
                number += 1
                try #require(number < 10_000)
                server.feed.publish(large)
                let expected = Self.chunk(number, large)
                let text = try await onThread { try reader.receive(count: expected.utf8.count) }
                #expect(text.count == expected.utf8.count)
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(server.feed.watcherCount == 1)
            idle.close()
            reader.close()
            try await server.feed.waitForWatchers(0)
        }
    }

    @Test func `a stream ends with the key that it was admitted with`() async throws {
        try await RoutesServer.with { server in
            server.issue("issued", [.status])
            let cookie = try await server.session("issued")
            let clients = [
                try await server.watch(["X-API-Key: issued"]), try await server.watch([cookie]),
            ]
            let kept = try await server.watch()
            try await server.feed.waitForWatchers(3)
            server.issue("another", [.status])
            server.feed.publish("{}")
            for client in clients {
                let rest = try await onThread { try client.receive(through: "0\r\n\r\n") }
                #expect(!rest.contains("event: report"))
            }
            let expected = Self.chunk(1, "{}")
            let text = try await onThread { try kept.receive(count: expected.utf8.count) }
            #expect(String(decoding: text, as: UTF8.self) == expected)
            try await server.feed.waitForWatchers(1)
        }
    }

    @Test func `streams end with the server, and clients that don't read don't delay it`()
        async throws
    {
        // A stop that waited for them would exceed this test's time limit.
        try await Stopping.run { server in
            let reader = try await server.watch()
            let idle = try await server.watch(receiveBytes: 4096)
            try await server.feed.waitForWatchers(2)
            let large = "\"" + String(repeating: "x", count: 8_000_000) + "\""
            server.feed.publish(large)
            let expected = Self.chunk(1, large)
            _ = try await onThread { try reader.receive(count: expected.utf8.count) }
            return (reader, idle)
        } after: { reader, idle in
            let rest = try await onThread { try reader.receive(through: "0\r\n\r\n") }
            #expect(rest == "\r\n0\r\n\r\n")
            try await onThread { try reader.expectEnd() }
            idle.close()
        }
    }

    /// A server that stops while it has clients.
    private enum Stopping {
        static func run(
            _ before: @escaping @Sendable (RoutesServer) async throws -> (TCPClient, TCPClient),
            after: @escaping @Sendable (TCPClient, TCPClient) async throws -> Void
        ) async throws {
            let (clients, client) = AsyncStream.makeStream(of: (TCPClient, TCPClient).self)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { client.finish() }
                    try await RoutesServer.with(configure: {
                        $0.shutdownWithin = .seconds(3600)
                        $0.sendTimeout = .seconds(3600)
                    }) { server in
                        client.yield(try await before(server))
                    }
                }
                tasks.addTask {
                    for await (one, other) in clients { try await after(one, other) }
                }
                try await tasks.waitForAll()
            }
        }
    }
}
