import Auth
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import NewsSockets
@testable import CaptureRoutes

/// When news counts as delivered.
@Suite struct NewsFeedTests {
    private static func rig(
        _ news: FakeNews, _ configure: (inout SocketConfiguration) -> Void = { _ in }
    ) throws -> SocketRig {
        let captures = CaptureSockets(
            news: news, read: { _, _ in .refused(reply: "refused") },
            admit: { _, user in .admitted(user: user) })
        return try SocketRig(application: captures, configure: configure)
    }

    private static func notify(_ rig: SocketRig, _ ids: some Sequence<Int64>) {
        for id in ids {
            rig.connection.loop.sockets.notice(
                topic: "memory", user: "anna", text: FakeNews.notice(id))
        }
    }

    private static func ping(_ number: UInt8) -> ServerFrame {
        ServerFrame(opcode: 9, payload: [0, 0, 0, 0, 0, 0, 0, number])
    }

    @Test func `news are delivered once a pong answers the ping behind them, one ping at a time`()
        throws
    {
        let news = FakeNews(ids: [1, 2, 3])
        let rig = try Self.rig(news)
        #expect(
            try rig.frames() == [
                .text("result 1"), .text("result 2"), Self.ping(1), .text("result 3"),
            ])
        Self.notify(rig, 4...5)
        #expect(try rig.frames() == [.text("result 4"), .text("result 5")])
        rig.advance(5)
        #expect(news.delivered.isEmpty)
        try rig.answer([Self.ping(1)])
        #expect(news.delivered == [1, 2])
        #expect(try rig.frames() == [Self.ping(2)])
        try rig.answer([Self.ping(2)])
        #expect(news.delivered == [1, 2, 3, 4, 5])
        // Without news there is nothing to confirm.
        try rig.send("x")
        #expect(try rig.frames() == [.text("refused")])
    }

    @Test(
        arguments: [
            [], [0], [1], Array("1".utf8), [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 2],
            [255, 255, 255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `a pong that answers no ping confirms nothing`(_ payload: [UInt8]) throws {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news)
        #expect(try rig.frames() == [.text("result 1"), Self.ping(1)])
        try rig.send(SentFrame(opcode: 10, payload: payload))
        #expect(news.delivered.isEmpty)
        #expect(try rig.frames().isEmpty)
        try rig.answer([Self.ping(1)])
        #expect(news.delivered == [1])
        // Neither does a pong that has been used.
        Self.notify(rig, [2])
        try rig.answer([Self.ping(1)])
        #expect(news.delivered == [1])
    }

    @Test func `a pong before its ping confirms nothing`() throws {
        let news = FakeNews()
        let rig = try Self.rig(news)
        try rig.answer([Self.ping(1)])
        Self.notify(rig, [1])
        #expect(try rig.frames() == [.text("result 1"), Self.ping(1)])
        #expect(news.delivered.isEmpty)
        try rig.answer([Self.ping(1)])
        #expect(news.delivered == [1])
    }

    @Test func `what a lost socket has not confirmed stays pending`() throws {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news)
        rig.channel.close(promise: nil)
        rig.connection.run()
        #expect(news.delivered.isEmpty)
        let next = try Self.rig(news)
        let frames = try next.frames()
        #expect(frames == [.text("result 1"), Self.ping(1)])
    }

    @Test func `a client that is silent gets a second ping, and is cut off with its news pending`()
        throws
    {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news) {
            $0.pingInterval = .seconds(45)
            $0.pongTimeout = .seconds(30)
        }
        rig.advance(40)
        #expect(try rig.frames() == [.text("result 1"), Self.ping(1)])
        Self.notify(rig, [2])
        rig.advance(10)
        #expect(try rig.frames() == [.text("result 2"), Self.ping(2)])
        rig.advance(20)
        #expect(rig.isOpen)
        rig.advance(20)
        #expect(!rig.isOpen)
        #expect(news.delivered.isEmpty)
    }

    @Test(arguments: [[1, 2], [2]] as [[UInt8]])
    func `a pong confirms what was sent before its ping`(_ answered: [UInt8]) throws {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news)
        Self.notify(rig, [2])
        rig.advance(50)
        Self.notify(rig, [3])
        let pings = try rig.frames().filter { $0.opcode == 9 }
        #expect(pings == [Self.ping(1), Self.ping(2)])
        for number in answered {
            try rig.answer([Self.ping(number)])
            #expect(news.delivered == (number == 1 ? [1] : [1, 2]))
        }
        #expect(try rig.frames() == [Self.ping(3)])
        try rig.answer([Self.ping(3)])
        #expect(news.delivered == [1, 2, 3])
    }

    @Test func `a stop closes at once, and a pong before the client's close still counts`() throws {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news)
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        let frames = try rig.frames()
        #expect(frames.map(\.closeCode) == [nil, nil, 1001])
        try rig.answer([Self.ping(1)])
        #expect(news.delivered == [1])
        try rig.send(.close(1001))
        #expect(!rig.isOpen)
    }

    @Test func `a stop does not wait for a confirmation`() throws {
        let news = FakeNews(ids: [1])
        let rig = try Self.rig(news) { $0.closeTimeout = .seconds(5) }
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        rig.advance(8)
        #expect(!rig.isOpen)
        #expect(news.delivered.isEmpty)
    }

    @Test func `only so many unconfirmed news are remembered; the others stay pending`() throws {
        let news = FakeNews()
        let rig = try Self.rig(news)
        Self.notify(rig, 1...1100)
        #expect(try rig.frames().filter { $0.opcode == 1 }.count == 1100)
        try rig.answer([Self.ping(1), Self.ping(2)])
        #expect(news.delivered == Array(1...1024))
        Self.notify(rig, [1101])
        try rig.answer(try rig.frames().filter { $0.opcode == 9 })
        #expect(news.delivered.last == 1101)
        #expect(news.delivered.count == 1025)
    }

    @Test func `a client may confirm as fast as news arrive`() throws {
        let news = FakeNews()
        let rig = try Self.rig(news) { $0.controlFramesPerSecondMax = 10 }
        for id: Int64 in 1...300 {
            Self.notify(rig, [id])
            let frames = try rig.frames()
            try #require(frames.map(\.opcode) == [1, 9])
            try rig.answer(frames.suffix(1))
        }
        #expect(rig.isOpen)
        #expect(news.delivered == Array(1...300))
    }
}
