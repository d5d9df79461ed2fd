import Ingestion
import Instruments
import Testing

@testable import Edge

/// The client goes away; what was held for it comes back and the books add up.
@Suite struct IngestAbortTests {
    @Test func `at every byte of a request`() throws {
        let request = Array(Samples.post().utf8)
        for cut in 0...request.count {
            let bench = try EdgeBench()
            try bench.send(request[..<cut])
            bench.disconnect()
            bench.commitHeld()
            bench.expectNothingHeld()
            try #require(bench.book.stored == (cut == request.count ? 3 : 0))
        }
    }

    @Test func `in the middle of a chunked body`() throws {
        let bench = try EdgeBench()
        let text = Samples.chunkedPost(Samples.body(readings: 100), every: 500)
        try bench.send(text.dropLast(700).description)
        #expect(bench.budget.inFlightBytes > 0)
        bench.disconnect()
        let book = bench.book
        #expect(book.received > 0 && book.received == book.refused)
        bench.expectNothingHeld()
    }

    @Test func `while a lane has its batch`() throws {
        let bench = try EdgeBench()
        try bench.send(Samples.post())
        bench.disconnect()
        // Until the lane has spoken nobody knows what will become of it.
        #expect(bench.book.inFlight == 3)
        #expect(bench.budget.inFlightBytes > 0)
        bench.commitHeld()
        #expect(bench.book.stored == 3)
        #expect(try bench.output() == "")
        bench.expectNothingHeld()
    }

    @Test func `while a lane has its batch, which is then refused`() throws {
        let bench = try EdgeBench()
        try bench.send(Samples.post())
        bench.disconnect()
        bench.sink.finishHeld(.unavailable(retryAfter: .seconds(1)))
        bench.run()
        #expect(bench.book.refused == 3)
        bench.expectNothingHeld()
    }

    @Test func `with more requests in the pipeline`() throws {
        let bench = try EdgeBench()
        try bench.send(Samples.post() + Samples.post() + Samples.post())
        bench.disconnect()
        bench.commitHeld()
        #expect(bench.sink.offers == 1)
        #expect(bench.book.received == 3)
        bench.expectNothingHeld()
    }

    @Test func `after its refusal, with most of the body to come`() throws {
        let bench = try EdgeBench()
        try bench.send(Samples.head(length: 60_000, key: "no"))
        try bench.send(String(repeating: "x", count: 1000))
        bench.disconnect()
        bench.expectNothingHeld()
    }

    @Test func `one commit answers many, some of whom are gone`() throws {
        let gone = try EdgeBench()
        try gone.send(Samples.post(Samples.body(readings: 5)))
        gone.disconnect()
        gone.commitHeld()
        #expect(gone.book.stored == 5)
        gone.expectNothingHeld()
    }
}
