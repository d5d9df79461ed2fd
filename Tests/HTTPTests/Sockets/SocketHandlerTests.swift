import Ingest
import Instruments
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct SocketHandlerTests {
    @Test(arguments: ["nothing", "a notice", "a message", "a unit"])
    func `a socket is closed when its client's credential becomes invalid`(_ next: String) throws {
        let holds = Mutex(true)
        let pass = SocketPass(ending: "the token has expired") { holds.withLock { $0 } }
        let rig = try SocketRig(pass: pass)
        try rig.send("1")
        rig.advance(3)
        #expect(try rig.frames().map(\.text) == ["echo 1"])
        holds.withLock { $0 = false }
        switch next {
        case "a notice":
            rig.connection.loop.sockets.notice(topic: "test", user: "anna", text: "x")
        case "a message": try rig.send("2")
        case "a unit": try rig.send("unit:1")
        default: rig.advance(3)
        }
        let frames = try rig.frames()
        #expect(frames.map(\.closeCode) == [1008])
        #expect(
            String(decoding: frames[0].payload.dropFirst(2), as: UTF8.self)
                == "the token has expired")
        #expect(rig.sink.heldUnits.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a quiet socket whose client answers pings stays open if its application allows it`(
        _ endsIdleSockets: Bool
    ) throws {
        let rig = try SocketRig(application: TestSockets(endsIdleSockets: endsIdleSockets))
        for _ in 0..<30 {
            rig.advance(30)
            let pings = try rig.frames().filter { $0.opcode == 9 }
            for ping in pings { try rig.send(SentFrame(opcode: 10, payload: ping.payload)) }
        }
        #expect(rig.isOpen == !endsIdleSockets)
    }

    @Test func `messages are answered`() throws {
        let rig = try SocketRig()
        try rig.send("hello")
        try rig.send(SentFrame.text("one").bytes + SentFrame.text("two").bytes)
        #expect(try rig.frames() == [.text("echo hello"), .text("echo one"), .text("echo two")])
    }

    @Test func `frames may arrive byte by byte`() throws {
        let rig = try SocketRig()
        let long = String(repeating: "long ", count: 100)
        for byte in SentFrame.text(long).bytes + SentFrame.ping("p").bytes {
            try rig.send([byte])
        }
        #expect(
            try rig.frames() == [.text("echo \(long)"), ServerFrame(opcode: 10, payload: [112])])
    }

    @Test func `a frame that is too long is refused by its length`() throws {
        let rig = try SocketRig { $0.messageBytesMax = 1000 }
        let frame = SentFrame.text(String(repeating: "a", count: 1001)).bytes
        try rig.send(Array(frame.prefix(8)))
        #expect(try rig.closeCode() == 1009)
        // The following bytes are not read as a frame.
        try rig.send(Array(frame.dropFirst(8)))
        #expect(try rig.frames().isEmpty)
        rig.advance(10)
        #expect(!rig.isOpen)
    }

    @Test func `a message may be long in both directions`() throws {
        let rig = try SocketRig()
        for count in [124, 125, 126, 127, 65_535, 65_536, 100_000] {
            try rig.send("long:\(count)")
            #expect(try rig.frames() == [.text(String(repeating: "x", count: count))])
        }
        let longest = String(repeating: "y", count: 65_536)
        try rig.send(longest)
        #expect(try rig.frames() == [.text("echo \(longest)")])
    }

    @Test func `units are answered when they are settled`() throws {
        let rig = try SocketRig()
        try rig.send("unit:a")
        try rig.send("unit:b")
        #expect(try rig.frames().isEmpty)
        #expect(rig.sink.heldUnits.map(\.payload) == ["a", "b"])
        rig.settle()
        #expect(try rig.frames() == [.text("settled 1"), .text("settled 2")])
    }

    @Test func `a unit that is not accepted leaves nothing behind`() throws {
        let rig = try SocketRig(.answer(.full(retryAfter: .seconds(1))))
        try rig.send("unit:a")
        #expect(try rig.frames().count == 1)
        rig.sink.set(.hold)
        try rig.send("unit:b")
        rig.settle()
        #expect(try rig.frames() == [.text("settled 2")])
    }

    @Test func `nothing is delivered while too much is unanswered`() throws {
        let rig = try SocketRig { $0.inFlightMax = 2 }
        let messages = ["unit:1", "unit:2", "unit:3", "hello", "unit:4", "unit:5"]
        try rig.send(messages.flatMap { SentFrame.text($0).bytes })
        #expect(rig.sink.heldUnits.count == 2)
        #expect(try rig.frames().isEmpty)
        rig.settle(count: 1)
        #expect(rig.sink.heldUnits.map(\.payload) == ["2", "3"])
        rig.settle(count: 1)
        #expect(rig.sink.heldUnits.map(\.payload) == ["3", "4"])
        rig.settle()
        #expect(rig.sink.heldUnits.map(\.payload) == ["5"])
        #expect(try rig.frames().map(\.text).contains("echo hello"))
    }

    @Test func `an outcome may arrive after the client has disconnected`() throws {
        let rig = try SocketRig()
        try rig.send("unit:a")
        rig.channel.close(promise: nil)
        rig.connection.run()
        #expect(rig.connection.loop.instruments.sockets.open.value == 0)
        rig.settle()
    }

    @Test func `a close frame is answered and the connection closed`() throws {
        let rig = try SocketRig()
        try rig.send(.close(1000, "done"))
        #expect(try rig.frames() == [ServerFrame(opcode: 8, payload: [3, 232])])
        #expect(!rig.isOpen)
    }

    @Test func `the application can close the socket`() throws {
        let rig = try SocketRig()
        try rig.send("bye")
        #expect(try rig.closeCode() == 1000)
        #expect(rig.isOpen)
        try rig.send(.close(1000))
        #expect(!rig.isOpen)
    }

    @Test func `the server's stop is announced when everything is settled`() throws {
        let rig = try SocketRig()
        try rig.send("unit:a")
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try rig.send("unit:late")
        #expect(try rig.frames().isEmpty)
        rig.settle()
        let frames = try rig.frames()
        #expect(frames.first == .text("settled 1"))
        #expect(frames.last?.closeCode == 1001)
        #expect(rig.sink.offers == 1)
    }

    @Test func `notices reach all sockets of their user and topic`() throws {
        let rig = try SocketRig()
        let sockets = rig.connection.loop.sockets
        sockets.notice(topic: "test", user: "anna", text: "now")
        sockets.notice(topic: "test", user: "bert", text: "not for her")
        sockets.notice(topic: "other", user: "anna", text: "not this")
        #expect(try rig.frames() == [.text("notice now")])
        rig.channel.close(promise: nil)
        rig.connection.run()
        sockets.notice(topic: "test", user: "anna", text: "gone")
    }

    @Test func `a closed sending side counts as a close frame`() throws {
        let rig = try SocketRig()
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!rig.isOpen)
    }

    @Test func `a silent client is pinged and then cut off`() throws {
        let rig = try SocketRig {
            $0.pingInterval = .seconds(10)
            $0.pongTimeout = .seconds(5)
        }
        rig.advance(12)
        #expect(try rig.frames() == [ServerFrame(opcode: 9, payload: [0, 0, 0, 0, 0, 0, 0, 1])])
        rig.advance(7)
        #expect(!rig.isOpen)
    }

    @Test func `mutated frames never do harm`() throws {
        var generator = Dice(seed: 4_711)
        let base: [[SentFrame]] = [
            [.text("unit:a"), .ping("x"), .text("hello")],
            SentFrame.fragments([Array("unit:".utf8), [0xC3], [0xA9], []]),
            [.text(String(repeating: "é", count: 200)), .close(1000, "bye")],
            [SentFrame(opcode: 10, payload: [1, 2, 3]), .text("long:300")],
        ]
        let connection = try ConnectionRig() {
            $0.sockets.messageBytesMax = 512
        }
        for round in 0..<3000 {
            let rig = try SocketRig(on: connection)
            var bytes = base[round % base.count].flatMap(\.bytes)
            for _ in 0..<generator.next(below: 6) {
                let place = generator.next(below: bytes.count)
                switch generator.next(below: 4) {
                case 0: bytes[place] ^= 1 << UInt8(generator.next(below: 8))
                case 1: bytes[place] = UInt8(generator.next(below: 256))
                case 2: bytes.remove(at: place)
                default: bytes.insert(UInt8(generator.next(below: 256)), at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = 1 + generator.next(below: rest.count)
                try rig.send(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
                if generator.next(below: 2) == 0 { rig.settle() }
            }
            rig.settle()
            for frame in try rig.frames() {
                if let code = frame.closeCode {
                    #expect(SocketCloseCode.mayBeSent(UInt16(code)), "\(bytes)")
                }
            }
            rig.channel.close(promise: nil)
            rig.connection.run()
            #expect(rig.connection.loop.instruments.sockets.open.value == 0)
        }
    }
}
