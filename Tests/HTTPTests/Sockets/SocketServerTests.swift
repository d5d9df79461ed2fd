import Auth
import Ingest
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct SocketServerTests {
    private static let applications: [any SocketApplication] = [TestSockets()]

    @Test func `a socket is opened, used and closed`() async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                let client = try SocketClient.open(server)
                try client.send("hello")
                #expect(try client.receive() == .text("echo hello"))
                try client.send("unit:a")
                #expect(try client.receive() == .text("settled 1"))
                try client.send(.ping("ab"))
                #expect(try client.receive() == ServerFrame(opcode: 10, payload: [97, 98]))
                #expect(server.metric("sluice_sockets") == 1)
                #expect(server.metric("sluice_http_connections") == 0)
                try client.send(.close(1000))
                #expect(try client.receiveAll().map(\.closeCode) == [1000])
            }
            try await server.eventually { server.metric("sluice_sockets") == 0 }
            #expect(server.metric(#"sluice_socket_closes_total{code="1000"}"#) == 1)
        }
    }

    @Test func `frames may arrive with the handshake`() async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                for count in [1, 200] {
                    let tcp = try server.client()
                    let frames = (0..<count).flatMap { SentFrame.text("early \($0)").bytes }
                    try tcp.send(Array(SocketClient.handshake("/test/anna").utf8) + frames)
                    #expect(try SocketClient.receiveHead(tcp).hasPrefix("HTTP/1.1 101 "))
                    for number in 0..<count {
                        #expect(try ServerFrame.receive(from: tcp) == .text("echo early \(number)"))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        // A socket's path without an upgrade, or with a wrong handshake.
        (Samples.head(length: nil, method: "GET", path: "/test/anna"), 426),
        (SocketClient.handshake("/test/anna", version: "8"), 426),
        (SocketClient.handshake("/test/anna", key: "short"), 400),
        (SocketClient.handshake("/test/anna", method: "PUT"), 400),
        (SocketClient.handshake("/test/anna", fields: ["Content-Length: 2"]) + "{}", 400),
        // Callers without permission.
        (SocketClient.handshake("/locked/anna"), 401),
        (SocketClient.handshake("/locked/anna?token=bad"), 403),
        (SocketClient.handshake("/locked/anna", fields: ["Authorization: Bearer bad"]), 403),
        // Paths without sockets, which the router answers.
        (SocketClient.handshake("/nowhere"), 404),
        (SocketClient.handshake("/"), 200),
    ])
    func `a refused handshake is answered with the reason`(_ request: String, _ status: Int)
        async throws
    {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                let client = try server.client()
                try client.send(request)
                let answer = try client.receiveAnswer()
                #expect(answer.status == status, "\(answer)")
                if status == 426 {
                    #expect(answer.headers["upgrade"] == "websocket")
                    #expect(answer.headers["sec-websocket-version"] == "13")
                }
                if status == 401 {
                    #expect(answer.headers["www-authenticate"] == "Bearer, X-API-Key")
                }
            }
            #expect(server.metric("sluice_sockets") == 0)
        }
    }

    @Test(arguments: [
        SocketClient.handshake("/locked/anna?x=1&token=good%2Dtoken"),
        SocketClient.handshake("/locked/anna", fields: ["Authorization: bearer good-token"]),
        SocketClient.handshake("/locked/anna", fields: ["X-API-Key: good-token"]),
    ]) func `a caller with a good token is admitted`(_ request: String) async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                let tcp = try server.client()
                try tcp.send(request)
                #expect(try SocketClient.receiveHead(tcp).hasPrefix("HTTP/1.1 101 "))
            }
        }
    }

    @Test func `only a connection's first request can be an upgrade`() async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                for first in ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", Samples.post()] {
                    let client = try server.client()
                    try client.send(first)
                    #expect(try client.receiveAnswer().status == 200)
                    try client.send(SocketClient.handshake("/test/anna"))
                    let answer = try client.receiveAnswer()
                    #expect(answer.status == 426)
                    #expect(answer.headers["connection"] == "close")
                    try client.expectEnd()
                }
            }
        }
    }

    @Test func `one socket too many is told to retry`() async throws {
        try await RunningServer.with(applications: Self.applications) { configuration in
            configuration.sockets.socketsMax = 1
        } _: { server in
            try await onThread {
                let first = try SocketClient.open(server)
                let second = try server.client()
                try second.send(SocketClient.handshake("/test/anna"))
                let answer = try second.receiveAnswer()
                #expect(answer.status == 503)
                #expect(answer.headers["retry-after"] != nil)
                try first.send("still there")
                #expect(try first.receive() == .text("echo still there"))
            }
            #expect(server.metric("sluice_sockets_refused_total") == 1)
        }
    }

    @Test func `neither a user nor an address can hold all sockets`() async throws {
        try await RunningServer.with(applications: Self.applications) { configuration in
            configuration.sockets.socketsMax = 10
            configuration.sockets.socketsPerUserMax = 2
        } _: { server in
            try await onThread {
                func refusal(_ path: String) throws -> Int {
                    let client = try server.client()
                    try client.send(SocketClient.handshake(path))
                    let answer = try client.receiveAnswer()
                    #expect(answer.headers["retry-after"] != nil)
                    return answer.status
                }
                var open = try ["anna", "anna", "a", "b", "c", "d", "e", "f"].map {
                    try SocketClient.open(server, "/test/\($0)")
                }
                #expect(try refusal("/test/anna") == 429)
                // A caller may give any name, but the address is the same.
                #expect(try refusal("/test/g") == 429)
                // With a token the user is certain.
                open.append(try SocketClient.open(server, "/test/g?token=x"))
                #expect(try refusal("/test/anna?token=x") == 429)
                try open[0].send(.close(1000))
                #expect(try open[0].receiveAll().map(\.closeCode) == [1000])
                let isFree = eventuallyBlocking { server.metric("sluice_sockets") == 8 }
                #expect(isFree)
                open.append(try SocketClient.open(server, "/test/anna?token=x"))
            }
        }
    }

    @Test func `a client that breaks the rules reads why before the end`() async throws {
        let long = SentFrame.text(String(repeating: "a", count: 300_000))
        var plain = SentFrame.text("plain")
        plain.mask = nil
        let cases: [(SentFrame, Int)] = [
            (long, 1009), (plain, 1002), (SentFrame(opcode: 2, payload: [1]), 1003),
            (SentFrame(opcode: 1, payload: [0xC0, 0xAF]), 1007),
            (SentFrame(opcode: 1, payload: [1], reserved: 4), 1002),
            (SentFrame(opcode: 9, payload: [UInt8](repeating: 0, count: 126)), 1002),
        ]
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                for (frame, code) in cases {
                    let client = try SocketClient.open(server)
                    try client.send(frame)
                    #expect(try client.receiveAll().map(\.closeCode) == [code])
                }
            }
        }
    }

    @Test func `a stop closes all sockets after their pending answers`() async throws {
        try await RunningServer.with(.hold, applications: Self.applications) { server in
            let idle = try await onThread { try SocketClient.open(server) }
            let busy = try await onThread { try SocketClient.open(server) }
            try await onThread { try busy.send("unit:a") }
            try await server.eventually { server.sink.heldUnits.count == 1 }
            await server.stop()
            try await onThread {
                #expect(try idle.receive().closeCode == 1001)
                try idle.send(.close(1001))
                #expect(try idle.receiveAll().isEmpty)
            }
            server.sink.finishHeldUnits(.committed("stored"))
            try await onThread {
                #expect(try busy.receive() == .text("settled 1"))
                #expect(try busy.receive().closeCode == 1001)
                try busy.send(.close(1001))
                #expect(try busy.receiveAll().isEmpty)
            }
        }
    }

    @Test func `a stop does not wait for a client that does not answer`() async throws {
        try await RunningServer.with(applications: Self.applications) { configuration in
            configuration.sockets.closeTimeout = .milliseconds(300)
        } _: { server in
            let client = try await onThread { try SocketClient.open(server) }
            await server.stop()
            let frames = try await onThread { try client.receiveAll() }
            #expect(frames.map(\.closeCode) == [1001])
        }
    }

    @Test func `a client that does not read is cut off, within bounds`() async throws {
        try await RunningServer.with(applications: Self.applications) { configuration in
            configuration.sockets.outboundBytesMax = 100_000
            configuration.sockets.closeTimeout = .milliseconds(500)
        } _: { server in
            let client = try await onThread { try SocketClient.open(server, receiveBytes: 4096) }
            for _ in 0..<2000 where server.metric("sluice_sockets") == 1 {
                server.server.notify(
                    topic: "test", user: "anna", text: String(repeating: "z", count: 10_000))
                try await Task.sleep(for: .milliseconds(1))
            }
            try await server.eventually { server.metric("sluice_sockets") == 0 }
            #expect(server.metric(#"sluice_socket_closes_total{code="1013"}"#) == 1)
            client.tcp.close()
        }
    }

    @Test func `a notice reaches every socket of its user`() async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                let anna = try (0..<8).map { _ in try SocketClient.open(server, "/test/anna") }
                let bert = try SocketClient.open(server, "/test/bert")
                server.server.notify(topic: "test", user: "anna", text: "n")
                for client in anna { #expect(try client.receive() == .text("notice n")) }
                try bert.send("quiet")
                #expect(try bert.receive() == .text("echo quiet"))
            }
        }
    }

    @Test func `thousands of sockets are open at once`() async throws {
        try await RunningServer.with(applications: Self.applications) { server in
            try await onThread {
                let clients = try (0..<2000).map { number in
                    try SocketClient.open(server, "/test/user-\(number)")
                }
                for (number, client) in clients.enumerated() { try client.send("unit:\(number)") }
                for client in clients { #expect(try client.receive() == .text("settled 1")) }
                #expect(server.metric("sluice_sockets") == 2000)
                for client in clients { client.tcp.close() }
            }
            try await server.eventually { server.metric("sluice_sockets") == 0 }
        }
    }
}
