import Ingestion
import Instruments
import NIOCore
import NIOEmbedded
import Testing

@testable import Edge

/// What is too slow, by a clock that only the test moves.
@Suite struct IngestTimeoutTests {
    @Test func `a head that drips is cut off with a 408`() throws {
        let bench = try EdgeBench { $0.headTimeout = .seconds(10) }
        for byte in "POST /ingest HTTP/1.1\r\n".utf8.prefix(9) {
            try bench.send([byte])
            bench.advance(1)
        }
        #expect(bench.isOpen)
        bench.advance(1.5)
        let answer = try bench.answer()
        #expect(answer.status == 408)
        #expect(answer.detail == "The request came too slowly")
        #expect(answer.headers["connection"] == "close")
        #expect(!bench.isOpen)
    }

    @Test func `a connection without a byte is closed without a word`() throws {
        let bench = try EdgeBench { $0.headTimeout = .seconds(10) }
        bench.advance(9)
        #expect(bench.isOpen)
        bench.advance(1.5)
        #expect(!bench.isOpen)
        #expect(try bench.output() == "")
    }

    @Test func `between requests a client has longer`() throws {
        let bench = try EdgeBench {
            $0.headTimeout = .seconds(10)
            $0.idleTimeout = .seconds(60)
        }
        try bench.send(Samples.post())
        bench.commitHeld()
        #expect(try bench.answer().status == 200)
        bench.advance(59)
        #expect(bench.isOpen)
        bench.advance(1.5)
        #expect(!bench.isOpen)
        #expect(try bench.output() == "")
    }

    @Test func `a later head may not drip either`() throws {
        let bench = try EdgeBench {
            $0.headTimeout = .seconds(10)
            $0.idleTimeout = .seconds(60)
        }
        try bench.send(Samples.post())
        bench.commitHeld()
        #expect(try bench.answer().status == 200)
        bench.advance(30)
        try bench.send("POST ")
        bench.advance(11)
        #expect(try bench.answer().status == 408)
        #expect(!bench.isOpen)
    }

    @Test func `a body that stalls is a 408`() throws {
        let bench = try EdgeBench { $0.bodyTimeout = .seconds(20) }
        let request = Samples.post(Samples.body(readings: 10))
        try bench.send(request.dropLast(100).description)
        bench.advance(19)
        #expect(bench.isOpen)
        bench.advance(1.5)
        let answer = try bench.answer()
        #expect(answer.status == 408)
        #expect(answer.detail == "The body came too slowly")
        #expect(!bench.isOpen)
        #expect(bench.book.refused > 0)
        bench.expectNothingHeld()
    }

    @Test func `a body that drips is a 408`() throws {
        let bench = try EdgeBench {
            $0.bodyTimeout = .seconds(20)
            $0.bodyBytesPerSecondMin = 100
        }
        let request = Samples.post(Samples.body(readings: 1000))
        try bench.send(request.prefix(200).description)
        var sent = 200
        for second in 0..<60 where bench.isOpen {
            try bench.send(request.dropFirst(sent).prefix(10).description)
            sent += 10
            bench.advance(1)
            #expect(bench.isOpen || second >= 20)
        }
        #expect(try bench.answer().status == 408)
        bench.expectNothingHeld()
    }

    @Test func `a body at the lowest rate is not`() throws {
        let bench = try EdgeBench {
            $0.bodyTimeout = .seconds(20)
            $0.bodyBytesPerSecondMin = 100
        }
        var rest = Samples.post(Samples.body(readings: 100))[...]
        while !rest.isEmpty {
            try bench.send(rest.prefix(110).description)
            rest = rest.dropFirst(110)
            bench.advance(1)
        }
        bench.commitHeld()
        #expect(try bench.answer().status == 200)
    }

    @Test func `a batch without an outcome is a 503, and its outcome still counts`() throws {
        let bench = try EdgeBench { $0.acknowledgeWithin = .seconds(30) }
        try bench.send(Samples.post())
        bench.advance(29)
        #expect(try bench.output() == "")
        bench.advance(1.5)
        let answer = try bench.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(bench.isOpen)
        #expect(bench.book.inFlight == 3)
        // The next request is not mixed up with the late outcome.
        let late = bench.sink.takeHeld()
        try bench.send(Samples.post(Samples.body(readings: 1)))
        late[0].target.deliver([FakeSink.commit(late[0])])
        bench.run()
        #expect(try bench.output() == "")
        #expect(bench.book.stored == 3)
        bench.commitHeld()
        #expect(try bench.answer().number("records") == 1)
        bench.expectNothingHeld()
    }

    @Test func `a client that goes away after a late answer leaves nothing behind`() throws {
        let bench = try EdgeBench { $0.acknowledgeWithin = .seconds(1) }
        try bench.send(Samples.post())
        bench.advance(2)
        #expect(try bench.answer().status == 503)
        bench.disconnect()
        bench.sink.finishHeld(.refused(sqlState: "XX000"))
        bench.run()
        #expect(bench.book.refused == 3)
        bench.expectNothingHeld()
    }

    @Test func `a short rest that never comes does not keep the connection`() throws {
        let bench = try EdgeBench { $0.lingerTimeout = .seconds(5) }
        try bench.send(Samples.head(length: 1000, key: "no"))
        #expect(try bench.answer().status == 401)
        #expect(bench.isOpen)
        bench.advance(5.5)
        #expect(!bench.isOpen)
    }

    @Test func `a client that never reads is closed`() throws {
        let bench = try EdgeBench { $0.sendTimeout = .seconds(20) }
        bench.channel.isWritable = false
        bench.channel.pipeline.fireChannelWritabilityChanged()
        try bench.send(Samples.post())
        bench.commitHeld()
        bench.advance(19)
        #expect(bench.isOpen)
        bench.advance(1.5)
        #expect(!bench.isOpen)
        bench.expectNothingHeld()
    }
}
