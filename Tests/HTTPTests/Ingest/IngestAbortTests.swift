import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// The client disconnects; reserved memory is released and the accounts balance.
@Suite struct IngestAbortTests {
    @Test func `at every byte of a request`() throws {
        let request = Array(Samples.post().utf8)
        for cut in 0...request.count {
            let rig = try ConnectionRig()
            try rig.send(request[..<cut])
            rig.disconnect()
            rig.commitHeld()
            rig.expectNothingHeld()
            try #require(rig.book.stored == (cut == request.count ? 3 : 0))
        }
    }

    @Test func `in the middle of a chunked body`() throws {
        let rig = try ConnectionRig()
        let text = Samples.chunkedPost(Samples.body(readings: 100), every: 500)
        try rig.send(text.dropLast(700).description)
        #expect(rig.budget.inFlightBytes > 0)
        rig.disconnect()
        let book = rig.book
        #expect(book.received > 0 && book.received == book.refused)
        rig.expectNothingHeld()
    }

    @Test func `while a lane has its batch`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.disconnect()
        // Until the lane has answered, the outcome is unknown.
        #expect(rig.book.pending == 3)
        #expect(rig.budget.inFlightBytes > 0)
        rig.commitHeld()
        #expect(rig.book.stored == 3)
        #expect(try rig.output() == "")
        rig.expectNothingHeld()
    }

    @Test func `while a lane has its batch, which is then refused`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.disconnect()
        rig.sink.finishHeld(.unavailable(retryAfter: .seconds(1)))
        rig.run()
        #expect(rig.book.refused == 3)
        rig.expectNothingHeld()
    }

    @Test func `with more requests in the pipeline`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post() + Samples.post() + Samples.post())
        rig.disconnect()
        rig.commitHeld()
        #expect(rig.sink.offers == 1)
        #expect(rig.book.received == 3)
        rig.expectNothingHeld()
    }

    @Test func `after its refusal, with most of the body to come`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: 60_000, key: "no"))
        try rig.send(String(repeating: "x", count: 1000))
        rig.disconnect()
        rig.expectNothingHeld()
    }

    @Test func `one commit answers many clients, some of which are gone`() throws {
        let gone = try ConnectionRig()
        try gone.send(Samples.post(Samples.body(readings: 5)))
        gone.disconnect()
        gone.commitHeld()
        #expect(gone.book.stored == 5)
        gone.expectNothingHeld()
    }
}
