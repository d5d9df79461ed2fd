import Ingest
import Instruments
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Time limits, by a clock that only the test moves.
@Suite struct IngestTimeoutTests {
    @Test func `a head that arrives too slowly is cut off with a 408`() throws {
        let rig = try ConnectionRig { $0.headTimeout = .seconds(10) }
        for byte in "POST /ingest HTTP/1.1\r\n".utf8.prefix(9) {
            try rig.send([byte])
            rig.advance(1)
        }
        #expect(rig.isOpen)
        rig.advance(1.5)
        let answer = try rig.answer()
        #expect(answer.status == 408)
        #expect(answer.detail == "The request came too slowly")
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
    }

    @Test func `a connection without a byte is closed without an answer`() throws {
        let rig = try ConnectionRig { $0.headTimeout = .seconds(10) }
        rig.advance(9)
        #expect(rig.isOpen)
        rig.advance(1.5)
        #expect(!rig.isOpen)
        #expect(try rig.output() == "")
    }

    @Test func `the limit between requests is longer`() throws {
        let rig = try ConnectionRig {
            $0.headTimeout = .seconds(10)
            $0.idleTimeout = .seconds(60)
        }
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.advance(59)
        #expect(rig.isOpen)
        rig.advance(1.5)
        #expect(!rig.isOpen)
        #expect(try rig.output() == "")
    }

    @Test func `a later head may not arrive too slowly either`() throws {
        let rig = try ConnectionRig {
            $0.headTimeout = .seconds(10)
            $0.idleTimeout = .seconds(60)
        }
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.advance(30)
        try rig.send("POST ")
        rig.advance(11)
        #expect(try rig.answer().status == 408)
        #expect(!rig.isOpen)
    }

    @Test func `a body that stalls is a 408`() throws {
        let rig = try ConnectionRig { $0.bodyTimeout = .seconds(20) }
        let request = Samples.post(Samples.body(readings: 10))
        try rig.send(request.dropLast(100).description)
        rig.advance(19)
        #expect(rig.isOpen)
        rig.advance(1.5)
        let answer = try rig.answer()
        #expect(answer.status == 408)
        #expect(answer.detail == "The body came too slowly")
        #expect(!rig.isOpen)
        #expect(rig.book.refused > 0)
        rig.expectNothingHeld()
    }

    @Test func `a body that arrives too slowly is a 408`() throws {
        let rig = try ConnectionRig {
            $0.bodyTimeout = .seconds(20)
            $0.bodyBytesPerSecondMin = 100
        }
        let request = Samples.post(Samples.body(readings: 1000))
        try rig.send(request.prefix(200).description)
        var sent = 200
        for second in 0..<60 where rig.isOpen {
            try rig.send(request.dropFirst(sent).prefix(10).description)
            sent += 10
            rig.advance(1)
            #expect(rig.isOpen || second >= 20)
        }
        #expect(try rig.answer().status == 408)
        rig.expectNothingHeld()
    }

    @Test func `a body at the lowest rate is accepted`() throws {
        let rig = try ConnectionRig {
            $0.bodyTimeout = .seconds(20)
            $0.bodyBytesPerSecondMin = 100
        }
        var rest = Samples.post(Samples.body(readings: 100))[...]
        while !rest.isEmpty {
            try rig.send(rest.prefix(110).description)
            rest = rest.dropFirst(110)
            rig.advance(1)
        }
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
    }

    @Test func `a batch without an outcome is a 503, and its outcome still counts`() throws {
        let rig = try ConnectionRig { $0.acknowledgeWithin = .seconds(30) }
        try rig.send(Samples.post())
        rig.advance(29)
        #expect(try rig.output() == "")
        rig.advance(1.5)
        let answer = try rig.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(rig.isOpen)
        #expect(rig.book.pending == 3)
        // The late outcome is not taken for the outcome of the next request.
        let late = rig.sink.takeHeld()
        try rig.send(Samples.post(Samples.body(readings: 1)))
        late[0].target.deliver([FakeSink.commit(late[0])])
        rig.run()
        #expect(try rig.output() == "")
        #expect(rig.book.stored == 3)
        rig.commitHeld()
        #expect(try rig.answer().number("records") == 1)
        rig.expectNothingHeld()
    }

    @Test func `a client that disconnects after a late answer leaves nothing behind`() throws {
        let rig = try ConnectionRig { $0.acknowledgeWithin = .seconds(1) }
        try rig.send(Samples.post())
        rig.advance(2)
        #expect(try rig.answer().status == 503)
        rig.disconnect()
        rig.sink.finishHeld(.refused(sqlState: "XX000"))
        rig.run()
        #expect(rig.book.refused == 3)
        rig.expectNothingHeld()
    }

    @Test func `a short remainder that never arrives does not keep the connection`() throws {
        let rig = try ConnectionRig { $0.lingerTimeout = .seconds(5) }
        try rig.send(Samples.head(length: 1000, key: "no"))
        #expect(try rig.answer().status == 401)
        #expect(rig.isOpen)
        rig.advance(5.5)
        #expect(!rig.isOpen)
    }

    @Test func `a client that never reads is closed`() throws {
        let rig = try ConnectionRig { $0.sendTimeout = .seconds(20) }
        rig.channel.isWritable = false
        rig.channel.pipeline.fireChannelWritabilityChanged()
        try rig.send(Samples.post())
        rig.commitHeld()
        rig.advance(19)
        #expect(rig.isOpen)
        rig.advance(1.5)
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }
}
