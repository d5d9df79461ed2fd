import Auth
import Foundation
import Ingest
import Meals
import Synchronization
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import NewsSockets
@testable import MealRoutes

@Suite(.timeLimit(.minutes(10))) struct MealSessionTests {
    private static let path = "/ws/meal-logs?token=anna"
    private static let desk = "/api/v1/consultations/7/ws?token=anna"

    /// The user is the name in the token.
    private static func sockets(
        _ results: FakeNews, acknowledgeWithin: Duration = .seconds(30)
    ) -> MealSockets {
        MealSockets(
            news: results, acknowledgeWithin: acknowledgeWithin,
            clock: { ConnectionRig.now }
        ) { credentials, _ in
            credentials.token.map { .admitted(user: $0) } ?? .unauthorized
        }
    }

    private static func with(
        _ results: FakeNews = FakeNews(), _ behaviour: FakeSink.Behaviour = .hold,
        acknowledgeWithin: Duration = .seconds(30),
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(
            behaviour,
            applications: [sockets(results, acknowledgeWithin: acknowledgeWithin)], body)
    }

    private static func kind(_ frame: ServerFrame) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(frame.payload))
        return (object as? NSDictionary)?["type"] as? String
    }

    private static func code(_ frame: ServerFrame) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(frame.payload)) as? NSDictionary
        #expect(object?["type"] as? String == "error")
        let code = object?["code"] as? String
        #expect((object?["data"] as? NSDictionary)?["code"] as? String == code)
        return code
    }

    /// A socket that has received its `connected` frame.
    private static func open(
        _ server: RunningServer, _ path: String = path
    ) async throws -> SocketClient {
        try await onThread {
            let client = try SocketClient.open(server, path)
            #expect(kind(try client.receive()) == "connected")
            return client
        }
    }

    private static func receive(_ client: SocketClient, count: Int) async throws -> [String] {
        try await onThread { try (0..<count).map { _ in try client.receive().text } }
    }

    /// Checks that no frame was sent before: the next frame is the answer to a ping.
    private static func expectNoMore(
        _ client: SocketClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let next = try await onThread {
            try client.send(#"{"type":"ping"}"#)
            return try client.receive()
        }
        #expect(kind(next) == "pong", sourceLocation: sourceLocation)
    }

    @Test func `pending results come first, page by page, in order and once`() async throws {
        let results = FakeNews(ids: [1, 2, 3, 4, 5])
        try await Self.with(results) { server in
            let client = try await Self.open(server)
            #expect(
                try await Self.receive(client, count: 5) == (1...5).map { "result \($0)" })
            try await Self.expectNoMore(client)
            try await server.eventually { results.delivered.contains(1) }
            // The second ping is sent when the first is answered.
            try await Self.expectNoMore(client)
            try await server.eventually { results.delivered == [1, 2, 3, 4, 5] }
        }
    }

    @Test func `a page that is full and the last one ends the reading`() async throws {
        let results = FakeNews(ids: [1, 2])
        try await Self.with(results) { server in
            let client = try await Self.open(server)
            #expect(try await Self.receive(client, count: 2) == ["result 1", "result 2"])
            try await server.eventually { results.reads == 2 }
            server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(3))
            #expect(try await Self.receive(client, count: 1) == ["result 3"])
            #expect(results.reads == 2)
        }
    }

    @Test func `notices during the catch-up wait, and none is sent twice`() async throws {
        let results = FakeNews(ids: [1, 2, 3])
        results.set(isHeld: true)
        try await Self.with(results) { server in
            let client = try await Self.open(server)
            for id: Int64 in [3, 9, 9, 2] {
                server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(id))
            }
            try await Self.expectNoMore(client)
            results.set(isHeld: false)
            #expect(
                try await Self.receive(client, count: 4)
                    == ["result 1", "result 2", "result 3", "result 9"])
            for id: Int64 in [1, 2, 3, 9] {
                server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(id))
            }
            try await Self.expectNoMore(client)
            try await server.eventually { results.delivered.contains(1) }
            try await Self.expectNoMore(client)
            try await server.eventually { results.delivered.sorted() == [1, 2, 3, 9] }
        }
    }

    @Test func `every socket of the user gets a result, and no other user's`() async throws {
        let results = FakeNews()
        try await Self.with(results) { server in
            let clients = try await [Self.open(server), Self.open(server, Self.desk)]
            let other = try await Self.open(server, "/ws/meal-logs?token=bob")
            server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(4))
            for client in clients {
                #expect(try await Self.receive(client, count: 1) == ["result 4"])
                try await Self.expectNoMore(client)
            }
            try await Self.expectNoMore(other)
            try await server.eventually { results.delivered == [4, 4] }
        }
    }

    @Test
    func `a consultation's news goes to its sockets only, when it is made or at the next connect`()
        async throws
    {
        // Pages without news for a socket among those with some.
        let results = FakeNews(ids: [1, 2, 3, 4, 5], subjects: ["8", "8", "7", "8", "7"])
        try await Self.with(results) { server in
            let (desk, phone) = try await (Self.open(server, Self.desk), Self.open(server))
            #expect(try await Self.receive(desk, count: 2) == ["result 3", "result 5"])
            for (id, consultation) in [(6 as Int64, "8"), (7, "7")] {
                server.server.notify(
                    topic: "meal", user: "anna",
                    text: FakeNews.notice(id, subject: consultation))
            }
            #expect(try await Self.receive(desk, count: 1) == ["result 7"])
            try await Self.expectNoMore(phone)
            try await Self.expectNoMore(desk)
            try await Self.expectNoMore(desk)
            try await server.eventually { results.delivered == [3, 5, 7] }
        }
    }

    @Test func `while the database is unreachable the socket is live, and catches up later`()
        async throws
    {
        let results = FakeNews(ids: [1, 2, 3])
        results.set(isAway: true)
        try await Self.with(results) { server in
            let client = try await Self.open(server)
            try await server.eventually { results.reads >= 1 }
            try await Task.sleep(for: .milliseconds(50))
            server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(2))
            #expect(try await Self.receive(client, count: 1) == ["result 2"])
            results.set(isAway: false)
            #expect(try await Self.receive(client, count: 2) == ["result 1", "result 3"])
            try await Self.expectNoMore(client)
        }
    }

    @Test func `too many notices during the catch-up close the socket`() async throws {
        let results = FakeNews()
        results.set(isHeld: true)
        try await Self.with(results) { server in
            let client = try await Self.open(server)
            for id: Int64 in 1...300 {
                server.server.notify(topic: "meal", user: "anna", text: FakeNews.notice(id))
            }
            let code = try await onThread { try client.receive().closeCode }
            #expect(code == 1013)
            results.set(isHeld: false)
        }
    }

    @Test func `a client without a valid token is told AUTH_ERROR, whatever it asks for`()
        async throws
    {
        let head = try await Self.answers(to: SocketClient.handshake("/ws/meal-logs"))
        #expect(head.status.hasPrefix("HTTP/1.1 101 "))
        #expect(head.frames.first?.text == MealFrame.unauthenticated(now: ConnectionRig.now))
        #expect(head.frames.map(\.closeCode) == [nil, 1008])
        let message = SentFrame.text(#"{"type":"message","content":"2 eggs"}"#).bytes
        for path in ["/api/v1/consultations/7/ws", "/api/v1/consultations/none/ws"] {
            let other = try await Self.answers(to: SocketClient.handshake(path), message)
            #expect(other.status == head.status)
            #expect(other.frames == head.frames)
        }
    }

    /// The answer to a handshake, up to the end of the connection. Frames that the client sends
    /// with it are not read.
    private static func answers(
        to handshake: String, _ frames: [UInt8] = []
    ) async throws -> (status: String, frames: [ServerFrame]) {
        let answer = Mutex(("", [ServerFrame]()))
        try await RunningServer.with(.hold, applications: [sockets(FakeNews())]) { server in
            try await onThread {
                let client = try SocketClient(tcp: server.client())
                try client.tcp.send(Array(handshake.utf8) + frames)
                let status = try SocketClient.receiveHead(client.tcp)
                let received = try client.receiveAll()
                answer.withLock { $0 = (status, received) }
            }
            #expect(server.sink.heldUnits.isEmpty && server.metric("sluice_sockets") == 0)
        }
        return answer.withLock { $0 }
    }

    @Test func `clients without a valid token are cut off in time, and hold no socket`()
        async throws
    {
        try await RunningServer.with(applications: [Self.sockets(FakeNews())]) { configuration in
            configuration.lingerTimeout = .milliseconds(500)
            configuration.sockets.socketsMax = 1
        } _: { server in
            let clients = try await onThread {
                try (0..<50).map { _ in try SocketClient.open(server, "/ws/meal-logs") }
            }
            let admitted = try await Self.open(server)
            #expect(server.metric("sluice_sockets") == 1)
            #expect(server.metric(#"sluice_socket_closes_total{code="1008"}"#) == 50)
            // They neither close nor answer the close frame.
            try await server.eventually { server.metric("sluice_http_connections") == 0 }
            try await Self.expectNoMore(admitted)
            for client in clients { client.tcp.close() }
        }
    }

    @Test func `a message is for consultations, and is logged through the lanes`() async throws {
        try await Self.with { server in
            let (desk, phone) = try await (Self.open(server, Self.desk), Self.open(server))
            let message = #"{"type":"message","content":"2 eggs"}"#
            try await onThread {
                try phone.send(message)
                #expect(Self.code(try phone.receive()) == "UNSUPPORTED_MESSAGE")
                try desk.send(message)
            }
            try await server.eventually { server.sink.heldUnits.count == 1 }
            #expect(server.sink.heldUnits[0].payload.contains("2 eggs"))
            server.sink.finishHeldUnits(.committed("stored"))
            // The result is the answer, so no other frame follows.
            try await Self.expectNoMore(desk)
            try await onThread { try desk.send(message) }
            try await server.eventually { server.sink.heldUnits.count == 1 }
            server.sink.finishHeldUnits(.unavailable(retryAfter: .seconds(3)))
            let next = try await onThread { try desk.receive() }
            #expect(Self.code(next) == "SERVICE_UNAVAILABLE")
        }
    }

    @Test(arguments: [
        Offer.full(retryAfter: .seconds(1)), .shareUsedUp(retryAfter: .seconds(1)),
        .unavailable(retryAfter: .seconds(1)),
    ]) func `a message that is not accepted is answered with an error`(_ offer: Offer) async throws
    {
        try await Self.with(FakeNews(), .answer(offer)) { server in
            let desk = try await Self.open(server, Self.desk)
            let answer = try await onThread {
                try desk.send(#"{"type":"message","content":"2 eggs"}"#)
                return try desk.receive()
            }
            #expect(Self.code(answer) == "SERVICE_UNAVAILABLE")
            try await Self.expectNoMore(desk)
        }
    }

    @Test func `a message without an outcome in time gets one error`() async throws {
        try await Self.with(FakeNews(), acknowledgeWithin: .milliseconds(100)) { server in
            let desk = try await Self.open(server, Self.desk)
            let answer = try await onThread {
                try desk.send(#"{"type":"message","content":"2 eggs"}"#)
                return try desk.receive()
            }
            #expect(Self.code(answer) == "SERVICE_UNAVAILABLE")
            server.sink.finishHeldUnits(.unavailable(retryAfter: .seconds(1)))
            try await Self.expectNoMore(desk)
        }
    }

    @Test(
        arguments: [
            ("/ws/meal-logs", SocketRoute(user: nil)),
            ("/api/v1/consultations/7/ws", SocketRoute(user: nil, subject: "7")),
            ("/api/v1/consultations/AB-C/ws", SocketRoute(user: nil, subject: "ab-c")),
            ("/api/v1/consultations//ws", nil), ("/api/v1/consultations/7", nil), ("/ws", nil),
            ("/", nil), ("/ws/meal-logs/x", nil), ("/ws/ios/x", nil),
            ("/api/v2/consultations/7/ws", nil),
        ] as [(String, SocketRoute?)])
    func `there are two paths`(_ target: String, _ route: SocketRoute?) {
        #expect(Self.sockets(FakeNews()).route(of: target) == route)
    }

    @Test func `meals: whoever is not admitted any more is told AUTH_ERROR before the close`()
        throws
    {
        let holds = Mutex(true)
        let pass = SocketPass(ending: "the token has expired") { holds.withLock { $0 } }
        let meals = MealSockets(news: FakeNews(), clock: { ConnectionRig.now }) { _, _ in
            .forbidden()
        }
        let rig = try SocketRig(application: meals, pass: pass)
        rig.advance(3)
        #expect(try rig.frames().count == 1)
        holds.withLock { $0 = false }
        rig.advance(3)
        let frames = try rig.frames()
        #expect(frames.first?.text == MealFrame.unauthenticated(now: ConnectionRig.now))
        #expect(frames.map(\.closeCode) == [nil, 1008])
    }
}
