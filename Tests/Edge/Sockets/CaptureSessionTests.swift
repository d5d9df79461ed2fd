import Access
import Ingestion
import Testing

@testable import Edge

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
                    case .recorded("foreign"), .refused, .unavailable: "failed \(text.dropFirst(2))"
                    default: "ack \(text.dropFirst(2))"
                    }
                }
            },
            admit: { credentials, user in
                credentials.token == user ? .admitted(user: user) : .forbidden
            })
    }

    private func rig(
        _ behaviour: FakeSink.Behaviour = .hold, _ news: FakeNews = FakeNews()
    ) throws -> SocketRig {
        try SocketRig(behaviour, application: Self.application(news)) { $0.inFlightMax = 3 }
    }

    private func texts(_ rig: SocketRig) throws -> [String] { try rig.frames().map(\.text) }

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
        (CommitOutcome.recorded(result: "stored"), "ack 1"), (.spooled, "ack 1"),
        (.recorded(result: "foreign"), "failed 1"),
        (.unavailable(retryAfter: .seconds(1)), "failed 1"),
        (.refused(sqlState: "22023"), "failed 1"),
    ])
    func `every outcome has its answer`(_ outcome: CommitOutcome, _ answer: String) throws {
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

    @Test func `the user's pending news come first, and count as delivered once written`() throws {
        let news = FakeNews(ids: [1, 2, 3])
        let rig = try rig(.hold, news)
        #expect(try texts(rig) == ["result 1", "result 2", "result 3"])
        #expect(news.delivered == [1, 2, 3])
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
            (["ws", "ios", "po-lin"], "po-lin"), (["ws", "ios"], nil), (["ws", "ios", ""], nil),
            (["ws", "ios", String(repeating: "x", count: 129)], nil),
            (["ws", "android", "x"], nil), (["ws", "ios", "x", "y"], nil),
            (["ws", "ios", "a\0"], nil),
            ([], nil),
        ] as [([String], String?)])
    func `its path names the user`(_ path: [String], _ user: String?) {
        #expect(Self.application().match(path: path)?.user == user)
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
}
