import Auth
import Ingest
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import NewsSockets
@testable import CaptureRoutes

@Suite struct CaptureSessionTests {
    /// Frames `c:ID` are captures; any other frame is a fault whose message is the frame's text.
    private static func application(_ news: FakeNews = FakeNews()) -> CaptureSockets {
        CaptureSockets(
            acknowledgeWithin: .seconds(30), news: news,
            read: { frame, user in
                let text = String(decoding: frame, as: UTF8.self)
                guard text.hasPrefix("c:") else { return .refused(reply: "refused \(text)") }
                let unit = WorkUnit(kind: TestSockets.kind, owner: user, payload: text)
                return .unit(unit) { outcome in
                    switch outcome {
                    case .committed("foreign"), .refused, .unavailable:
                        "failed \(text.dropFirst(2))"
                    default: "ack \(text.dropFirst(2))"
                    }
                }
            },
            admit: { credentials, user in
                credentials.token == user ? .admitted(user: user) : .forbidden()
            })
    }

    private func rig(
        _ behaviour: FakeSink.Behaviour = .hold, _ news: FakeNews = FakeNews()
    ) throws -> SocketRig {
        try SocketRig(behaviour, application: Self.application(news)) { $0.inFlightMax = 3 }
    }

    private func texts(_ rig: SocketRig) throws -> [String] {
        try rig.frames().filter { $0.opcode == 1 }.map(\.text)
    }

    @Test func `a capture is acknowledged when it is committed`() throws {
        let rig = try rig()
        try rig.send("c:1")
        #expect(try texts(rig).isEmpty)
        rig.settle()
        #expect(try texts(rig) == ["ack 1"])
    }

    @Test func `answers keep the order of their frames`() throws {
        let rig = try rig()
        for frame in ["first", "c:1", "second", "c:2", "third"] { try rig.send(frame) }
        #expect(try texts(rig) == ["refused first"])
        rig.settle(count: 1)
        #expect(try texts(rig) == ["ack 1", "refused second"])
        rig.settle()
        #expect(try texts(rig) == ["ack 2", "refused third"])
    }

    @Test(arguments: [
        (UnitOutcome.committed("stored"), "ack 1"), (.spooled, "ack 1"),
        (.committed("foreign"), "failed 1"),
        (.unavailable(retryAfter: .seconds(1)), "failed 1"),
        (.refused(sqlState: "22023"), "failed 1"),
    ])
    func `every outcome has its answer`(_ outcome: UnitOutcome, _ answer: String) throws {
        let rig = try rig()
        try rig.send("c:1")
        rig.sink.finishHeldUnits(outcome)
        rig.connection.run()
        #expect(try texts(rig) == [answer])
        try rig.send("c:2")
        rig.settle()
        #expect(try texts(rig) == ["ack 2"])
    }

    @Test(arguments: [
        Offer.full(retryAfter: .seconds(1)), .shareUsedUp(retryAfter: .seconds(1)),
        .unavailable(retryAfter: .seconds(1)),
    ]) func `a capture that is not accepted gets an error, and the socket stays open`(
        _ offer: Offer
    ) throws {
        let rig = try rig(.answer(offer))
        try rig.send("c:1")
        #expect(try texts(rig) == ["failed 1"])
        rig.sink.set(.hold)
        try rig.send("c:2")
        rig.settle()
        #expect(try texts(rig) == ["ack 2"])
    }

    @Test func `a capture that takes too long is given up, and its late outcome ignored`() throws {
        let rig = try rig()
        try rig.send("c:1")
        rig.advance(29)
        #expect(try texts(rig).isEmpty)
        rig.advance(3)
        #expect(try texts(rig) == ["failed 1"])
        try rig.send("c:2")
        rig.settle()
        #expect(try texts(rig) == ["ack 2"])
    }

    @Test func `faults behind a hanging capture are answered without it in the end`() throws {
        let rig = try rig()
        try rig.send("c:1")
        for number in 0..<300 { try rig.send("f\(number)") }
        #expect(try texts(rig).count == 300 - 255)
        rig.settle()
        #expect(try texts(rig).count == 256)
    }

    @Test func `the user's pending news come first, and count as delivered once confirmed`() throws
    {
        let news = FakeNews(ids: [1, 2])
        let rig = try rig(.hold, news)
        let frames = try rig.frames()
        #expect(frames.dropLast() == [.text("result 1"), .text("result 2")])
        #expect(news.delivered.isEmpty)
        try rig.answer(frames.suffix(1))
        #expect(news.delivered == [1, 2])
        try rig.send("c:1")
        rig.settle()
        #expect(try texts(rig) == ["ack 1"])
    }

    @Test
    func `while the database is unreachable captures are acknowledged, and news arrive later`()
        throws
    {
        let news = FakeNews(ids: [1])
        news.set(isAway: true)
        let rig = try rig(.hold, news)
        try rig.send("c:1")
        rig.settle()
        #expect(try texts(rig) == ["ack 1"])
        news.set(isAway: false)
        rig.advance(6)
        #expect(try texts(rig) == ["result 1"])
    }

    @Test(
        arguments: [
            ("/ws/ios/po-lin", "po-lin"), ("/ws/ios/po%2Dlin?token=x", "po-lin"), ("/ws/ios", nil),
            ("/ws/ios/", nil), ("/ws/ios/" + String(repeating: "x", count: 129), nil),
            ("/ws/android/x", nil), ("/ws/ios/x/y", nil), ("/ws/ios/a%00", nil), ("/", nil),
        ] as [(String, String?)])
    func `its path names the user`(_ target: String, _ user: String?) {
        #expect(Self.application().route(of: target)?.user == user)
    }

    @Test(.timeLimit(.minutes(10))) func `a phone sends a capture and receives its result`()
        async throws
    {
        try await RunningServer.with(applications: [Self.application()]) { server in
            try await onThread {
                let client = try SocketClient.open(server, "/ws/ios/po-lin?token=po-lin")
                try client.send("c:ABC-123")
                #expect(try client.receive() == .text("ack ABC-123"))
                server.server.notify(topic: "memory", user: "po-lin", text: "7 -\nprocessed")
                #expect(try client.receive() == .text("processed"))
            }
        }
    }

    @Test
    func `an open server refuses other sites' pages, and everybody before it knows its keys`()
        async throws
    {
        let ring = KeyRing(configured: .none) { ConnectionRig.now }
        let policy = try await AccessPolicy(
            AccessConfiguration(), host: "127.0.0.1", keys: ring, now: { ConnectionRig.now })
        let captures = CaptureSockets(policy: policy, news: FakeNews()) { ConnectionRig.now }
        try await RunningServer.with(applications: [captures]) { server in
            try await onThread {
                func answer(_ fields: [String]) throws -> ParsedAnswer {
                    let client = try server.client()
                    try client.send(SocketClient.handshake("/ws/ios/anna", fields: fields))
                    return try client.receiveAnswer()
                }
                let early = try answer([])
                #expect(early.status == 503 && early.headers["retry-after"] != nil)
                ring.replaceIssued(with: [])
                #expect(try answer(["Origin: http://evil.example"]).status == 403)
                #expect(try answer(["Origin: null"]).status == 403)
                for fields in [[], ["Origin: http://localhost"]] {
                    let client = try server.client()
                    try client.send(SocketClient.handshake("/ws/ios/anna", fields: fields))
                    #expect(try SocketClient.receiveHead(client).hasPrefix("HTTP/1.1 101 "))
                }
            }
        }
    }
}
